//===- Dialects.h - dialects, without their ops ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass's class names the dialects that it loads, and nothing else of them. Their usual headers
// have all ops, and cost a compiler up to 20 seconds per file. A file includes those or this one:
// what TableGen wrote has no guards.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_DIALECTS_H
#define STOWAGE_DRIVER_DIALECTS_H

#include "mlir/Dialect/LLVMIR/LLVMAttrs.h" // its dialect has attributes in inline functions
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Support/ThreadLocalCache.h"
#include "llvm/ADT/StringMap.h"

#include "mlir/Dialect/Affine/IR/AffineOpsDialect.h.inc"
#include "mlir/Dialect/Arith/IR/ArithOpsDialect.h.inc"
#include "mlir/Dialect/Bufferization/IR/BufferizationOpsDialect.h.inc"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOpsDialect.h.inc"
#include "mlir/Dialect/LLVMIR/LLVMOpsDialect.h.inc"
#include "mlir/Dialect/Linalg/IR/LinalgOpsDialect.h.inc"
#include "mlir/Dialect/MemRef/IR/MemRefOpsDialect.h.inc"
#include "mlir/Dialect/SCF/IR/SCFOpsDialect.h.inc"
#include "mlir/Dialect/Vector/IR/VectorDialect.h.inc"

#include "lifetime/LifetimeDialect.h.inc"
#include "taskflow/TaskflowDialect.h.inc"

#endif // STOWAGE_DRIVER_DIALECTS_H
