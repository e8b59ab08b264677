//===- profile.h - bytes alive and highest offset in use, over time -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_PROFILE_H
#define STOWAGE_REPORT_PROFILE_H

#include "report.h"

// What holds from `point` up to the next sample's point.
typedef struct stow_sample {
  int64_t point;
  uint64_t live;    // bytes alive
  uint64_t highest; // the largest offset + size among them
} stow_sample;

// Samples in order of their points, one per point at which anything changes. The last has live 0.
typedef struct stow_profile {
  stow_sample *samples;
  size_t count;
} stow_profile;

// Of the planned buffers, in O(n log n).
stow_status stow_profile_make(const stow_report_arena *arena, stow_profile *out_profile);

void stow_profile_release(stow_profile *profile);

#endif // STOWAGE_REPORT_PROFILE_H
