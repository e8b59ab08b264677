//===- open.h - two tasks, opened into one body -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion works on copies, so that what does not succeed leaves no trace. The writer's
// body and then the reader's stand one after the other in a shell, a task without
// operands that is in no block; they use the function's buffers and values directly,
// and where both tasks take equal values, the same one. That is a program already;
// the steps of a fusion each make another, equal one of it.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_OPEN_H
#define STOWAGE_TASKFLOW_OPEN_H

#include "taskflow/loops.h"
#include "taskflow/task.h"

typedef struct stow_open_pair {
  MlirOperation shell;
  MlirBlock body;              // ends in a taskflow.yield of the writer's values, then the reader's
  MlirOperation reader_begins; // the reader's first op; the yield where it has none
} stow_open_pair;

stow_open_pair stow_taskflow_open(const stow_task *writer, const stow_task *reader);

// The same of one task alone; `reader_begins` is the yield.
stow_open_pair stow_taskflow_open_alone(const stow_task *task);

// Rewrites every access so that its index names loop variables and values from outside directly.
void stow_taskflow_open_compose(const stow_open_pair *pair);

void stow_taskflow_open_drop(stow_open_pair *pair);

// Whether `load` was the writer's. Loads that passes make from it are, too.
bool stow_taskflow_is_writers_load(MlirOperation load);

// Makes `load` the writer's where `like` is a load that was.
void stow_taskflow_mark_like(MlirOperation load, MlirOperation like);

// Makes a task of the pair, before `before`.
stow_task stow_taskflow_open_close(stow_open_pair *pair, MlirLocation location, MlirStringRef name,
                                   MlirOperation before);

// Puts what was opened of `task` alone in its place.
stow_task stow_taskflow_open_replace(stow_open_pair *pair, const stow_task *task);

#endif // STOWAGE_TASKFLOW_OPEN_H
