//===- TaskflowDialect.h - the taskflow dialect ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_DIALECT_H
#define STOWAGE_TASKFLOW_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "taskflow/TaskflowDialect.h.inc"

#define GET_OP_CLASSES
#include "taskflow/TaskflowOps.h.inc"

#endif // STOWAGE_TASKFLOW_DIALECT_H
