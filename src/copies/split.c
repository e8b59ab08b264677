//===- split.c - a buffer for each life -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that overwrites a whole buffer begins another *life* of it: the old contents are not read
// again. Bufferization often uses one buffer for several lives. If each life becomes a separate
// buffer, they can have different offsets, and can be merged with other buffers.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "ir/second_life.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct splitting {
  MlirBlock block;
  MlirOperation link; // overwrites the buffer
  MlirValue buffer;
  stow_copies_uses uses;
} splitting;

// Whether an op sees the life that the link begins. Only ops within the block.
static bool is_later(const splitting *s, MlirOperation op) {
  return !stow_copies_is_before(stow_ir_op_in_block(s->block, op), s->link);
}

// Whether an op is within the block, and sees the buffer itself or a view of the same life.
static bool is_of_one_life(const splitting *s, MlirOperation op, MlirValue view) {
  return !mlirOperationIsNull(stow_ir_op_in_block(s->block, op)) &&
         (mlirValueEqual(view, s->buffer) ||
          is_later(s, op) == is_later(s, mlirOpResultGetOwner(view)));
}

static bool are_of_one_life(const splitting *s, const stow_op_list *ops) {
  bool all = true;
  for (size_t i = 0; i < ops->count; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops->at[i]); ++k) {
      MlirValue view = mlirOperationGetOperand(ops->at[i], k);
      if (mlirTypeIsAMemRef(mlirValueGetType(view)) &&
          mlirValueEqual(stow_ir_root_of(view), s->buffer))
        all &= is_of_one_life(s, ops->at[i], view);
    }
  return all;
}

// Whether both lives have uses, of which none sees the other.
static bool has_two_lives(const splitting *s) {
  bool earlier = false, alone = true;
  for (size_t i = 0; i < s->uses.touches.count && alone; ++i) {
    const stow_copies_touch *touch = &s->uses.touches.at[i];
    alone = is_of_one_life(s, touch->op, touch->view);
    earlier |= alone && !is_later(s, touch->op);
    if (alone && mlirOperationEqual(stow_ir_op_in_block(s->block, touch->op), s->link))
      alone = mlirOperationEqual(touch->op, s->link) && !touch->reads &&
              mlirValueEqual(touch->view, s->buffer);
  }
  return earlier && alone && are_of_one_life(s, &s->uses.views) &&
         are_of_one_life(s, &s->uses.asks);
}

static bool can_split(splitting *s, stow_copies_trial *trial) {
  s->block = mlirOperationGetBlock(s->link);
  return mlirBlockEqual(s->block, stow_block_of(s->buffer)) &&
         !(stow_op_facts(mlirBlockGetParentOperation(s->block)) & STOW_OP_GRAPH_REGION) &&
         stow_copies_afford(trial, &s->uses) && mlirOperationIsNull(s->uses.opaque) &&
         s->uses.deallocs.count == 0 && has_two_lives(s);
}

static void try_split(stow_copies_trial *trial, MlirOperation op, MlirValue buffer) {
  splitting s = {.link = op, .buffer = buffer};
  stow_copies_uses_of(buffer, &s.uses);
  if (can_split(&s, trial)) {
    stow_ir_begin_second_life(op, buffer);
    char *text = stow_ir_format("%llu bytes begin another life",
                                (unsigned long long)stow_ir_made_bytes(buffer));
    stow_copies_tell_done(trial, op, "split", text);
    free(text);
    stow_copies_note(trial, op, STOW_COPIES_FREE);
    ++trial->lives;
  }
  stow_copies_uses_free(&s.uses);
}

// A plan tells what the lives of a buffer of static size save, and nothing of others.
static void see(stow_copies_trial *trial, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue buffer = mlirOperationGetOperand(op, i);
    if (stow_ir_is_plainly_made(buffer) && stow_ir_made_bytes(buffer) > 0 &&
        stow_ir_overwrites(op, buffer))
      try_split(trial, op, buffer);
  }
}

void stow_copies_split(stow_copies_trial *trial) {
  for (size_t i = 0; i < trial->link_count; ++i)
    if (!mlirOperationIsNull(trial->ops[i]) && stow_copies_may(trial, trial->ops[i]))
      see(trial, trial->ops[i]);
}
