//===- fill.c - filling one memory by first fit ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a memory with what lies in it already, and buffers in groups. Places those of the
// largest area first, or of the groups with the largest `first`, each as low as it can lie; what
// finds no place stays out.
//
//===----------------------------------------------------------------------===//

#include "model.h"
#include "occupancy.h"
#include "order.h"
#include "sort.h"
#include "spaces.h"

struct placing {
  stow_model model; // of the wanted buffers
  uint32_t *order, *group_of_block;
  uint64_t *offsets; // per block
  stow_memory memory;
};

// Sorts by `first`; equals stay as they are. Keys are bit complements: the sort ascends.
static stow_status sort_by_first(const stow_filling *filling, struct placing *placing) {
  const uint32_t count = placing->model.block_count;
  stow_sort_pair *pairs = STOW_TAKE(&placing->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(&placing->memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    pairs[i] = (stow_sort_pair){~filling->first[placing->group_of_block[placing->order[i]]],
                                placing->order[i]};
  stow_sort_pairs(pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    placing->order[i] = pairs[i].index;
  return STOW_OK;
}

static stow_status prepare(const stow_filling *filling, struct placing *placing) {
  const stow_block_order largest = {{STOW_MOST_AREA, STOW_LARGEST}};
  stow_status status =
      stow_plan_model_build_of(filling->problem, filling->wanted, filling->wanted_count, NULL,
                               &placing->memory, &placing->model);
  if (status != STOW_OK)
    return status;
  const uint32_t count = placing->model.block_count;
  placing->order = STOW_TAKE(&placing->memory, uint32_t, count);
  placing->group_of_block = STOW_TAKE(&placing->memory, uint32_t, count);
  placing->offsets = STOW_TAKE(&placing->memory, uint64_t, count);
  if (!placing->order || !placing->group_of_block || !placing->offsets)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    placing->order[i] = i;
  for (uint32_t w = 0; w < filling->wanted_count; ++w) {
    const uint32_t i = filling->wanted[w];
    if (placing->model.block_of[i] != STOW_NO_BLOCK)
      placing->group_of_block[placing->model.block_of[i]] = filling->group_of[i];
  }
  status =
      stow_plan_order_blocks(&placing->model, &largest, &placing->memory, placing->order, count);
  return status == STOW_OK && filling->first ? sort_by_first(filling, placing) : status;
}

// `*out_fits` tells whether the block lies where it may.
static stow_status place(const stow_filling *filling, stow_occupancy *occupancy,
                         const stow_plan_block *block, uint64_t *out_offset, bool *out_fits) {
  const uint64_t capacity = filling->problem->spaces[filling->space].capacity;
  const bool is_fixed = block->fixed != STOW_ANY_OFFSET;
  stow_plan_place place;
  const stow_status status =
      stow_occupancy_find(occupancy, block, is_fixed ? block->fixed : 0, &place);
  *out_offset = place.offset;
  *out_fits = status == STOW_OK && (!is_fixed || place.offset == block->fixed) &&
              (!capacity || place.offset + block->size <= capacity);
  if (*out_fits)
    return stow_occupancy_add(occupancy, block, place.offset);
  return status == STOW_OVERFLOW ? STOW_OK : status;
}

static stow_status place_all(const stow_filling *filling, struct placing *placing) {
  stow_occupancy *occupancy = stow_occupancy_create(&placing->model, &placing->memory);
  stow_status status = occupancy ? STOW_OK : STOW_NO_MEMORY;
  for (uint32_t i = 0; i < placing->model.block_count && status == STOW_OK; ++i) {
    const uint32_t at = placing->order[i];
    bool fits;
    status = place(filling, occupancy, &placing->model.blocks[at], &placing->offsets[at], &fits);
    if (fits)
      filling->assigned[placing->group_of_block[at]] = filling->space;
  }
  return status;
}

// Takes note of where the buffers lie. Those without bytes enter where they may.
static void take_offsets(stow_filling *filling, const struct placing *placing) {
  const stow_problem *problem = filling->problem;
  for (uint32_t w = 0; w < filling->wanted_count; ++w) {
    const uint32_t i = filling->wanted[w];
    const uint32_t block = placing->model.block_of[i];
    const uint64_t fixed = stow_plan_problem_fixed(problem, i);
    if (block == STOW_NO_BLOCK)
      filling->assigned[filling->group_of[i]] = filling->space;
    if (filling->assigned[filling->group_of[i]] != filling->space)
      continue;
    filling->offsets[i] = fixed != STOW_ANY_OFFSET ? fixed : 0;
    if (block != STOW_NO_BLOCK)
      filling->offsets[i] = placing->offsets[block];
    const uint64_t end = filling->offsets[i] + problem->buffers[i].size;
    if (end > filling->arena_size)
      filling->arena_size = end;
  }
}

stow_status stow_plan_fill_space(stow_filling *filling, const stow_allocator *allocator) {
  struct placing placing;
  filling->arena_size = 0;
  stow_memory_begin(&placing.memory, allocator);
  stow_status status = prepare(filling, &placing);
  if (status == STOW_OK && !placing.model.contradictory)
    status = place_all(filling, &placing);
  if (status == STOW_OK)
    take_offsets(filling, &placing);
  stow_memory_end(&placing.memory);
  return status;
}
