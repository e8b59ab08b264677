//===- fill.h - filling one memory by first fit ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_FILL_H
#define STOWAGE_PLAN_FILL_H

#include "memory.h"

typedef struct stow_filling {
  const stow_problem *problem;
  uint32_t space;
  const uint32_t *wanted;   // the buffers that may go there, ascending; a group's all, or none
  uint32_t wanted_count;    //
  const uint32_t *group_of; // per buffer
  const uint64_t *first;    // per group: those of the largest number go first; NULL: all alike
  uint32_t *assigned;       // per group: becomes `space` where it fits
  uint64_t *offsets;        // per buffer: of those that do
  uint64_t arena_size;      // what they take
} stow_filling;

// Places the largest groups first, of those that `first` has as equal; each as low as it can lie.
// Who does not fit below the space's capacity, stays out.
stow_status stow_fill_space(stow_filling *filling, const stow_allocator *allocator);

#endif // STOWAGE_PLAN_FILL_H
