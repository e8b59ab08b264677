//===- second_life.c - an allocation for a later life of a buffer ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an op of the buffer's block that overwrites all of it. Allocates it again in front of
// that op and gives all uses from there on the new one, through copies of the views that they need.
//
//===----------------------------------------------------------------------===//

#include "ir/second_life.h"

#include "ir/op.h"

// Of another op, by the op of its block that it is in.
static bool is_before(MlirOperation op, MlirOperation at) {
  op = stow_ir_op_in_block(mlirOperationGetBlock(at), op);
  return mlirOperationIsNull(op) || mlirOperationIsBeforeInBlock(op, at);
}

static bool is_view_in_block_of(MlirOpOperand use, MlirOperation at) {
  const MlirOperation op = mlirOpOperandGetOwner(use);
  return stow_ir_makes_view(use) &&
         mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(at));
}

static MlirValue copy_before(MlirOperation at, MlirOperation maker) {
  const MlirOperation copy = mlirOperationClone(maker);
  stow_ir_insert_before(at, copy);
  return mlirOperationGetResult(copy, 0);
}

static void move_uses(MlirOperation at, MlirValue from, MlirValue to) {
  STOW_EACH_USE_THAT_MAY_GO(use, from) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (!is_before(op, at)) {
      mlirOperationSetOperand(op, (intptr_t)mlirOpOperandGetOperandNumber(use), to);
    } else if (is_view_in_block_of(use, at)) {
      const MlirValue view = copy_before(at, op);
      mlirOperationSetOperand(mlirOpResultGetOwner(view), 0, to);
      move_uses(at, mlirOperationGetResult(op, 0), view);
      if (mlirOpOperandIsNull(mlirValueGetFirstUse(view)))
        mlirOperationDestroy(mlirOpResultGetOwner(view));
    }
  }
}

void stow_ir_begin_second_life(MlirOperation at, MlirValue buffer) {
  move_uses(at, buffer, copy_before(at, mlirOpResultGetOwner(buffer)));
}
