//===- unread.c - buffers that are written and never read ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion takes away a buffer that a pair of tasks alone uses. One that others stored
// to may be left with its stores. Tasks are looked at from the last to the first, so
// that what was read only for stores that are gone is unread when its turn comes.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "ir/op.h"
#include "taskflow/memory.h"
#include "taskflow/open.h"
#include "taskflow/ops.h"
#include "taskflow/thread.h"

//===----------------------------------------------------------------------===//
// Which buffers
//===----------------------------------------------------------------------===//

static bool is_only_yielded_or_stored_to(MlirValue argument) {
  STOW_EACH_USE(use, argument) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool stored_to = stow_taskflow_is_store(user) && mlirOpOperandGetOperandNumber(use) == 1;
    if (!stored_to && !stow_ir_is(user, STOW_TASKFLOW_YIELD))
      return false;
  }
  return true;
}

static bool task_only_stores(const stow_task *task, MlirValue buffer) {
  for (intptr_t i = 0; i < task->reads + task->writes; ++i)
    if (mlirValueEqual(stow_task_original_of_argument(task, i), buffer) &&
        !is_only_yielded_or_stored_to(mlirBlockGetArgument(task->body, i)))
      return false;
  return true;
}

static bool is_unread(MlirValue buffer) {
  if (!stow_ir_is_local_allocation(buffer))
    return false;
  STOW_EACH_USE(use, buffer) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (stow_ir_is_dealloc(user))
      continue;
    if (!stow_taskflow_is_task(user))
      return false;
    stow_task task = stow_task_of(user);
    if (!task_only_stores(&task, buffer))
      return false;
  }
  return true;
}

static bool is_used_by_a_task(MlirValue buffer) {
  STOW_EACH_USE(use, buffer)
    if (stow_taskflow_is_task(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

static stow_values unread_buffers_of(const stow_task *task) {
  stow_values unread = {0};
  for (intptr_t i = 0; i < task->reads + task->writes; ++i)
    if (is_unread(stow_task_original_of_argument(task, i)))
      stow_values_add(&unread, stow_task_original_of_argument(task, i));
  return unread;
}

//===----------------------------------------------------------------------===//
// Tasks without them
//===----------------------------------------------------------------------===//

static void see_effect(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  (void)op;
  *(bool *)user |= mlirValueIsNull(memref) || (effects & (STOW_WRITE | STOW_FREE));
}

static bool does_nothing(const stow_task *task) {
  bool acts = task->writes > 0;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(task->op); i < n; ++i)
    acts |= stow_taskflow_value_is_used(mlirOperationGetResult(task->op, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(task->body); !acts && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    stow_taskflow_walk_memory(op, see_effect, &acts);
  return !acts;
}

static void remake_without(const stow_task *task, const stow_values *buffers) {
  stow_open_pair open = stow_taskflow_open_alone(task);
  for (size_t i = 0; i < buffers->count; ++i)
    stow_taskflow_remove_stores(open.body, buffers->at[i]);
  stow_taskflow_remove_unused(open.body);
  const stow_task made = stow_taskflow_open_replace(&open, task);
  if (does_nothing(&made))
    mlirOperationDestroy(made.op);
}

// Counts and erases those of `buffers` that no task uses any more.
static void erase_buffers(const stow_values *buffers, size_t *out_buffers, uint64_t *out_bytes) {
  for (size_t i = 0; i < buffers->count; ++i) {
    uint64_t bytes = 0;
    if (is_used_by_a_task(buffers->at[i]))
      continue;
    *out_bytes += stow_taskflow_allocation_bytes(buffers->at[i], &bytes) ? bytes : 0;
    *out_buffers += 1;
    stow_taskflow_erase_allocation(buffers->at[i]);
  }
}

// Whether it found any.
static bool sweep(MlirOperation function, size_t *out_buffers, uint64_t *out_bytes) {
  stow_op_list tasks = stow_tasks_of(function);
  bool any = false;
  for (size_t i = tasks.count; i-- > 0;) {
    stow_task task = stow_task_of(tasks.at[i]);
    stow_values unread = unread_buffers_of(&task);
    any |= unread.count > 0;
    if (unread.count > 0)
      remake_without(&task, &unread);
    erase_buffers(&unread, out_buffers, out_bytes);
    stow_values_free(&unread);
  }
  free(tasks.at);
  return any;
}

void stow_taskflow_remove_unread(MlirOperation function, size_t *out_buffers, uint64_t *out_bytes) {
  while (sweep(function, out_buffers, out_bytes)) {
  }
}
