//===- fit.c - placing blocks one by one ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fit.h"
#include "limits.h"
#include "occupancy.h"
#include "sort.h"

static stow_status find_best(stow_occupancy *occupancy, const stow_plan_block *block,
                             stow_plan_place *out_place) {
  stow_status status = stow_occupancy_find(occupancy, block, 0, out_place);
  stow_plan_place place = *out_place;
  if (status != STOW_OK)
    return status;
  for (unsigned i = 1; i < STOW_FIT_MOST_GAPS && place.room != UINT64_MAX && out_place->room; ++i) {
    if (stow_occupancy_find_next(occupancy, block, &place) != STOW_OK)
      break;
    if (place.room < out_place->room)
      *out_place = place;
  }
  return STOW_OK;
}

static stow_status place_free(stow_occupancy *occupancy, stow_fit fit, const stow_plan_block *block,
                              uint64_t *out_offset) {
  stow_plan_place place;
  const stow_status status = fit == STOW_FIT_FIRST
                                 ? stow_occupancy_find(occupancy, block, 0, &place)
                                 : find_best(occupancy, block, &place);
  if (status != STOW_OK)
    return status;
  *out_offset = place.offset;
  return stow_occupancy_add(occupancy, block, place.offset);
}

static stow_status place_fixed(stow_occupancy *occupancy, const stow_plan_block *block,
                               uint64_t *out_offset, stow_fitting *out_fitting) {
  stow_plan_place place;
  const stow_status status = stow_occupancy_find(occupancy, block, block->fixed, &place);
  if (status == STOW_NO_MEMORY)
    return status;
  if (status != STOW_OK || place.offset != block->fixed) {
    *out_fitting = STOW_FIT_IMPOSSIBLE;
    return STOW_OK;
  }
  *out_offset = block->fixed;
  return stow_occupancy_add(occupancy, block, block->fixed);
}

// The fixed ones in order of offset, which is how lists of ranges grow best.
static stow_status place_all_fixed(const stow_model *model, const uint32_t *order, uint32_t count,
                                   stow_occupancy *occupancy, stow_memory *memory,
                                   uint64_t *out_offsets, stow_fitting *out_fitting) {
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  uint32_t fixed = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (model->blocks[order[i]].fixed != STOW_ANY_OFFSET)
      pairs[fixed++] = (stow_sort_pair){model->blocks[order[i]].fixed, order[i]};
  stow_sort_pairs(pairs, scratch, fixed);
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < fixed && status == STOW_OK && *out_fitting == STOW_FITTED; ++i)
    status = place_fixed(occupancy, &model->blocks[pairs[i].index], &out_offsets[pairs[i].index],
                         out_fitting);
  stow_memory_drop(memory, scratch);
  stow_memory_drop(memory, pairs);
  return status;
}

static bool must_stop(stow_context *context, const stow_occupancy *occupancy,
                      uint64_t *inout_next_poll) {
  const uint64_t effort = stow_occupancy_effort(occupancy);
  if (!context || effort < *inout_next_poll)
    return false;
  *inout_next_poll = effort + STOW_FIT_POLL_INTERVAL;
  return stow_context_poll(context, effort);
}

static stow_status place_all_free(const stow_model *model, stow_fit fit, const uint32_t *order,
                                  uint32_t count, stow_context *context, stow_occupancy *occupancy,
                                  uint64_t *out_offsets, stow_fitting *out_fitting) {
  uint64_t next_poll = STOW_FIT_POLL_INTERVAL;
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < count && status == STOW_OK && *out_fitting == STOW_FITTED; ++i) {
    if (model->blocks[order[i]].fixed != STOW_ANY_OFFSET)
      continue;
    status = place_free(occupancy, fit, &model->blocks[order[i]], &out_offsets[order[i]]);
    if (must_stop(context, occupancy, &next_poll))
      *out_fitting = STOW_FIT_STOPPED;
  }
  return status;
}

stow_status stow_fit_blocks(const stow_model *model, stow_fit fit, const uint32_t *order,
                            uint32_t count, stow_context *context, stow_memory *memory,
                            uint64_t *out_offsets, stow_fitting *out_fitting,
                            uint64_t *out_effort) {
  *out_fitting = STOW_FITTED;
  *out_effort = 0;
  stow_occupancy *occupancy = stow_occupancy_create(model, memory);
  stow_status status = occupancy ? STOW_OK : STOW_NO_MEMORY;
  if (status == STOW_OK && model->has_fixed)
    status = place_all_fixed(model, order, count, occupancy, memory, out_offsets, out_fitting);
  if (status == STOW_OK)
    status = place_all_free(model, fit, order, count, context, occupancy, out_offsets, out_fitting);
  if (occupancy)
    *out_effort = stow_occupancy_effort(occupancy) + model->section_count;
  return status;
}
