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

#include "taskflow/loops.h"
#include "taskflow/task.h"

// The tasks of a function in program order, and the blocks that hold some; those of outer tasks
// first. Freed with free(list.at).
stow_op_list stow_tasks_of(MlirOperation function);
stow_block_set stow_task_blocks_of(MlirOperation function);

// Replaces every version of a buffer by the buffer.
void stow_taskflow_unthread(MlirOperation function);

// Makes each task and each op that touches memory take the newest version of each buffer, and gives
// tasks the read outputs that a later write in the same block needs.
void stow_taskflow_thread(MlirOperation function);

#endif // STOWAGE_TASKFLOW_THREAD_H
