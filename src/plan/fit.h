//===- fit.h - placing blocks one by one ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_FIT_H
#define STOWAGE_PLAN_FIT_H

#include "context.h"
#include "model.h"

typedef enum stow_fit {
  STOW_FIT_FIRST, // the lowest offset where it fits
  STOW_FIT_BEST,  // the gap it leaves least of; among equals the lowest
} stow_fit;

typedef enum stow_fitting {
  STOW_FITTED,
  STOW_FIT_IMPOSSIBLE, // two fixed blocks collide, or one is where its alignment forbids it: no
                       // plan exists at all
  STOW_FIT_STOPPED,    // by the context
} stow_fitting;

// Places the `count` blocks of `order` in that order, those with a fixed offset before all others,
// and writes one offset per block. Lets `context` look now and then and stops where it wants to;
// NULL: must not be stopped. The effort is not spent from it, only returned.
stow_status stow_plan_fit_blocks(const stow_model *model, stow_fit fit, const uint32_t *order,
                                 uint32_t count, stow_context *context, stow_memory *memory,
                                 uint64_t *out_offsets, stow_fitting *out_fitting,
                                 uint64_t *out_effort);

// Best fit along time, for `count` blocks in order of begin, in O(n log n). Needs a simple model
// without fixed blocks. Compares gaps by their length, so where alignments differ it may choose
// another gap than stow_plan_fit_blocks, which compares what is left of them; where none matters
// they agree.
stow_status stow_plan_scan_blocks(const stow_model *model, const uint32_t *order, uint32_t count,
                                  stow_memory *memory, uint64_t *out_offsets);

// For models as above: first fit for the first blocks in the order given, by falling class, and on
// top of them best fit along time for the small ones at its end, which together are a thousandth of
// the whole, of very many blocks a two-hundredth.
stow_status stow_plan_fit_layers(const stow_model *model, const uint32_t *by_class,
                                 stow_context *context, stow_memory *memory, uint64_t *out_offsets,
                                 stow_fitting *out_fitting, uint64_t *out_effort);

#endif // STOWAGE_PLAN_FIT_H
