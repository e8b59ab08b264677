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

#include "bridge/bridge.h"

#include <stdlib.h>

typedef struct renamer {
  MlirBlock block;
  stow_map places;  // of the block's ops: their number
  MlirOperation at; // the op that overwrites
  int32_t place;    // of it
} renamer;

static int32_t place_of(const renamer *r, MlirOperation op) {
  return stow_map_get(&r->places, stow_op_in_block(r->block, op).ptr);
}

static bool is_used_before(const renamer *r, MlirValue value) {
  STOW_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (place_of(r, op) >= r->place)
      continue;
    if (!stow_rows_is_view_of(use) || is_used_before(r, mlirOperationGetResult(op, 0)))
      return true;
  }
  return false;
}

// Whether the op, its body included, mentions the buffer in one place.
static bool is_named_once(MlirOperation root, MlirValue value) {
  size_t count = 0;
  STOW_EACH_OP_OF(op, root)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      count += mlirValueEqual(stow_root_of(mlirOperationGetOperand(op, i)), value);
  return count == 1;
}

// Uses from the op on get the new name; views of the old one that they use are made anew.
static void move_uses(renamer *r, MlirValue from, MlirValue to) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(from); !mlirOpOperandIsNull(use); use = next) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const intptr_t operand = (intptr_t)mlirOpOperandGetOperandNumber(use);
    next = mlirOpOperandGetNextUse(use);
    if (place_of(r, op) >= r->place) {
      mlirOperationSetOperand(op, operand, to);
    } else if (mlirBlockEqual(mlirOperationGetBlock(op), r->block) && stow_rows_is_view_of(use)) {
      MlirOperation copy = mlirOperationClone(op);
      mlirOperationSetOperand(copy, operand, to);
      mlirBlockInsertOwnedOperationBefore(r->block, r->at, copy);
      stow_map_add(&r->places, copy.ptr, r->place);
      move_uses(r, mlirOperationGetResult(op, 0), mlirOperationGetResult(copy, 0));
      if (mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(copy, 0))))
        mlirOperationDestroy(copy);
    }
  }
}

static void rename_from(renamer *r, MlirValue value) {
  MlirOperation alloc = mlirOpResultGetOwner(value);
  const stow_builder builder = stow_builder_before(r->at, mlirOperationGetLocation(alloc));
  const bool freed = stow_rows_is_freed(value);
  MlirOperation copy = mlirOperationClone(alloc);
  mlirBlockInsertOwnedOperationBefore(r->block, r->at, copy);
  stow_map_add(&r->places, copy.ptr, r->place);
  move_uses(r, value, mlirOperationGetResult(copy, 0));
  if (freed)
    stow_map_add(&r->places, stow_build_dealloc(&builder, value).ptr, r->place);
}

static bool is_alloc_of(MlirBlock block, MlirValue value) {
  return stow_is_plainly_made(value) &&
         mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), block);
}

static void rename_at(renamer *r, MlirOperation op) {
  r->at = op;
  r->place = stow_map_get(&r->places, op.ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (is_alloc_of(r->block, value) && stow_overwrites(op, value) && is_named_once(op, value) &&
        stow_rows_is_local(r->block, value) && is_used_before(r, value))
      rename_from(r, value);
  }
}

void stow_rows_rename(MlirBlock block) {
  renamer r = {.block = block};
  STOW_ARRAY(MlirOperation) ops = {0};
  STOW_EACH_OP(op, block) {
    stow_map_add(&r.places, op.ptr, (int32_t)ops.count);
    STOW_PUSH(ops, op);
  }
  for (size_t i = 0; i < ops.count; ++i)
    if (stow_rows_has_loops(ops.at[i]))
      rename_at(&r, ops.at[i]);
  stow_map_free(&r.places);
  free(ops.at);
}
