//===- occupancy.h - which bytes are taken, over time ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are added one by one at chosen offsets; in between, one asks where the
// next could lie. Answers are exact, and neither question nor change looks at
// the blocks one by one.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_OCCUPANCY_H
#define STOWAGE_PLAN_OCCUPANCY_H

#include "model.h"

typedef struct stow_occupancy stow_occupancy;

// A place for a block: it can lie at `offset` and up to `room` bytes higher, but no further.
// `room` is UINT64_MAX where nothing lies above.
typedef struct stow_plan_place {
  uint64_t offset, room;
} stow_plan_place;

// An empty one, or NULL where memory is short. It lives as long as `memory`.
stow_occupancy *stow_occupancy_create(const stow_model *model, stow_memory *memory);

// Finds the lowest place at or above `from` that is a multiple of the block's alignment. STOW_OK,
// or STOW_OVERFLOW where the block would end past 64 bits.
stow_status stow_occupancy_find(stow_occupancy *occupancy, const stow_plan_block *block,
                                uint64_t from, stow_plan_place *out_place);

// Goes on from such a place, which has an end, to the next above it; nothing else was asked in
// between. STOW_OK, or STOW_OVERFLOW where there is none.
stow_status stow_occupancy_find_next(stow_occupancy *occupancy, const stow_plan_block *block,
                                     stow_plan_place *inout_place);

// Puts the block there. STOW_OK or STOW_NO_MEMORY.
stow_status stow_occupancy_add(stow_occupancy *occupancy, const stow_plan_block *block,
                               uint64_t offset);

// The steps of work its queries have taken so far.
uint64_t stow_occupancy_effort(const stow_occupancy *occupancy);

#endif // STOWAGE_PLAN_OCCUPANCY_H
