//===- place.c - where a fused task may stand ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a writer and a reader in one block. Computes whether the writer can move down to the
// reader, or the reader up to the writer with what must come before it, by what each op between
// touches and uses.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "ir/op.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What tasks touch
//===----------------------------------------------------------------------===//

// Whether a task touches memory that is neither in its lists nor its own.
static bool touches_others(const stow_task *task) {
  stow_effects effects;
  stow_effects_of(task->op, &effects);
  const bool others = effects.other != 0;
  stow_effects_free(&effects);
  return others;
}

static stow_touch touch_of(MlirValue memref, bool writes) {
  const MlirValue root = stow_ir_root_of(memref);
  return (stow_touch){root, stow_ir_is_local_allocation(root), writes};
}

// All that the task touches, apart from the buffer `but`.
static stow_footprint read_footprint(const stow_task *task, MlirValue but) {
  stow_footprint print = {.known = true, .others = touches_others(task)};
  for (intptr_t i = 0; i < task->reads + task->writes; ++i) {
    const MlirValue buffer = stow_task_original_of_argument(task, i);
    if (!mlirValueEqual(buffer, but))
      STOW_PUSH(print.touches, touch_of(buffer, i >= task->reads));
  }
  return print;
}

static const stow_footprint *footprint_of(stow_footprints *prints, MlirOperation op) {
  const size_t number = (size_t)stow_map_get(&prints->numbers, op.ptr);
  while (prints->list.count <= number)
    STOW_PUSH(prints->list, (stow_footprint){.known = false});
  stow_footprint *print = &prints->list.at[number];
  if (!print->known) {
    const stow_task task = stow_task_of(op);
    *print = read_footprint(&task, (MlirValue){NULL});
  }
  return print;
}

void stow_footprints_free(stow_footprints *prints) {
  STOW_EACH(stow_footprint, print, prints->list)
    free(print->touches.at);
  free(prints->list.at);
  stow_map_free(&prints->numbers);
}

//===----------------------------------------------------------------------===//
// Conflicts of an op with a task
//===----------------------------------------------------------------------===//

static bool touches_conflict(const stow_touch *a, const stow_touch *b, bool distinct_arguments) {
  if (!a->writes && !b->writes)
    return false;
  if (mlirValueEqual(a->root, b->root))
    return true;
  return !(a->local && b->local) && stow_ir_may_alias(a->root, b->root, distinct_arguments);
}

static bool conflicts_with_touch(const stow_footprint *print, const stow_touch *touch,
                                 bool distinct_arguments) {
  bool conflict = print->others;
  for (size_t i = 0; i < print->touches.count && !conflict; ++i)
    conflict = touches_conflict(&print->touches.at[i], touch, distinct_arguments);
  return conflict;
}

// A task conflicts by its lists; what its body does under other names it does to them, but for
// memory that is in no list.
static bool footprints_conflict(const stow_footprint *a, const stow_footprint *b,
                                bool distinct_arguments) {
  bool conflict = b->others;
  for (size_t i = 0; i < b->touches.count && !conflict; ++i)
    conflict = conflicts_with_touch(a, &b->touches.at[i], distinct_arguments);
  return conflict;
}

bool stow_tasks_conflict(const stow_task *one, const stow_task *other, MlirValue but,
                         bool distinct_arguments) {
  stow_footprint a = read_footprint(one, (MlirValue){NULL}), b = read_footprint(other, but);
  const bool conflict = footprints_conflict(&a, &b, distinct_arguments);
  free(a.touches.at);
  free(b.touches.at);
  return conflict;
}

typedef struct comparison {
  const stow_footprint *print;
  bool distinct_arguments, conflict;
} comparison;

static void compare(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  (void)op;
  comparison *c = user;
  if (mlirValueIsNull(memref) || c->conflict) {
    c->conflict = true;
    return;
  }
  const stow_touch touch = touch_of(memref, effects & (STOW_WRITE | STOW_FREE));
  c->conflict = conflicts_with_touch(c->print, &touch, c->distinct_arguments);
}

