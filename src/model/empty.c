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
// Afterwards each use has an empty tensor of its own.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "ir/op.h"

static bool is_empty(MlirOperation op) { return stow_is(op, STOW_TENSOR_EMPTY); }

static void give_own(MlirOpOperand use, MlirOperation empty) {
  const MlirOperation user = mlirOpOperandGetOwner(use), own = mlirOperationClone(empty);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(user), user, own);
  mlirOperationSetOperand(user, mlirOpOperandGetOperandNumber(use), mlirOperationGetResult(own, 0));
}

static void split(MlirOperation empty) {
  const MlirValue tensor = mlirOperationGetResult(empty, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(tensor); !mlirOpOperandIsNull(use);
       use = mlirValueGetFirstUse(tensor))
    give_own(use, empty);
  mlirOperationDestroy(empty);
}

void stow_split_empty(MlirOperation module) {
  const stow_op_list empties = stow_ops_in(module, is_empty);
  for (size_t i = 0; i < empties.count; ++i)
    split(empties.at[i]);
  free(empties.at);
}
