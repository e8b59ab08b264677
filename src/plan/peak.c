//===- peak.c - packing the peak first ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a plan as small as the load, what is alive at the peak lies without a gap.
// Placed first, it does, however it is arranged. The arrangement decides what is
// left before and after the peak: sorted by end, the bytes above those still
// alive are one range at any later point, and so on. The rest follows by size,
// and what of it ends too high is moved forward, but never before the peak's.
//
// Where one peak is the highest by far, as in most programs, this meets the load in a few
// steps.
//
//===----------------------------------------------------------------------===//

#include "bound.h"
#include "climb.h"
#include "limits.h"
#include "order.h"

#include <string.h>

static const stow_block_order arrangements[] = {
    {{STOW_LATEST_END, STOW_LARGEST}},
    {{STOW_LONGEST, STOW_LARGEST}},
    {{STOW_EARLIEST_BEGIN, STOW_LARGEST}},
    {{STOW_LARGEST, STOW_EARLIEST_BEGIN}},
};

enum { ARRANGEMENT_COUNT = sizeof arrangements / sizeof *arrangements };

static const stow_block_order rest_order = {{STOW_LARGEST, STOW_EARLIEST_BEGIN}};

struct peak {
  stow_climb *climb;
  uint32_t *blocks;                  // those alive at the peak, then the others
  uint32_t front;                    // how many are
  uint64_t sizes[ARRANGEMENT_COUNT]; // arenas of the first steps
};

static bool is_alive(const stow_plan_block *block, uint32_t section) {
  for (uint32_t i = 0; i < block->span_count; ++i)
    if (block->spans[i].begin <= section && section < block->spans[i].end)
      return true;
  return false;
}

static void divide(struct peak *peak, uint32_t section) {
  const stow_model *model = peak->climb->model;
  uint32_t made = 0;
  for (unsigned wanted = 2; wanted-- > 0; peak->front = wanted ? made : peak->front)
    for (uint32_t i = 0; i < model->block_count; ++i)
      if (is_alive(&model->blocks[i], section) == wanted)
        peak->blocks[made++] = i;
}

static stow_status arrange(struct peak *peak, const stow_block_order *order) {
  stow_climb *climb = peak->climb;
  const uint32_t count = climb->model->block_count;
  memcpy(climb->order, peak->blocks, count * sizeof *climb->order);
  const stow_status status =
      stow_plan_order_blocks(climb->model, order, climb->memory, climb->order, peak->front);
  return status == STOW_OK ? stow_plan_order_blocks(climb->model, &rest_order, climb->memory,
                                                    climb->order + peak->front, count - peak->front)
                           : status;
}

static stow_status start_from(struct peak *peak, unsigned arrangement) {
  const stow_status status = arrange(peak, &arrangements[arrangement]);
  return status == STOW_OK ? stow_climb_place(peak->climb, &peak->sizes[arrangement]) : status;
}

static stow_status go_on(struct peak *peak, unsigned arrangement, stow_stride stride) {
  uint64_t arena_size;
  stow_climb *climb = peak->climb;
  stow_status status = start_from(peak, arrangement);
  for (unsigned i = 0; i < STOW_PEAK_STEPS && status == STOW_OK && stow_climb_may_go_on(climb);
       ++i) {
    stow_climb_move_high(climb, peak->front, climb->goal, stride);
    status = stow_climb_place(climb, &arena_size);
  }
  return status;
}

// The arrangement that began best among those not yet gone on from.
static unsigned take_best(struct peak *peak) {
  unsigned best = 0;
  for (unsigned i = 1; i < ARRANGEMENT_COUNT; ++i)
    if (peak->sizes[i] < peak->sizes[best])
      best = i;
  return best;
}

static stow_status run(struct peak *peak) {
  stow_status status = STOW_OK;
  for (unsigned i = 0; i < ARRANGEMENT_COUNT && status == STOW_OK; ++i)
    if (stow_climb_may_go_on(peak->climb))
      status = start_from(peak, i);
  for (unsigned i = 0; i < ARRANGEMENT_COUNT && status == STOW_OK; ++i) {
    const unsigned best = take_best(peak);
    for (unsigned k = 0; k < STOW_STRIDE_COUNT && status == STOW_OK; ++k)
      if (stow_climb_may_go_on(peak->climb))
        status = go_on(peak, best, (stow_stride)k);
    peak->sizes[best] = UINT64_MAX;
  }
  return status;
}

stow_status stow_climb_from_peak(stow_climb *climb) {
  struct peak peak = {.climb = climb};
  uint64_t bound;
  uint32_t section;
  stow_status status = stow_plan_model_bound(climb->model, climb->memory, &bound, &section);
  peak.blocks = STOW_TAKE(climb->memory, uint32_t, climb->model->block_count);
  if (status != STOW_OK || !peak.blocks)
    return STOW_NO_MEMORY;
  divide(&peak, section);
  status = run(&peak);
  stow_memory_drop(climb->memory, peak.blocks);
  return status;
}
