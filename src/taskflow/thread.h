//===- thread.h - versions of buffers, derived from program order -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which version an operand is follows from the order of tasks in their block, and
// from nothing else. So a pass that moves or makes tasks lets every operand be the
// buffer itself, works, and derives the versions again.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_THREAD_H
#define STOWAGE_TASKFLOW_THREAD_H

#include "taskflow/task.h"

// The tasks of a function in program order. Owned by the caller.
typedef struct stow_tasks {
  MlirOperation *items;
  size_t count, capacity;
} stow_tasks;

stow_tasks stow_tasks_of(MlirOperation function);
void stow_tasks_free(stow_tasks *tasks);

// The blocks of a function that hold tasks; those of outer tasks first. Owned by the caller.
typedef struct stow_task_blocks {
  MlirBlock *items;
  size_t count;
} stow_task_blocks;

stow_task_blocks stow_task_blocks_of(MlirOperation function);
void stow_task_blocks_free(stow_task_blocks *blocks);

// Replaces every version of a buffer by the buffer.
void stow_unthread(MlirOperation function);

// Makes each task and each op that touches memory take the newest version of each buffer, and gives
// tasks the read outputs that a later write in the same block needs.
void stow_thread(MlirOperation function);

#endif // STOWAGE_TASKFLOW_THREAD_H
