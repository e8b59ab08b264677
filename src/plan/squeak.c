//===- squeak.c - moving all that is too high to the front ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of this search places all blocks by first fit, sees which end above a
// limit, moves those forward in the order, to the very front or half the way, and
// places again. It changes much at once and so gains much in few steps; repair.c
// moves one block at a time and gains the rest. A step costs what a heuristic
// costs. Every start gets one step, the best of them many more.
//
//===----------------------------------------------------------------------===//

#include "fit.h"
#include "order.h"
#include "repair.h"

#include <string.h>

// Steps without gain before a start, or the whole, is given up.
enum { PATIENCE = 6 };

static const stow_order starts[] = {
    {{STOW_LONGEST}},
    {{STOW_LARGEST, STOW_EARLIEST_BEGIN}},
    {{STOW_MOST_BOX}},
    {{STOW_LARGEST, STOW_LATEST_BEGIN}},
};

enum { START_COUNT = sizeof starts / sizeof *starts };

enum move { TO_FRONT, HALF_WAY, MOVE_COUNT };

struct squeak {
  const stow_model *model;
  stow_context *context;
  stow_memory *memory;
  uint64_t goal, left;
  uint32_t *order, *next, *best_order;
  uint64_t *trial, *best;
  uint64_t best_size;
};

static bool may_go_on(const struct squeak *squeak) {
  return squeak->left && squeak->best_size > squeak->goal && stow_context_may_work(squeak->context);
}

static void keep_if_better(struct squeak *squeak, bool *out_better) {
  const uint64_t arena_size = stow_model_arena(squeak->model, squeak->trial);
  *out_better = arena_size < squeak->best_size;
  if (!*out_better)
    return;
  const size_t count = squeak->model->block_count;
  memcpy(squeak->best, squeak->trial, count * sizeof *squeak->best);
  memcpy(squeak->best_order, squeak->order, count * sizeof *squeak->order);
  squeak->best_size = squeak->context->arena_size = arena_size;
}

static stow_status place(struct squeak *squeak, bool *out_better) {
  stow_memory memory;
  stow_memory_begin(&memory, &squeak->memory->allocator);
  bool possible;
  uint64_t effort;
  *out_better = false;
  const stow_status status =
      stow_fit_blocks(squeak->model, STOW_FIT_FIRST, squeak->order, squeak->model->block_count,
                      &memory, squeak->trial, &possible, &effort);
  stow_memory_end(&memory);
  squeak->left -= effort < squeak->left ? effort : squeak->left;
  stow_context_spend(squeak->context, effort);
  if (status == STOW_OK && possible)
    keep_if_better(squeak, out_better);
  return status == STOW_OVERFLOW ? STOW_OK : status;
}

static bool is_too_high(const struct squeak *squeak, uint32_t block, uint64_t limit) {
  return squeak->trial[block] + squeak->model->blocks[block].size > limit;
}

// Merges the blocks too high, each as if it had half its place or none, with the others.
static void move_forward(struct squeak *squeak, uint64_t limit, enum move move) {
  const uint32_t count = squeak->model->block_count;
  uint32_t high = 0, low = 0, made = 0;
  while (made < count) {
    while (high < count && !is_too_high(squeak, squeak->order[high], limit))
      ++high;
    while (low < count && is_too_high(squeak, squeak->order[low], limit))
      ++low;
    const bool take_high = high < count && (low == count || move == TO_FRONT || high / 2 <= low);
    squeak->next[made++] = squeak->order[take_high ? high++ : low++];
  }
  uint32_t *const swapped = squeak->order;
  squeak->order = squeak->next;
  squeak->next = swapped;
}

static stow_status start_from(struct squeak *squeak, const stow_order *order) {
  for (uint32_t i = 0; i < squeak->model->block_count; ++i)
    squeak->order[i] = i;
  bool better;
  stow_status status = stow_order_blocks(squeak->model, order, squeak->memory, squeak->order,
                                         squeak->model->block_count);
  if (status == STOW_OK)
    status = place(squeak, &better);
  if (status != STOW_OK || !may_go_on(squeak))
    return status;
  move_forward(squeak, squeak->best_size - 1, TO_FRONT);
  return place(squeak, &better);
}

// Goes on from the best order found, with one kind of move and of limit.
static stow_status go_on(struct squeak *squeak, enum move move, bool to_goal) {
  memcpy(squeak->order, squeak->best_order, squeak->model->block_count * sizeof *squeak->order);
  bool better;
  stow_status status = place(squeak, &better);
  for (unsigned failures = 0; failures < PATIENCE && status == STOW_OK && may_go_on(squeak);
       ++failures) {
    move_forward(squeak, to_goal ? squeak->goal : squeak->best_size - 1, move);
    status = place(squeak, &better);
    if (better)
      failures = 0;
  }
  return status;
}

static stow_status run(struct squeak *squeak) {
  stow_status status = STOW_OK;
  for (unsigned i = 0; i < START_COUNT && status == STOW_OK && may_go_on(squeak); ++i)
    status = start_from(squeak, &starts[i]);
  for (unsigned i = 0; i < 2 * MOVE_COUNT && status == STOW_OK && may_go_on(squeak); ++i)
    status = go_on(squeak, i % MOVE_COUNT == 0 ? HALF_WAY : TO_FRONT, i >= MOVE_COUNT);
  return status;
}

stow_status stow_squeak(const stow_model *model, uint64_t goal, uint64_t max_effort,
                        stow_context *context, stow_memory *memory, uint64_t *inout_offsets,
                        uint64_t *inout_arena_size) {
  struct squeak squeak = {.model = model,
                          .context = context,
                          .memory = memory,
                          .goal = goal,
                          .left = max_effort,
                          .best = inout_offsets,
                          .best_size = *inout_arena_size};
  squeak.order = STOW_TAKE(memory, uint32_t, model->block_count);
  squeak.next = STOW_TAKE(memory, uint32_t, model->block_count);
  squeak.best_order = STOW_TAKE(memory, uint32_t, model->block_count);
  squeak.trial = STOW_TAKE(memory, uint64_t, model->block_count);
  if (!squeak.order || !squeak.next || !squeak.best_order || !squeak.trial)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count; ++i)
    squeak.best_order[i] = i;
  const stow_status status = run(&squeak);
  *inout_arena_size = squeak.best_size;
  return status;
}
