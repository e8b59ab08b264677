//===- pairs.h - writers and readers that may become one task -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PAIRS_H
#define STOWAGE_TASKFLOW_PAIRS_H

#include "taskflow/alive.h"
#include "taskflow/fusion.h"
#include "taskflow/steps.h"

// A task; its number is never given again.
typedef struct stow_task_node {
  MlirOperation op; // null: fused away
  uint32_t number;
  uint32_t made_of[2]; // numbers of the tasks that it was fused from, or 0
  size_t position;     // in the block as it was at first (alive.h)
} stow_task_node;

typedef enum stow_task_place { STOW_NOWHERE, STOW_AT_READER, STOW_AT_WRITER } stow_task_place;

typedef struct stow_task_pair {
  stow_task_node writer, reader;
  size_t writer_index, reader_index; // among the nodes
  stow_values buffers;               // what the one writes and the other reads
  size_t trial;                      // index of its trial
  bool tried;                        // or else the trial is that of tasks which these were made of
  uint64_t bytes, accesses;
  bool simple; // one buffer written, one read
  // Found by stow_pair_find_place:
  stow_task_place place;
  stow_move down, up; // as far as they were looked at
  bool peak_rises;    // at a place where it could stand
} stow_task_pair;

// The work on one block.
typedef struct stow_fuser {
  stow_fusion *fusion;
  MlirOperation function;
  stow_trial_options options;
  STOW_ARRAY(stow_task_node) nodes;
  uint32_t next_number;
  stow_map known, expected; // pairs of numbers to trials: their own, and those that stand for them
  stow_alive alive;
  STOW_ARRAY(stow_trial) trials;
  STOW_ARRAY(stow_task_pair) pairs;
} stow_fuser;

// Finds the pairs of the tasks that are there: each reader with the last writer of each buffer that
// it reads. A pair whose tasks were fused in earlier rounds has the trial of those for the time
// being; all others are tried. In program order.
void stow_fuser_find_pairs(stow_fuser *f);

// Tries a pair that has another one's trial.
void stow_pair_try(stow_fuser *f, stow_task_pair *p);

// Sorts pairs[first..] by what they gain.
void stow_fuser_sort_pairs(stow_fuser *f, size_t first);

// Whether pair `index` gains less than the next one.
bool stow_pair_comes_later(const stow_fuser *f, size_t index);

// Finds where a pair may stand, so that no more bytes are alive at once than before.
void stow_pair_find_place(const stow_fuser *f, stow_task_pair *p);

// The buffers that nobody needs when the pair is fused.
stow_values stow_pair_buffers_that_go(const stow_fuser *f, const stow_task_pair *p);

// What fusing a pair at its place changes of the bytes alive.
stow_alive_change stow_pair_change(const stow_task_pair *p, stow_task_place place,
                                   const stow_values *gone);

void stow_fuser_free(stow_fuser *f);

#endif // STOWAGE_TASKFLOW_PAIRS_H
