//===- rename.c - an allocation for each life of a buffer -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that overwrites all of a buffer begins a new life of it: what is read later does not
// depend on what was written before. Each life gets an allocation of its own, as SSA
// construction gives each definition a name of its own. A padding buffer that several ops
// share is the usual case.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "ir/second_life.h"

#include <stdlib.h>

static bool is_used_before(MlirOperation at, MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    const MlirOperation own =
        stow_ir_op_in_block(mlirOperationGetBlock(at), mlirOpOperandGetOwner(use));
    if (!stow_ir_makes_view(use) &&
        (mlirOperationIsNull(own) || mlirOperationIsBeforeInBlock(own, at)))
      return true;
  }
  return false;
}

// Whether the op, its body included, mentions the buffer in one place.
static bool is_named_once(MlirOperation root, MlirValue value) {
  size_t count = 0;
  STOW_EACH_OP_OF(op, root)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      count += mlirValueEqual(stow_ir_root_of(mlirOperationGetOperand(op, i)), value);
  return count == 1;
}

static void rename_from(MlirOperation at, MlirValue value) {
  const MlirLocation location = mlirOperationGetLocation(mlirOpResultGetOwner(value));
  const stow_builder builder = stow_builder_before(at, location);
  const bool freed = stow_rows_is_freed(value);
  stow_ir_begin_second_life(at, value);
  if (freed)
    stow_ir_build_dealloc(&builder, value);
}

static bool is_alloc_of(MlirBlock block, MlirValue value) {
  return stow_ir_is_plainly_made(value) &&
         mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), block);
}

static void rename_at(MlirBlock block, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (is_alloc_of(block, value) && stow_ir_overwrites(op, value) && is_named_once(op, value) &&
        stow_rows_is_local(block, value) && is_used_before(op, value))
      rename_from(op, value);
  }
}

void stow_rows_rename(MlirBlock block) {
  STOW_EACH_OP(op, block)
    if (stow_rows_has_loops(op))
      rename_at(block, op);
}
