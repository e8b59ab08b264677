//===- repair.c - reordering where a plan is too high ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First fit gives every plan worth having for some order of the blocks. So the
// search is for an order. It starts from the offsets of a plan, ascending, which
// first fit turns into that plan or a lower one, and asks for less than the best
// arena so far. The first block that does not fit below that is the squeaky
// wheel: it is moved to an earlier place, found by chance, and all is placed
// again. Most attempts end early, at the next block that does not fit. After a number
// of them without success the order goes back to that of the best plan.
//
// Where byte windows interlock, a lower plan may be several moves away that change
// nothing for themselves. So another climb moves one block of the best plan at a
// time, mostly one at its top or its bottom, and keeps what is as good.
//
//===----------------------------------------------------------------------===//

#include "climb.h"
#include "limits.h"
#include "occupancy.h"
#include "random.h"
#include "sort.h"

#include <string.h>

struct repair {
  stow_climb *climb;
  uint32_t count; // blocks that are not fixed, the first in the order
  uint64_t random;
};

static stow_status put_fixed(const stow_climb *climb, stow_occupancy *occupancy) {
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < climb->model->block_count && status == STOW_OK; ++i) {
    const stow_plan_block *block = &climb->model->blocks[i];
    climb->trial[i] = block->fixed;
    if (block->fixed != STOW_ANY_OFFSET)
      status = stow_occupancy_add(occupancy, block, block->fixed);
  }
  return status;
}

// Places the blocks in order while they end at or below `limit`. `*out_placed` is how many did.
static stow_status place_below(const struct repair *repair, uint64_t limit,
                               stow_occupancy *occupancy, uint32_t *out_placed) {
  stow_climb *climb = repair->climb;
  stow_status status = put_fixed(climb, occupancy);
  uint64_t next_poll = STOW_FIT_POLL_INTERVAL;
  uint32_t at = 0;
  for (; at < repair->count && status == STOW_OK; ++at) {
    const uint64_t effort = stow_occupancy_effort(occupancy);
    if (effort >= next_poll && stow_context_poll(climb->context, effort))
      break;
    next_poll = effort >= next_poll ? effort + STOW_FIT_POLL_INTERVAL : next_poll;
    const stow_plan_block *block = &climb->model->blocks[climb->order[at]];
    stow_plan_place place;
    status = stow_occupancy_find(occupancy, block, 0, &place);
    if (status != STOW_OK || place.offset + block->size > limit)
      break;
    climb->trial[climb->order[at]] = place.offset;
    status = stow_occupancy_add(occupancy, block, place.offset);
  }
  *out_placed = at;
  return status == STOW_OVERFLOW ? STOW_OK : status;
}

static stow_status attempt(const struct repair *repair, uint64_t limit, uint32_t *out_placed) {
  stow_memory memory;
  stow_memory_begin(&memory, &repair->climb->memory->allocator);
  stow_occupancy *occupancy = stow_occupancy_create(repair->climb->model, &memory);
  stow_status status = occupancy ? STOW_OK : STOW_NO_MEMORY;
  if (status == STOW_OK)
    status = place_below(repair, limit, occupancy, out_placed);
  const uint64_t effort = occupancy ? stow_occupancy_effort(occupancy) : 0;
  stow_memory_end(&memory);
  stow_climb_spend(repair->climb, effort + repair->climb->model->section_count);
  return status;
}

static uint32_t draw(struct repair *repair, uint32_t below) {
  return (uint32_t)(stow_plan_random_next(&repair->random) % below);
}

static void move_block(struct repair *repair, uint32_t from, uint32_t to) {
  uint32_t *const order = repair->climb->order;
  const uint32_t moved = order[from];
  memmove(order + to + 1, order + to, (from - to) * sizeof *order);
  order[to] = moved;
}

static void move_forward(struct repair *repair, uint32_t from) {
  uint32_t to = draw(repair, from + 1);
  if (stow_plan_random_next(&repair->random) % 2)
    to = draw(repair, to + 1);
  move_block(repair, from, to);
}

static void return_to_best(struct repair *repair) {
  memcpy(repair->climb->order, repair->climb->best_order,
         repair->count * sizeof *repair->climb->order);
}

static stow_status run(struct repair *repair) {
  stow_climb *climb = repair->climb;
  stow_status status = STOW_OK;
  unsigned failures = 0;
  while (status == STOW_OK && stow_climb_may_go_on(climb)) {
    uint32_t placed = 0;
    status = attempt(repair, climb->best_size - 1, &placed);
    if (status == STOW_OK && placed == repair->count) {
      stow_climb_keep(climb);
      failures = 0;
    } else if (++failures % STOW_REPAIR_PATIENCE == 0) {
      return_to_best(repair);
    } else {
      move_forward(repair, placed);
    }
  }
  return status;
}

// The last block in the best order that ends at the top of its plan, or begins at the bottom.
static uint32_t outermost(const struct repair *repair, bool top) {
  const stow_climb *climb = repair->climb;
  uint32_t found = 0;
  for (uint32_t i = 0; i < repair->count; ++i) {
    const uint32_t block = climb->best_order[i];
    const uint64_t end = climb->best[block] + climb->model->blocks[block].size;
    if (top ? end == climb->best_size : climb->best[block] == 0)
      found = i;
  }
  return found;
}

static void move_outermost(struct repair *repair) {
  const uint32_t kind = draw(repair, 3);
  const uint32_t from = kind < 2 ? outermost(repair, kind == 0) : draw(repair, repair->count);
  return_to_best(repair);
  move_block(repair, from, draw(repair, from + 1));
}

static stow_status run_level(struct repair *repair) {
  stow_climb *climb = repair->climb;
  stow_status status = STOW_OK;
  while (status == STOW_OK && repair->count && stow_climb_may_go_on(climb)) {
    uint32_t placed = 0;
    move_outermost(repair);
    status = attempt(repair, climb->best_size, &placed);
    if (status == STOW_OK && placed == repair->count)
      stow_climb_keep(climb);
  }
  return status;
}

static stow_status order_by_offset(struct repair *repair) {
  stow_climb *climb = repair->climb;
  const uint32_t count = climb->model->block_count;
  stow_sort_pair *pairs = STOW_TAKE(climb->memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(climb->memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    if (climb->model->blocks[i].fixed == STOW_ANY_OFFSET)
      pairs[repair->count++] = (stow_sort_pair){climb->best[i], i};
  stow_sort_pairs(pairs, scratch, repair->count);
  for (uint32_t i = 0; i < repair->count; ++i)
    climb->order[i] = climb->best_order[i] = pairs[i].index;
  return STOW_OK;
}

stow_status stow_climb_by_repair(stow_climb *climb) {
  struct repair repair = {.climb = climb};
  const stow_status status = order_by_offset(&repair);
  return status == STOW_OK ? run(&repair) : status;
}

stow_status stow_climb_on_the_level(stow_climb *climb) {
  struct repair repair = {.climb = climb, .random = 6};
  const stow_status status = order_by_offset(&repair);
  return status == STOW_OK ? run_level(&repair) : status;
}
