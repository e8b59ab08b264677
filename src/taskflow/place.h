//===- place.h - where a fused task may stand ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PLACE_H
#define STOWAGE_TASKFLOW_PLACE_H

#include "taskflow/loops.h"
#include "taskflow/task.h"

typedef struct stow_place {
  bool found;
  MlirOperation before;               // the task goes there: the reader's place, or the writer's
  stow_op_list moved;                 // ops in between that must come before it, in order
  MlirOperation blame_down, blame_up; // where none is found: what each move meets
} stow_place;

// Whether the writer can move down to the reader, or else the reader up to the writer, past all ops
// between them. Both are in one block, the writer first, and no versions are in use.
stow_place stow_find_place(const stow_task *writer, const stow_task *reader,
                           bool distinct_arguments);

void stow_place_free(stow_place *place);

#endif // STOWAGE_TASKFLOW_PLACE_H
