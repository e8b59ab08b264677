//===- empty.c - tensors whose contents nobody has written ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization takes no write for a conflict with a tensor.empty, as that holds nothing. So two
// tensors that a loop carries, which begin as the same tensor.empty, would be one buffer:
//
//     scf.for ... iter_args(%a = %empty, %b = %empty)
//
// Afterwards each use that is no op's output has an empty tensor of its own. Outputs may share one:
// an op may then write over what it reads element by element.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "ir/op.h"

static bool is_empty(MlirOperation op) { return stow_ir_is(op, STOW_TENSOR_EMPTY); }

static bool is_output(MlirOperation op, MlirValue tensor) {
  return !(stow_op_facts(op) & STOW_OP_LOOP) && stow_model_is_updated_by(op, tensor);
}

static void give_own(MlirOpOperand use, MlirOperation empty) {
  const MlirOperation user = mlirOpOperandGetOwner(use), own = mlirOperationClone(empty);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(user), user, own);
  mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), mlirOperationGetResult(own, 0));
}

static void split(MlirOperation empty) {
  const MlirValue tensor = mlirOperationGetResult(empty, 0);
  STOW_EACH_USE_THAT_MAY_GO(use, tensor)
    if (!is_output(mlirOpOperandGetOwner(use), tensor))
      give_own(use, empty);
}

void stow_model_split_empty(MlirOperation module) {
  STOW_EACH_FOUND(op, stow_ir_ops_in(module, is_empty))
    split(op);
}
