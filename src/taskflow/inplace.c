//===- inplace.c - a buffer in the place of one that ends ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task reads a buffer for the last time and writes another one of its type for the first time.
// Where no cell of the new one is stored before the last access to the same cell of the old one,
// the two can be one buffer. So a chain of elementwise tasks works on one buffer, whatever the
// loops between have to look like.
//
// That helps where the buffer stays whole. Where it would be forwarded or have a window, it ties
// tasks together that were apart; so it is a choice of the search (search.c).
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "ir/build.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/memory.h"
#include "taskflow/pairs.h"
#include "taskflow/thread.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Order in the task
//===----------------------------------------------------------------------===//

// The loops around both ops, outermost first.
static stow_op_list common_loops(MlirOperation a, MlirOperation b) {
  stow_op_list inward = {0}, loops = {0};
  for (MlirOperation op = mlirOperationGetParentOperation(a); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op))
    if (stow_taskflow_is_loop(op) && stow_ir_is_inside(b, op))
      STOW_PUSH(inward, op);
  for (size_t i = inward.count; i-- > 0;)
    STOW_PUSH(loops, inward.at[i]);
  free(inward.at);
  return loops;
}

// Whether `first` stands before `second`, or in another part of the same op, in the innermost block
// around both.
static bool stands_before(MlirOperation first, MlirOperation second) {
  for (;; first = mlirOperationGetParentOperation(first)) {
    MlirOperation other = second;
    while (!mlirOperationIsNull(other) &&
           !mlirBlockEqual(mlirOperationGetBlock(other), mlirOperationGetBlock(first)))
      other = mlirOperationGetParentOperation(other);
    if (!mlirOperationIsNull(other))
      return mlirOperationEqual(first, other) || mlirOperationIsBeforeInBlock(first, other);
  }
}

// Whether `store` may run before an execution of `access` whose index is the same.
static bool may_run_before(MlirOperation store, MlirOperation access) {
  stow_op_list loops = common_loops(store, access);
  stow_iteration_relation *relations = stow_ir_allocate(loops.count + 1, sizeof *relations);
  bool may = false;
  for (size_t l = 0; l < loops.count && !may; ++l) {
    relations[l] = (stow_iteration_relation){loops.at[l], loops.at[l], 0, STOW_ITERATION_AFTER, 0};
    may = stow_taskflow_may_meet(store, access, relations, l + 1);
    relations[l].order = STOW_ITERATION_SAME;
  }
  may = may || (stands_before(store, access) &&
                stow_taskflow_may_meet(store, access, relations, loops.count));
  free(relations);
  free(loops.at);
  return may;
}

// Whether affine loops and conditions alone are around an op of the task.
static bool is_in_order(MlirOperation op, MlirOperation shell) {
  do
    op = mlirOperationGetParentOperation(op);
  while (stow_taskflow_is_loop(op) || stow_ir_is(op, STOW_AFFINE_IF));
  return mlirOperationEqual(op, shell);
}

static bool list_accesses(MlirOperation shell, MlirValue buffer, stow_op_list *out) {
  bool all = true;
  STOW_EACH_USE(use, buffer)
    if (stow_ir_is_inside(mlirOpOperandGetOwner(use), shell)) {
      all &= stow_taskflow_names_accessed(use) && is_in_order(mlirOpOperandGetOwner(use), shell);
      STOW_PUSH(*out, mlirOpOperandGetOwner(use));
    }
  return all;
}

