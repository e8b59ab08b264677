//===- split.c - a buffer for each life -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// elide-copies does the same where a buffer of its own serves a copy (copies/split.c). Here every
// life counts: what runs again may read an earlier one when the next has begun.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "ir/parts.h"
#include "ir/second_life.h"

#include <assert.h>

// Whether nothing but views that the block makes, and ops that use them and give no memory on, have
// the address of `value`, and nothing frees it.
static bool is_followed(MlirBlock block, MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use), around = stow_ir_op_in_block(block, op);
    const bool view = stow_ir_makes_view(use) && mlirOperationEqual(op, around);
    if (mlirOperationIsNull(around) || mlirOperationEqual(around, mlirBlockGetTerminator(block)) ||
        (stow_ir_op_traits(op) & (STOW_DEALLOCATES | STOW_FREES_BY_BIT)) ||
        (!view && stow_ir_gives_buffer(around)))
      return false;
  }
  return true;
}

// Whether an op, with those in it, has `buffer` or a view of it as an operand more than once.
static bool mentions_twice(MlirOperation root, MlirValue buffer) {
  size_t count = 0;
  STOW_EACH_OP_OF(op, root)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      count += stow_ir_is_buffer(mlirValueGetType(operand)) &&
               mlirValueEqual(stow_ir_root_of(operand), buffer);
    }
  return count > 1;
}

// Whether an op in front of `op` touches the buffer.
static bool has_begun(MlirBlock block, MlirOperation op, MlirValue value) {
  STOW_EACH_USE_OF_NAMES(use, value)
    if (!stow_ir_makes_view(use) &&
        mlirOperationIsBeforeInBlock(stow_ir_op_in_block(block, mlirOpOperandGetOwner(use)), op))
      return true;
  return false;
}

static bool begins_life(MlirBlock block, MlirOperation op, MlirValue buffer) {
  return stow_ir_is_plainly_made(buffer) && stow_ir_made_bytes(buffer) > 0 &&
         mlirBlockEqual(stow_block_of(buffer), block) && stow_ir_overwrites(op, buffer) &&
         !stow_ir_has_attribute(mlirOpResultGetOwner(buffer), "stowage.offset") &&
         !mentions_twice(op, buffer) && is_followed(block, buffer) && has_begun(block, op, buffer);
}

static bool is_planned(const stow_function_memory *memory, MlirValue buffer) {
  const int32_t value = stow_map_get(&memory->flow.index, buffer.ptr);
  const int32_t alloc = value < 0 ? STOW_NO_ALLOC : memory->flow.values.at[value].alloc;
  return alloc != STOW_NO_ALLOC && memory->buffers[alloc].reason == STOW_PLANNED;
}

void stow_fit_split(const stow_function_memory *memory, MlirBlock block) {
  stow_op_list ops = {0};
  STOW_EACH_OP(op, block)
    STOW_PUSH(ops, op);
  for (size_t n = ops.count; n-- > 0;) // so that what was looked up is still there
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(ops.at[n]); ++i) {
      MlirValue buffer = mlirOperationGetOperand(ops.at[n], i);
      if (!is_planned(memory, buffer) || !begins_life(block, ops.at[n], buffer))
        continue;
      stow_ir_begin_second_life(ops.at[n], buffer);
      assert(!mlirValueEqual(mlirOperationGetOperand(ops.at[n], i), buffer));
    }
  free(ops.at);
}
