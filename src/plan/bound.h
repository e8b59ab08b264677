//===- bound.h - how small an arena could be ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_BOUND_H
#define STOWAGE_PLAN_BOUND_H

#include "model.h"

// No plan of the model has a smaller arena: the load with the padding that alignments force, the
// largest block, and the end of the highest fixed buffer. `*out_peak`, where not NULL, is the first
// section in which the load is reached with the padding of the alignment common to all.
stow_status stow_plan_model_bound(const stow_model *model, stow_memory *memory, uint64_t *out_bound,
                                  uint32_t *out_peak);

// Bytes that a block surely takes in some sections. The heights of one section may be added up:
// where blocks may overlap, those with heights do not.
typedef struct stow_height {
  uint32_t block;
  uint32_t begin, end; // sections
  uint64_t bytes, low; // and from the block's offset to them
} stow_height;

typedef struct stow_heights {
  stow_height *at; // by block
  size_t count;
} stow_heights;

stow_status stow_plan_model_heights(const stow_model *model, stow_memory *memory,
                                    stow_heights *out_heights);

// The most bytes of one section.
stow_status stow_heights_load(const stow_heights *heights, uint32_t section_count,
                              stow_memory *memory, uint64_t *out_load);

// Per block, the most bytes of one of its sections.
stow_status stow_heights_peaks(const stow_heights *heights, uint32_t section_count,
                               stow_memory *memory, uint64_t *out_peaks);

#endif // STOWAGE_PLAN_BOUND_H
