//===- pairs.h - writers and readers that may become one task -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PAIRS_H
#define STOWAGE_TASKFLOW_PAIRS_H

#include "taskflow/fusion.h"
#include "taskflow/place.h"

// A task; its number is never given again.
typedef struct stow_task_node {
  MlirOperation op; // null: fused away
  uint32_t number;
} stow_task_node;

typedef struct stow_pair {
  stow_task_node writer, reader;
  size_t position; // of the writer, then of the reader, in program order
  size_t reader_position;
  stow_values buffers; // what the one writes and the other reads
  size_t trial;        // index of its trial
  uint64_t bytes, accesses;
  bool simple; // one buffer written, one read
  stow_place place;
} stow_pair;

// The work on one block.
typedef struct stow_fuser {
  stow_fusion *fusion;
  MlirOperation function;
  stow_trial_options options;
  stow_task_node *nodes;
  size_t node_count;
  uint32_t next_number;
  stow_map known; // pairs of numbers to trials
  stow_trial *trials;
  size_t trial_count, trial_capacity;
  stow_pair *pairs;
  size_t pair_count, pair_capacity;
} stow_fuser;

// Finds the pairs of the tasks that are there, each reader with the last writer of each buffer that
// it reads, tries those not tried yet, and asks where each may stand. What gains most comes first;
// `by_position`: what comes first in the program.
void stow_fuser_try_pairs(stow_fuser *f, bool by_position);

// Asks again where a pair may stand and what it gains, after other pairs were fused.
void stow_pair_look_again(const stow_fuser *f, stow_pair *p);

// Whether only the two tasks, and deallocs, use a buffer that the function allocates.
bool stow_pair_is_private(const stow_pair *p, MlirValue buffer);

void stow_fuser_free(stow_fuser *f);

#endif // STOWAGE_TASKFLOW_PAIRS_H
