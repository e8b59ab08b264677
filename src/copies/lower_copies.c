//===- lower_copies.c - lower-strided-copies ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR lowers a memref.copy to memcpy where both sides are contiguous, and else to a
// call of its runtime library, which a program without that library cannot make.
//
//===----------------------------------------------------------------------===//

#include "bridge/linalg.h"
#include "ir/op.h"
#include "ir/support.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

static bool is_ranked(MlirOperation copy, intptr_t operand) {
  return mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(copy, operand)));
}

static bool needs_loops(MlirOperation op) {
  return stow_ir_is(op, STOW_MEMREF_COPY) && is_ranked(op, 0) && is_ranked(op, 1) &&
         !stow_bridge_copy_is_contiguous(op);
}

void stow_lower_strided_copies(MlirOperation module) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  STOW_EACH_FOUND(op, stow_ir_ops_in(module, needs_loops))
    stow_bridge_copy_by_loops(op);
}
