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

typedef struct stow_move {
  bool possible;
  MlirOperation blame; // what is in the way, where it is not possible
  stow_op_list rising; // what lies between and must come before the task, in order
} stow_move;

// Whether the writer can move down to the reader, or the reader up to the writer, past all ops
// between them. Both are in one block, the writer first, and no versions are in use.
stow_move stow_move_down(const stow_task *writer, const stow_task *reader, bool distinct_arguments);
stow_move stow_move_up(const stow_task *writer, const stow_task *reader, bool distinct_arguments);

void stow_move_free(stow_move *move);

#endif // STOWAGE_TASKFLOW_PLACE_H
