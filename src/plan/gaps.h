//===- gaps.h - how far apart two blocks can lie --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a model. Computes how far apart its blocks can lie.
//
// Two blocks a and b may meet with several spans each. Every two spans that meet forbid
// an open interval of differences offset(b) - offset(a); what is left of all
// differences are *gaps*, closed intervals in ascending order. The first and the last
// reach as far as numbers do.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_GAPS_H
#define STOWAGE_PLAN_GAPS_H

#include "model.h"

#define STOW_FAR_AWAY (INT64_C(1) << 62)
#define STOW_GAPS_PAST_NUMBERS (UINT64_C(1) << 60)

typedef struct stow_gap {
  int64_t low, high;
} stow_gap;

typedef struct stow_gap_pair {
  uint32_t a, b; // as numbers of the blocks asked for; a < b
  uint32_t first_gap, past_gap;
} stow_gap_pair;

typedef struct stow_gaps {
  stow_gap *gaps;
  stow_gap_pair *pairs; // of blocks that meet
  uint32_t pair_count;
  uint32_t *first_of, *pairs_of; // per block and one more, into pairs_of
} stow_gaps;

// The gaps between some blocks of a model, NULL: all. `*out_few` is false, and there are none,
// where the blocks meet too often, or sizes are too large for signed sums.
stow_status stow_gaps_make(const stow_model *model, const uint32_t *blocks, uint32_t count,
                           stow_memory *memory, stow_gaps *out_gaps, bool *out_few);

#endif // STOWAGE_PLAN_GAPS_H