static bool conflicts(stow_footprints *prints, MlirOperation task, MlirOperation op,
                      bool distinct_arguments) {
  if (stow_taskflow_is_task(op)) {
    const stow_footprint of_op = *footprint_of(prints, op);
    return footprints_conflict(footprint_of(prints, task), &of_op, distinct_arguments);
  }
  comparison c = {footprint_of(prints, task), distinct_arguments, false};
  stow_taskflow_walk_memory(op, compare, &c);
  return c.conflict;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool has_result_of(MlirOperation op, MlirOperation maker) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(operand) && mlirOperationEqual(mlirOpResultGetOwner(operand), maker))
      return true;
  }
  return false;
}

// Ops in a task take nothing from outside.
bool stow_taskflow_uses_result_of(MlirOperation user, MlirOperation maker) {
  if (mlirOperationGetNumResults(maker) == 0)
    return false;
  if (stow_taskflow_is_task(user))
    return has_result_of(user, maker);
  STOW_EACH_OP_OF(op, user)
    if (has_result_of(op, maker))
      return true;
  return false;
}

// Ops that may run earlier than they do, if their operands are there.
static bool may_rise(MlirOperation op) {
  if (stow_ir_is_allocation(op))
    return true;
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) > 0 &&
         (stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN) && stow_taskflow_has_no_effects(op);
}

//===----------------------------------------------------------------------===//
// The two places
//===----------------------------------------------------------------------===//

static stow_op_list ops_between(MlirOperation writer, MlirOperation reader) {
  stow_op_list between = {0};
  for (MlirOperation op = mlirOperationGetNextInBlock(writer); !mlirOperationEqual(op, reader);
       op = mlirOperationGetNextInBlock(op))
    STOW_PUSH(between, op);
  return between;
}

stow_move stow_move_down(stow_footprints *prints, MlirOperation writer, MlirOperation reader,
                         bool distinct_arguments) {
  stow_move move = {.possible = true};
  for (MlirOperation op = mlirOperationGetNextInBlock(writer);
       move.possible && !mlirOperationEqual(op, reader); op = mlirOperationGetNextInBlock(op)) {
    move.possible = !stow_taskflow_uses_result_of(op, writer) &&
                    !conflicts(prints, writer, op, distinct_arguments);
    if (!move.possible)
      move.blame = op;
  }
  return move;
}

static bool must_precede(stow_footprints *prints, MlirOperation op, MlirOperation follower,
                         bool distinct_arguments) {
  return stow_taskflow_uses_result_of(follower, op) ||
         (stow_taskflow_is_task(follower) && conflicts(prints, follower, op, distinct_arguments));
}

// Whether an op that must come before the reader can come before the writer.
static bool can_precede(stow_footprints *prints, MlirOperation op, MlirOperation writer,
                        bool distinct_arguments) {
  return (stow_taskflow_is_task(op) || may_rise(op)) && !stow_taskflow_uses_result_of(op, writer) &&
         !must_precede(prints, op, writer, distinct_arguments);
}

stow_move stow_move_up(stow_footprints *prints, MlirOperation writer, MlirOperation reader,
                       bool distinct_arguments) {
  enum { MOST = 32 };
  stow_op_list followers = {0}; // from the last to the first: the reader, and what rises
  stow_op_list between = ops_between(writer, reader);
  stow_move move = {.possible = true};
  STOW_PUSH(followers, reader);
  for (size_t k = between.count; move.possible && k-- > 0;) {
    const MlirOperation op = between.at[k];
    bool precedes = false;
    for (size_t i = 0; i < followers.count && !precedes; ++i)
      precedes = must_precede(prints, op, followers.at[i], distinct_arguments);
    if (!precedes)
      continue;
    move.possible = followers.count <= MOST && can_precede(prints, op, writer, distinct_arguments);
    if (move.possible)
      STOW_PUSH(followers, op);
    else
      move.blame = op;
  }
  for (size_t i = followers.count; move.possible && i-- > 1;)
    STOW_PUSH(move.rising, followers.at[i]);
  free(followers.at);
  free(between.at);
  return move;
}

void stow_move_free(stow_move *move) {
  free(move->rising.at);
  *move = (stow_move){0};
}
