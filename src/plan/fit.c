//===- fit.c - placing blocks one by one ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a model and an order of its blocks. Computes offsets: fixed blocks first, then one by
// one in the lowest gap, or the tightest, that no placed neighbour and no bank forbids.
//
//===----------------------------------------------------------------------===//

#include "fit.h"
#include "limits.h"
#include "occupancy.h"
#include "sort.h"

// What is placed, and where.
struct fitter {
  const stow_model *model;
  stow_occupancy *occupancy;
  uint64_t *offsets;
  unsigned char *placed; // per block; NULL: nobody asks
};

// The lowest place from there on that no bank forbids. Each partner is passed once at most; where
// banks take turns, what is found behind all that is placed is taken.
static stow_status find_first(struct fitter *fitter, const stow_plan_block *block, uint64_t from,
                              stow_plan_place *out_place) {
  const uint32_t number = (uint32_t)(block - fitter->model->blocks);
  stow_status status;
  do
    status = stow_occupancy_find(fitter->occupancy, block, from, out_place);
  while (status == STOW_OK && fitter->placed &&
         stow_banks_raise(&fitter->model->banks, number, block->alignment, fitter->offsets,
                          fitter->placed, out_place->offset, &from));
  return status;
}

static stow_status put(struct fitter *fitter, const stow_plan_block *block, uint64_t offset) {
  const uint32_t number = (uint32_t)(block - fitter->model->blocks);
  fitter->offsets[number] = offset;
  if (fitter->placed)
    fitter->placed[number] = 1;
  return stow_occupancy_add(fitter->occupancy, block, offset);
}

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

// Where banks are asked for, any fit is a first fit: what is left of a gap says less there.
static stow_status place_free(struct fitter *fitter, stow_fit fit, const stow_plan_block *block) {
  stow_plan_place place;
  const stow_status status = fit == STOW_FIT_FIRST || fitter->placed
                                 ? find_first(fitter, block, 0, &place)
                                 : find_best(fitter->occupancy, block, &place);
  return status == STOW_OK ? put(fitter, block, place.offset) : status;
}

static stow_status place_fixed(struct fitter *fitter, const stow_plan_block *block,
                               stow_fitting *out_fitting) {
  stow_plan_place place;
  const stow_status status = find_first(fitter, block, block->fixed, &place);
  if (status == STOW_NO_MEMORY)
    return status;
  if (status != STOW_OK || place.offset != block->fixed) {
    *out_fitting = STOW_FIT_IMPOSSIBLE;
    return STOW_OK;
  }
  return put(fitter, block, block->fixed);
}

// The fixed ones in order of offset, which is how lists of ranges grow best.
static stow_status place_all_fixed(struct fitter *fitter, const uint32_t *order, uint32_t count,
                                   stow_memory *memory, stow_fitting *out_fitting) {
  const stow_plan_block *blocks = fitter->model->blocks;
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  uint32_t fixed = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (blocks[order[i]].fixed != STOW_ANY_OFFSET)
      pairs[fixed++] = (stow_sort_pair){blocks[order[i]].fixed, order[i]};
  stow_sort_pairs(pairs, scratch, fixed);
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < fixed && status == STOW_OK && *out_fitting == STOW_FITTED; ++i)
    status = place_fixed(fitter, &blocks[pairs[i].index], out_fitting);
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

static stow_status place_all_free(struct fitter *fitter, stow_fit fit, const uint32_t *order,
                                  uint32_t count, stow_context *context,
                                  stow_fitting *out_fitting) {
  uint64_t next_poll = STOW_FIT_POLL_INTERVAL;
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < count && status == STOW_OK && *out_fitting == STOW_FITTED; ++i) {
    const stow_plan_block *block = &fitter->model->blocks[order[i]];
    if (block->fixed != STOW_ANY_OFFSET)
      continue;
    status = place_free(fitter, fit, block);
    if (must_stop(context, fitter->occupancy, &next_poll))
      *out_fitting = STOW_FIT_STOPPED;
  }
  return status;
}

static stow_status begin(struct fitter *fitter, stow_memory *memory) {
  const stow_model *model = fitter->model;
  fitter->occupancy = stow_occupancy_create(model, memory);
  if (model->banks.bank_size)
    fitter->placed = STOW_TAKE_ZEROED(memory, unsigned char, model->block_count);
  return fitter->occupancy && (fitter->placed || !model->banks.bank_size) ? STOW_OK
                                                                          : STOW_NO_MEMORY;
}

stow_status stow_plan_fit_blocks(const stow_model *model, stow_fit fit, const uint32_t *order,
                                 uint32_t count, stow_context *context, stow_memory *memory,
                                 uint64_t *out_offsets, stow_fitting *out_fitting,
                                 uint64_t *out_effort) {
  *out_fitting = STOW_FITTED;
  *out_effort = 0;
  struct fitter fitter = {.model = model, .offsets = out_offsets};
  stow_status status = begin(&fitter, memory);
  if (status == STOW_OK && model->has_fixed)
    status = place_all_fixed(&fitter, order, count, memory, out_fitting);
  if (status == STOW_OK)
    status = place_all_free(&fitter, fit, order, count, context, out_fitting);
  if (fitter.occupancy)
    *out_effort = stow_occupancy_effort(fitter.occupancy) + model->section_count;
  return status;
}
