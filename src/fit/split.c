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
// An op that updates a buffer in place ends the value that was there: what was computed from that
// cannot be computed again. So such an op may get a buffer of its own for what it writes. It then
// reads what it read: each iteration reads the cell that it sets, and no other of this buffer, so
// no iteration saw what another one wrote.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "bridge/linalg.h"
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

// Whether another buffer may take the place of one from an op of the block on, in which it is used.
static bool may_end(MlirBlock block, MlirOperation op, MlirValue buffer) {
  return stow_ir_is_plainly_made(buffer) && stow_ir_made_bytes(buffer) > 0 &&
         mlirBlockEqual(stow_block_of(buffer), block) &&
         !stow_ir_has_attribute(mlirOpResultGetOwner(buffer), "stowage.offset") &&
         is_followed(block, buffer) && has_begun(block, op, buffer);
}

static bool begins_life(MlirBlock block, MlirOperation op, MlirValue buffer) {
  return stow_ir_overwrites(op, buffer) && !mentions_twice(op, buffer) &&
         may_end(block, op, buffer);
}

static bool is_planned(const stow_function_memory *memory, MlirValue buffer) {
  const int32_t value = stow_map_get(&memory->flow.index, buffer.ptr);
  const int32_t alloc = value < 0 ? STOW_NO_ALLOC : memory->flow.values.at[value].alloc;
  return alloc != STOW_NO_ALLOC && memory->buffers[alloc].reason == STOW_PLANNED;
}

static stow_op_list ops_of(MlirBlock block) {
  stow_op_list ops = {0};
  STOW_EACH_OP(op, block)
    STOW_PUSH(ops, op);
  return ops;
}

void stow_fit_split(const stow_function_memory *memory, MlirBlock block) {
  const stow_op_list ops = ops_of(block);
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

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

static bool writes(MlirOperation op, MlirValue buffer) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(stow_ir_root_of(mlirOperationGetOperand(op, i)), buffer) &&
        stow_bridge_loop_writes(op, i))
      return true;
  return false;
}

// Whether something other than the buffer was computed from what is in it in front of an op.
static bool was_read(MlirBlock block, MlirOperation op, MlirValue buffer) {
  STOW_EACH_USE_OF_NAMES(use, buffer) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (stow_bridge_loop_count(user) >= 0 && !writes(user, buffer) &&
        mlirOperationIsBeforeInBlock(stow_ir_op_in_block(block, user), op))
      return true;
  }
  return false;
}

// Whether what is inside of an op uses the buffer.
static bool has_inside(MlirOperation root, MlirValue buffer) {
  STOW_EACH_USE_OF_NAMES(use, buffer) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(op, root) && stow_ir_is_inside(op, root))
      return true;
  }
  return false;
}

// Whether an op sets all of a buffer, and reads of it, by no other name, the cells that it sets.
static bool is_in_place(MlirOperation op, intptr_t output, MlirValue buffer) {
  size_t reads = 0;
  if (stow_bridge_loop_count(op) < 0 || !stow_bridge_loop_writes(op, output) ||
      !stow_bridge_is_overwritten_output(op, output) || has_inside(op, buffer))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (i == output || !stow_ir_is_buffer(mlirValueGetType(operand)) ||
        !mlirValueEqual(stow_ir_root_of(operand), buffer))
      continue;
    if (!mlirValueEqual(operand, buffer) || stow_bridge_loop_writes(op, i) ||
        !stow_bridge_sets_same_cells(op, i, output))
      return false;
    ++reads;
  }
  return reads > 0;
}

static void write_apart(MlirOperation op, intptr_t output, MlirValue buffer) {
  stow_ir_begin_second_life(op, buffer);
  const MlirValue written = mlirOperationGetOperand(op, output);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (i != output && mlirValueEqual(mlirOperationGetOperand(op, i), written))
      mlirOperationSetOperand(op, i, buffer);
}

size_t stow_fit_part(const stow_function_memory *memory, MlirBlock block, MlirAttribute space) {
  const stow_op_list ops = ops_of(block);
  size_t parted = 0;
  for (size_t n = ops.count; n-- > 0;)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(ops.at[n]); ++i) {
      MlirValue buffer = mlirOperationGetOperand(ops.at[n], i);
      if (!is_planned(memory, buffer) || !is_in_place(ops.at[n], i, buffer) ||
          !mlirAttributeEqual(stow_ir_memory_space(mlirValueGetType(buffer)), space) ||
          !may_end(block, ops.at[n], buffer) || !was_read(block, ops.at[n], buffer))
        continue;
      write_apart(ops.at[n], i, buffer);
      ++parted;
    }
  free(ops.at);
  return parted;
}
