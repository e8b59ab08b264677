//===- thread.c - versions of buffers, derived from program order -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/thread.h"

#include "ir/op.h"
#include "taskflow/memory.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

stow_op_list stow_tasks_of(MlirOperation function) {
  return stow_ir_ops_in(function, stow_taskflow_is_task);
}

stow_block_set stow_task_blocks_of(MlirOperation function) {
  stow_block_set blocks = {0};
  STOW_EACH_FOUND(task, stow_tasks_of(function))
    STOW_INCLUDE(blocks, mlirOperationGetBlock(task));
  return blocks;
}

//===----------------------------------------------------------------------===//
// No versions
//===----------------------------------------------------------------------===//

static void unthread_task(const stow_task *task) {
  for (intptr_t i = 0; i < task->read_outputs + task->write_outputs; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(task->op, i),
                                  stow_task_original_of_result(task, i));
}

void stow_taskflow_unthread(MlirOperation function) {
  STOW_EACH_FOUND(op, stow_tasks_of(function)) {
    stow_task task = stow_task_of(op);
    unthread_task(&task);
  }
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

// Of one block: per buffer that a task writes or reads, its newest version and the last task,
// counted from 0, that writes it; -1: none.
typedef struct versions {
  stow_values buffers;
  STOW_ARRAY(MlirValue) newest;
  STOW_ARRAY(int64_t) last_write;
} versions;

static size_t track(versions *v, MlirValue buffer) {
  size_t index = stow_values_add(&v->buffers, buffer);
  if (index == v->newest.count) {
    STOW_PUSH(v->newest, buffer);
    STOW_PUSH(v->last_write, -1);
  }
  return index;
}

static void free_versions(versions *v) {
  stow_values_free(&v->buffers);
  free(v->newest.at);
  free(v->last_write.at);
}

static void find_last_writes(versions *v, MlirBlock block) {
  int64_t ordinal = 0;
  STOW_EACH_OP(op, block) {
    if (!stow_taskflow_is_task(op))
      continue;
    stow_task task = stow_task_of(op);
    for (intptr_t i = 0; i < task.reads; ++i)
      track(v, stow_task_original_read(&task, i));
    for (intptr_t i = 0; i < task.writes; ++i) {
      size_t index = track(v, stow_task_original_write(&task, i));
      v->last_write.at[index] = ordinal;
    }
    ++ordinal;
  }
}

// A read needs an output where a later task overwrites the buffer, unless the task writes it
// itself.
static stow_task with_read_outputs(const versions *v, stow_task task, int64_t ordinal) {
  bool *wanted = stow_ir_allocate((size_t)task.reads, sizeof *wanted);
  intptr_t count = 0, agreeing = 0;
  for (intptr_t i = 0; i < task.reads; ++i) {
    MlirValue buffer = stow_task_original_read(&task, i);
    wanted[i] = v->last_write.at[stow_values_find(&v->buffers, buffer)] > ordinal;
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
    mlirOperationSetOperand(task.op, i, v->newest.at[stow_values_find(&v->buffers, buffer)]);
  }
  for (intptr_t i = 0; i < task.read_outputs + task.write_outputs; ++i) {
    MlirValue buffer = stow_task_original_of_result(&task, i);
    v->newest.at[stow_values_find(&v->buffers, buffer)] = mlirOperationGetResult(task.op, i);
  }
}

static bool leaves_block(MlirOperation op) {
  return mlirOperationIsNull(mlirOperationGetNextInBlock(op));
}

static void thread_operands(const versions *v, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    int32_t index = stow_values_find(&v->buffers, mlirOperationGetOperand(op, i));
    if (index >= 0 && (leaves_block(op) || stow_taskflow_operand_effects(op, i)))
      mlirOperationSetOperand(op, i, v->newest.at[index]);
  }
}

static void thread_op(const versions *v, MlirOperation own) {
  bool inside = true;
  for (MlirOperation op = own; !mlirOperationIsNull(op); op = stow_ir_next_of(own, op, inside)) {
    inside = !stow_taskflow_is_task(op) && !stow_ir_is(op, STOW_TASKFLOW_YIELD);
    if (inside)
      thread_operands(v, op);
  }
}

static void thread_block(MlirBlock block) {
  versions v = {0};
  find_last_writes(&v, block);
  int64_t ordinal = 0;
  STOW_EACH_OP_THAT_MAY_GO(op, block) {
    if (stow_taskflow_is_task(op))
      thread_task(&v, with_read_outputs(&v, stow_task_of(op), ordinal++));
    else
      thread_op(&v, op);
  }
  free_versions(&v);
}

void stow_taskflow_thread(MlirOperation function) {
  stow_taskflow_unthread(function);
  stow_block_set blocks = stow_task_blocks_of(function);
  for (size_t i = 0; i < blocks.count; ++i)
    thread_block(blocks.at[i]);
  STOW_SET_FREE(blocks);
}
