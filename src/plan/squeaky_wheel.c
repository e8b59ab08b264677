//===- squeaky_wheel.c - moving all that is too high to the front ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of this climb places all blocks by first fit, sees which end above a
// limit, moves those forward in the order, to the very front or half the way, and
// places again. It changes much at once and so gains much in few steps; repair.c
// moves one block at a time and gains the rest. A step costs what a heuristic
// costs. Every start gets one step, the best of them many more.
//
// Source: D. E. Joslin and D. P. Clements, Squeaky Wheel Optimization, JAIR 10, 1999.
//
//===----------------------------------------------------------------------===//

#include "climb.h"
#include "limits.h"
#include "order.h"

#include <string.h>

static const stow_block_order starts[] = {
    {{STOW_LONGEST}},
    {{STOW_LARGEST, STOW_EARLIEST_BEGIN}},
    {{STOW_MOST_BOX}},
    {{STOW_LARGEST, STOW_LATEST_BEGIN}},
};

enum { START_COUNT = sizeof starts / sizeof *starts };

static stow_status start_from(stow_climb *climb, const stow_block_order *order) {
  const uint32_t count = climb->model->block_count;
  for (uint32_t i = 0; i < count; ++i)
    climb->order[i] = i;
  uint64_t arena_size;
  stow_status status =
      stow_plan_order_blocks(climb->model, order, climb->memory, climb->order, count);
  if (status == STOW_OK)
    status = stow_climb_place(climb, &arena_size);
  if (status != STOW_OK || !stow_climb_may_go_on(climb))
    return status;
  stow_climb_move_high(climb, 0, climb->best_size - 1, STOW_TO_FRONT);
  return stow_climb_place(climb, &arena_size);
}

// Goes on from the best order found, with one stride and one limit.
static stow_status go_on(stow_climb *climb, stow_stride stride, bool to_goal) {
  memcpy(climb->order, climb->best_order, climb->model->block_count * sizeof *climb->order);
  uint64_t arena_size;
  stow_status status = stow_climb_place(climb, &arena_size);
  for (unsigned failures = 0;
       failures < STOW_SQUEAK_PATIENCE && status == STOW_OK && stow_climb_may_go_on(climb);
       ++failures) {
    const uint64_t best_size = climb->best_size;
    stow_climb_move_high(climb, 0, to_goal ? climb->goal : best_size - 1, stride);
    status = stow_climb_place(climb, &arena_size);
    if (arena_size < best_size)
      failures = 0;
  }
  return status;
}

stow_status stow_climb_by_squeaky_wheel(stow_climb *climb) {
  stow_status status = STOW_OK;
  for (unsigned i = 0; i < START_COUNT && status == STOW_OK && stow_climb_may_go_on(climb); ++i)
    status = start_from(climb, &starts[i]);
  for (unsigned i = 0; i < 2 * STOW_STRIDE_COUNT && status == STOW_OK; ++i)
    if (stow_climb_may_go_on(climb))
      status = go_on(climb, i % STOW_STRIDE_COUNT == 0 ? STOW_HALF_WAY : STOW_TO_FRONT,
                     i >= STOW_STRIDE_COUNT);
  return status;
}
