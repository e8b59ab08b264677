//===- climb.h - looking for a better order of first fit ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First fit gives every plan worth having for some order of the blocks, so one
// can look for an order instead of a plan. A *climb* is what all such searches
// share: the order tried now, what first fit made of it, the best so far with its
// order, and what may still be spent. Each search is one way to go from an order
// to the next.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_CLIMB_H
#define STOWAGE_PLAN_CLIMB_H

#include "context.h"
#include "model.h"

typedef struct stow_climb {
  const stow_model *model;
  stow_context *context;
  stow_memory *memory;
  uint64_t goal, left;    // arena to reach; steps still allowed
  uint32_t *order, *next; // of all blocks: tried now, and room to make another
  uint32_t *best_order;   // of the best plan; until one is found here, blocks by index
  uint64_t *trial, *best; // offsets
  uint64_t best_size;
} stow_climb;

// Starts from the plan `inout_offsets` with an arena of `arena_size` bytes, which is overwritten
// whenever a better one is found.
stow_status stow_climb_begin(const stow_model *model, uint64_t goal, uint64_t arena_size,
                             stow_context *context, stow_memory *memory, uint64_t *inout_offsets,
                             stow_climb *out_climb);

// The goal is not reached, and there is effort left.
bool stow_climb_may_go_on(const stow_climb *climb);

void stow_climb_spend(stow_climb *climb, uint64_t effort);

// Takes the trial for the best plan.
void stow_climb_keep(stow_climb *climb);

// Places all blocks in the order tried now, and keeps the plan if it is better. The arena is
// UINT64_MAX where there is no plan.
stow_status stow_climb_place(stow_climb *climb, uint64_t *out_arena_size);

// Moves the blocks behind the first `front` of the order that end above `limit` forward: to right
// behind those, or half the way.
typedef enum stow_stride { STOW_TO_FRONT, STOW_HALF_WAY, STOW_STRIDE_COUNT } stow_stride;
void stow_climb_move_high(stow_climb *climb, uint32_t front, uint64_t limit, stow_stride stride);

// The searches. Each spends at most climb->left.
stow_status stow_climb_from_peak(stow_climb *climb); // peak.c: what is alive at the peak goes first
stow_status
stow_climb_by_squeaky_wheel(stow_climb *climb); // squeaky_wheel.c: all that is too high at once
stow_status stow_climb_by_repair(stow_climb *climb);    // repair.c: what is too high, one by one
stow_status stow_climb_on_the_level(stow_climb *climb); // repair.c: what is outermost, if as good

#endif // STOWAGE_PLAN_CLIMB_H
