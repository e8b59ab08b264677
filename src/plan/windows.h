//===- windows.h - exact search where byte windows interlock --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the question of search.h for models that are not flat, where of two
// blocks that meet neither need be the lower one.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_WINDOWS_H
#define STOWAGE_PLAN_WINDOWS_H

#include "context.h"
#include "model.h"
#include "search.h"

typedef struct stow_windows stow_windows;

// A search over some blocks of a model. `*out_windows` is NULL where they meet too often.
stow_status stow_windows_create(const stow_model *model, const uint32_t *blocks, uint32_t count,
                                stow_memory *memory, stow_windows **out_windows);

// Looks for a plan within `capacity` for at most `max_effort` steps, which it spends from
// `context`. Offsets are written for FITS, one per block.
stow_status stow_windows_run(stow_windows *windows, uint64_t capacity, uint64_t max_effort,
                             stow_context *context, uint64_t *out_offsets,
                             stow_verdict *out_verdict);

//===----------------------------------------------------------------------===//
// gaps.c: how far apart two blocks can lie
//===----------------------------------------------------------------------===//
//
// Two blocks a and b may meet with several spans each. Every two spans that meet forbid
// an open interval of differences offset(b) - offset(a); what is left of all
// differences are *gaps*, closed intervals in ascending order. The first and the last
// reach as far as numbers do.

#define STOW_FAR_AWAY (INT64_C(1) << 62)

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

// The gaps between some blocks of a model, whose sizes are below 2^60. `*out_few` is false, and
// there are none, where the blocks meet too often.
stow_status stow_gaps_make(const stow_model *model, const uint32_t *blocks, uint32_t count,
                           stow_memory *memory, stow_gaps *out_gaps, bool *out_few);

#endif // STOWAGE_PLAN_WINDOWS_H
