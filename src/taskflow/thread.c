//===- thread.c - versions of buffers, derived from program order -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/thread.h"

#include "ir/op.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static MlirWalkResult collect_task(MlirOperation op, void *user) {
  stow_tasks *tasks = user;
  if (!stow_is_task(op))
    return MlirWalkResultAdvance;
  tasks->items = stow_grow(tasks->items, tasks->count, &tasks->capacity, sizeof *tasks->items);
  tasks->items[tasks->count++] = op;
  return MlirWalkResultAdvance;
}

stow_tasks stow_tasks_of(MlirOperation function) {
  stow_tasks tasks = {0};
  mlirOperationWalk(function, collect_task, &tasks, MlirWalkPreOrder);
  return tasks;
}

void stow_tasks_free(stow_tasks *tasks) {
  free(tasks->items);
  *tasks = (stow_tasks){0};
}

stow_task_blocks stow_task_blocks_of(MlirOperation function) {
  stow_tasks tasks = stow_tasks_of(function);
  stow_task_blocks blocks = {stow_allocate(tasks.count, sizeof *blocks.items), 0};
  stow_map seen = {0};
  for (size_t i = 0; i < tasks.count; ++i) {
    MlirBlock block = mlirOperationGetBlock(tasks.items[i]);
    if (stow_map_note(&seen, block.ptr))
      blocks.items[blocks.count++] = block;
  }
  stow_map_free(&seen);
  stow_tasks_free(&tasks);
  return blocks;
}

void stow_task_blocks_free(stow_task_blocks *blocks) {
  free(blocks->items);
  *blocks = (stow_task_blocks){0};
}

//===----------------------------------------------------------------------===//
// No versions
//===----------------------------------------------------------------------===//

static void unthread_task(const stow_task *task) {
  for (intptr_t i = 0; i < task->read_outputs + task->write_outputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(task->op, i),
                                  stow_task_original_of_result(task, i));
}

void stow_unthread(MlirOperation function) {
  stow_tasks tasks = stow_tasks_of(function);
  for (size_t i = 0; i < tasks.count; ++i) {
    stow_task task = stow_task_of(tasks.items[i]);
    unthread_task(&task);
  }
  stow_tasks_free(&tasks);
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

// Of one block: per buffer that a task writes or reads, its newest version and the last task,
// counted from 0, that writes it; -1: none.
typedef struct versions {
  stow_values buffers;
  MlirValue *newest;
  int64_t *last_write;
  size_t newest_capacity, last_capacity;
} versions;

static size_t track(versions *v, MlirValue buffer) {
  size_t count = v->buffers.count, index = stow_values_add(&v->buffers, buffer);
  if (index < count)
    return index;
  v->newest = stow_grow(v->newest, count, &v->newest_capacity, sizeof *v->newest);
  v->last_write = stow_grow(v->last_write, count, &v->last_capacity, sizeof *v->last_write);
  v->newest[index] = buffer;
  v->last_write[index] = -1;
  return index;
}

static void free_versions(versions *v) {
  stow_values_free(&v->buffers);
  free(v->newest);
  free(v->last_write);
}

static void find_last_writes(versions *v, MlirBlock block) {
  int64_t ordinal = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!stow_is_task(op))
      continue;
    stow_task task = stow_task_of(op);
    for (intptr_t i = 0; i < task.reads; ++i)
      track(v, stow_task_original_read(&task, i));
    for (intptr_t i = 0; i < task.writes; ++i) {
      size_t index = track(v, stow_task_original_write(&task, i));
      v->last_write[index] = ordinal;
    }
    ++ordinal;
  }
}

// A read needs an output where a later task overwrites the buffer, unless the task writes it
// itself.
static stow_task with_read_outputs(const versions *v, stow_task task, int64_t ordinal) {
  bool *wanted = stow_allocate((size_t)task.reads, sizeof *wanted);
  intptr_t count = 0, agreeing = 0;
  for (intptr_t i = 0; i < task.reads; ++i) {
    MlirValue buffer = stow_task_original_read(&task, i);
    wanted[i] = v->last_write[stow_values_find(&v->buffers, buffer)] > ordinal;
    for (intptr_t w = 0; w < task.writes; ++w)
      wanted[i] &= !mlirValueEqual(stow_task_original_write(&task, w), buffer);
    agreeing += wanted[i] && count < task.read_outputs &&
                mlirValueEqual(stow_task_original_of_result(&task, count), buffer);
    count += wanted[i];
  }
  if (count != task.read_outputs || agreeing != count)
    task = stow_task_with_read_outputs(&task, wanted);
  free(wanted);
  return task;
}

static void thread_task(versions *v, stow_task task) {
  for (intptr_t i = 0; i < task.reads + task.writes; ++i) {
    MlirValue buffer = stow_task_original_of_argument(&task, i);
    mlirOperationSetOperand(task.op, i, v->newest[stow_values_find(&v->buffers, buffer)]);
  }
  for (intptr_t i = 0; i < task.read_outputs + task.write_outputs; ++i) {
    MlirValue buffer = stow_task_original_of_result(&task, i);
    v->newest[stow_values_find(&v->buffers, buffer)] = mlirOperationGetResult(task.op, i);
  }
}

static bool leaves_block(MlirOperation op) {
  return mlirOperationIsNull(mlirOperationGetNextInBlock(op));
}

static MlirWalkResult thread_op(MlirOperation op, void *user) {
  const versions *v = user;
  if (stow_is_task(op) || stow_is(op, STOW_TASKFLOW_YIELD))
    return MlirWalkResultSkip;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    int32_t index = stow_values_find(&v->buffers, mlirOperationGetOperand(op, i));
    if (index >= 0 && (leaves_block(op) || stow_operand_effects(op, i)))
      mlirOperationSetOperand(op, i, v->newest[index]);
  }
  return MlirWalkResultAdvance;
}

static void thread_block(MlirBlock block) {
  versions v = {0};
  find_last_writes(&v, block);
  int64_t ordinal = 0;
  MlirOperation next = mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(next)) {
    MlirOperation op = next;
    next = mlirOperationGetNextInBlock(op);
    if (stow_is_task(op))
      thread_task(&v, with_read_outputs(&v, stow_task_of(op), ordinal++));
    else
      mlirOperationWalk(op, thread_op, &v, MlirWalkPreOrder);
  }
  free_versions(&v);
}

void stow_thread(MlirOperation function) {
  stow_unthread(function);
  stow_task_blocks blocks = stow_task_blocks_of(function);
  for (size_t i = 0; i < blocks.count; ++i)
    thread_block(blocks.items[i]);
  stow_task_blocks_free(&blocks);
}
