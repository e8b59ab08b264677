//===- place.c - where a fused task may stand ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "ir/op.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Conflicts of an op with a task
//===----------------------------------------------------------------------===//

static bool conflicts_with_argument(const stow_task *task, intptr_t index, MlirValue root,
                                    uint8_t effects, bool distinct_arguments) {
  bool writes = effects & (STOW_WRITE | STOW_FREE), task_writes = index >= task->reads;
  return (writes || task_writes) &&
         stow_may_alias(stow_root_of(stow_task_original_of_argument(task, index)), root,
                        distinct_arguments);
}

// Whether a task touches memory that is neither in its lists nor its own.
static bool touches_others(const stow_task *task) {
  stow_effects effects = stow_effects_of(task->op);
  const bool others = effects.other != 0;
  stow_effects_free(&effects);
  return others;
}

typedef struct comparison {
  const stow_task *task;
  bool others; // that the task touches
  bool distinct_arguments, conflict;
} comparison;

static void compare(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  (void)op;
  comparison *c = user;
  if (mlirValueIsNull(memref) || c->others) {
    c->conflict = true;
    return;
  }
  for (intptr_t i = 0; i < c->task->reads + c->task->writes && !c->conflict; ++i)
    c->conflict =
        conflicts_with_argument(c->task, i, stow_root_of(memref), effects, c->distinct_arguments);
}

// A task conflicts by its lists; what its body does under other names it does to them, but for
// memory that is in no list.
static void compare_task(comparison *c, const stow_task *other) {
  c->conflict = touches_others(other);
  for (intptr_t i = 0; i < other->reads + other->writes; ++i)
    compare(c, other->op, stow_task_original_of_argument(other, i),
            i < other->reads ? STOW_READ : STOW_WRITE);
}

bool stow_tasks_conflict(const stow_task *one, const stow_task *other, MlirValue but,
                         bool distinct_arguments) {
  comparison c = {one, touches_others(one), distinct_arguments, touches_others(other)};
  for (intptr_t i = 0; i < other->reads + other->writes && !c.conflict; ++i) {
    const MlirValue buffer = stow_task_original_of_argument(other, i);
    if (!mlirValueEqual(buffer, but))
      compare(&c, other->op, buffer, i < other->reads ? STOW_READ : STOW_WRITE);
  }
  return c.conflict;
}

static bool conflicts(comparison *c, MlirOperation op) {
  if (!stow_is_task(op)) {
    stow_walk_memory(op, compare, c);
    return c->conflict;
  }
  stow_task other = stow_task_of(op);
  compare_task(c, &other);
  return c->conflict;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool stow_uses_result_of(MlirOperation user, MlirOperation maker) {
  STOW_EACH_OP_OF(op, user)
    for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      if (mlirValueIsAOpResult(operand) && mlirOperationEqual(mlirOpResultGetOwner(operand), maker))
        return true;
    }
  return false;
}

// Ops that may run earlier than they do, if their operands are there.
static bool may_rise(MlirOperation op) {
  if (stow_is_allocation(op))
    return true;
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) > 0 &&
         (stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN) && stow_has_no_effects(op);
}

//===----------------------------------------------------------------------===//
// The two places
//===----------------------------------------------------------------------===//

static stow_op_list ops_between(const stow_task *writer, const stow_task *reader) {
  stow_op_list between = {0};
  for (MlirOperation op = mlirOperationGetNextInBlock(writer->op);
       !mlirOperationEqual(op, reader->op); op = mlirOperationGetNextInBlock(op))
    STOW_PUSH(between, op);
  return between;
}

stow_move stow_move_down(const stow_task *writer, const stow_task *reader,
                         bool distinct_arguments) {
  stow_move move = {.possible = true};
  comparison c = {writer, touches_others(writer), distinct_arguments, false};
  for (MlirOperation op = mlirOperationGetNextInBlock(writer->op);
       move.possible && !mlirOperationEqual(op, reader->op); op = mlirOperationGetNextInBlock(op)) {
    move.possible = !stow_uses_result_of(op, writer->op) && !conflicts(&c, op);
    if (!move.possible)
      move.blame = op;
  }
  return move;
}

// An op before which others must come, and what it touches if it is a task.
typedef struct follower {
  MlirOperation op;
  stow_task task; // of no op where it is none
  bool others;
} follower;

static follower follower_of(MlirOperation op) {
  if (!stow_is_task(op))
    return (follower){.op = op};
  const stow_task task = stow_task_of(op);
  return (follower){op, task, touches_others(&task)};
}

static bool must_precede(MlirOperation op, const follower *f, bool distinct_arguments) {
  comparison c = {&f->task, f->others, distinct_arguments, false};
  return stow_uses_result_of(f->op, op) || (!mlirOperationIsNull(f->task.op) && conflicts(&c, op));
}

// Whether an op that must come before the reader can come before the writer.
static bool can_precede(MlirOperation op, const follower *writer, bool distinct_arguments) {
  return (stow_is_task(op) || may_rise(op)) && !stow_uses_result_of(op, writer->op) &&
         !must_precede(op, writer, distinct_arguments);
}

stow_move stow_move_up(const stow_task *writer, const stow_task *reader, bool distinct_arguments) {
  enum { MOST = 32 };
  STOW_ARRAY(follower) followers = {0}; // from the last to the first: the reader, and what rises
  const follower first = follower_of(writer->op);
  stow_op_list between = ops_between(writer, reader);
  stow_move move = {.possible = true};
  STOW_PUSH(followers, follower_of(reader->op));
  for (size_t k = between.count; move.possible && k-- > 0;) {
    const MlirOperation op = between.at[k];
    bool precedes = false;
    for (size_t i = 0; i < followers.count && !precedes; ++i)
      precedes = must_precede(op, &followers.at[i], distinct_arguments);
    if (!precedes)
      continue;
    move.possible = followers.count <= MOST && can_precede(op, &first, distinct_arguments);
    if (move.possible)
      STOW_PUSH(followers, follower_of(op));
    else
      move.blame = op;
  }
  for (size_t i = followers.count; move.possible && i-- > 1;)
    STOW_PUSH(move.rising, followers.at[i].op);
  free(followers.at);
  free(between.at);
  return move;
}

void stow_move_free(stow_move *move) {
  free(move->rising.at);
  *move = (stow_move){0};
}
