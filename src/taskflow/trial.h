//===- trial.h - one fusion, tried on a copy ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_TRIAL_H
#define STOWAGE_TASKFLOW_TRIAL_H

#include "taskflow/memory.h"
#include "taskflow/open.h"
#include "taskflow/steps.h"

typedef struct stow_trial_options {
  stow_align_options align;
  bool distinct_arguments;
} stow_trial_options;

// A buffer that the fused task names in stores only.
typedef struct stow_dry_buffer {
  MlirValue buffer;
  uint64_t stores; // to it that are left
} stow_dry_buffer;

// What came of a pair. It holds no ops of the copy, and stays true while the tasks do not change.
typedef struct stow_trial {
  stow_fusion_reason reason;
  size_t alignment; // of those that stow_align gives
  MlirLocation blame[2];
  size_t blame_count;     // where the reason lies
  uint64_t loads, stores; // that the fused task saves
  STOW_ARRAY(stow_dry_buffer) dry;
} stow_trial;

// Tries alignments until one is legal and gives all loads of some buffer that the reader has their
// values. `buffers`: what the writer writes and the reader reads.
stow_trial stow_try_fusion(const stow_task *writer, const stow_task *reader,
                           const stow_values *buffers, stow_trial_options options);

// Does it again, and leaves the result open.
stow_open_pair stow_redo_fusion(const stow_task *writer, const stow_task *reader,
                                const stow_values *buffers, stow_trial_options options,
                                const stow_trial *trial);

void stow_trial_free(stow_trial *trial);

#endif // STOWAGE_TASKFLOW_TRIAL_H