// Whether the task stores no cell of `fresh` before it is through with the cell of `old`.
static bool follows_cell_by_cell(MlirOperation shell, MlirValue old, MlirValue fresh) {
  stow_op_list before = {0}, after = {0};
  bool follows = list_accesses(shell, old, &before) && list_accesses(shell, fresh, &after);
  for (size_t i = 0; i < after.count && follows; ++i)
    for (size_t k = 0; k < before.count && follows; ++k)
      follows = !stow_taskflow_is_store(after.at[i]) || !may_run_before(after.at[i], before.at[k]);
  free(before.at);
  free(after.at);
  return follows;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Whether it is of known size, and its cells are apart.
static bool is_plain(MlirValue buffer, uint64_t *out_bytes) {
  return stow_ir_is_local_allocation(buffer) && stow_taskflow_allocation_bytes(buffer, out_bytes) &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(mlirValueGetType(buffer)));
}

static bool are_alike(MlirValue a, MlirValue b) {
  const MlirOperation first = mlirOpResultGetOwner(a), second = mlirOpResultGetOwner(b);
  return !mlirValueEqual(a, b) && mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)) &&
         mlirIdentifierEqual(mlirOperationGetName(first), mlirOperationGetName(second)) &&
         mlirAttributeEqual(stow_bridge_op_attributes(first), stow_bridge_op_attributes(second));
}

// Whether only tasks and deallocs of the task's block use the buffer, and the tasks are not after
// this one, or else not before it.
static bool lives_on_one_side(MlirValue buffer, MlirOperation task, bool before) {
  const MlirBlock block = mlirOperationGetBlock(task);
  if (!stow_taskflow_only_tasks_use(buffer, block))
    return false;
  STOW_EACH_USE(use, buffer) {
    const MlirOperation user = mlirOpOperandGetOwner(use);
    if (!mlirBlockEqual(mlirOperationGetBlock(user), block))
      return false;
    if (stow_taskflow_is_task(user) && !mlirOperationEqual(user, task) &&
        mlirOperationIsBeforeInBlock(user, task) != before)
      return false;
  }
  return true;
}

// Lets `fresh` take the place of `old` where it may. The task is made anew then; null: it is not.
static MlirOperation take_place(MlirOperation op, MlirValue old, MlirValue fresh) {
  const MlirOperation none = {NULL};
  if (!are_alike(old, fresh) || !lives_on_one_side(old, op, true) ||
      !lives_on_one_side(fresh, op, false))
    return none;
  const stow_task task = stow_task_of(op);
  stow_open_pair open = stow_taskflow_open_alone(&task);
  stow_taskflow_open_compose(&open);
  if (!follows_cell_by_cell(open.shell, old, fresh)) {
    stow_taskflow_open_drop(&open);
    return none;
  }
  stow_ir_erase_deallocs(old);
  mlirValueReplaceAllUsesOfWith(fresh, old);
  const stow_task made = stow_taskflow_open_replace(&open, &task);
  mlirOperationDestroy(mlirOpResultGetOwner(fresh));
  return made.op;
}

// What became of a task of which some buffer that it writes took the place of one that it reads;
// null: there is none. Adds the buffer's bytes.
static MlirOperation reuse_one(MlirOperation op, uint64_t *bytes) {
  const stow_task task = stow_task_of(op);
  for (intptr_t w = 0; w < task.writes; ++w)
    for (intptr_t r = 0; r < task.reads; ++r) {
      const MlirValue old = stow_task_original_read(&task, r),
                      fresh = stow_task_original_write(&task, w);
      uint64_t gone;
      if (!is_plain(old, &gone) || !is_plain(fresh, &gone))
        continue;
      const MlirOperation made = take_place(op, old, fresh);
      if (mlirOperationIsNull(made))
        continue;
      *bytes += gone;
      return made;
    }
  return (MlirOperation){NULL};
}

void stow_taskflow_work_in_place(MlirOperation function, size_t *out_buffers, uint64_t *out_bytes) {
  stow_op_list tasks = stow_tasks_of(function);
  for (size_t i = tasks.count; i-- > 0;)
    for (MlirOperation made = reuse_one(tasks.at[i], out_bytes); !mlirOperationIsNull(made);
         made = reuse_one(made, out_bytes))
      ++*out_buffers;
  free(tasks.at);
}
