//===- Lifetime.h - the lifetime dialect in C++ ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LifetimeOps.td for what the ops mean.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_LIFETIME_H
#define STOWAGE_LIFETIME_LIFETIME_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/MemorySlotInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lifetime/LifetimeDialect.h.inc"
#define GET_OP_CLASSES
#include "lifetime/LifetimeOps.h.inc"

#endif // STOWAGE_LIFETIME_LIFETIME_H
