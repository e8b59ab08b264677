//===- fit.h - placing blocks one by one ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_FIT_H
#define STOWAGE_PLAN_FIT_H

#include "model.h"

typedef enum stow_fit {
  STOW_FIT_FIRST, // the lowest offset where it fits
  STOW_FIT_BEST,  // the gap it leaves least of; among equals the lowest
} stow_fit;

// Places the blocks in the order of `order`, those with a fixed offset before all others, and
// writes one offset per block. `*out_possible` is false where two fixed blocks collide or one of
// them is at an offset its alignment forbids: then no plan exists at all.
stow_status stow_fit_blocks(const stow_model *model, stow_fit fit, const uint32_t *order,
                            stow_memory *memory, uint64_t *out_offsets, bool *out_possible);

// Best fit in order of begin, by a walk along time, in O(n log n). Needs blocks of one span each
// and no fixed offset. Compares gaps by their length, so where alignments differ it may choose
// another gap than stow_fit_blocks, which compares what is left of them; where none matters they
// agree.
stow_status stow_scan_blocks(const stow_model *model, const uint32_t *order, stow_memory *memory,
                             uint64_t *out_offsets);

#endif // STOWAGE_PLAN_FIT_H
