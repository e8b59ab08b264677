//===- climb.c - looking for a better order of first fit ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "climb.h"
#include "fit.h"

#include <string.h>

stow_status stow_climb_begin(const stow_model *model, uint64_t goal, uint64_t arena_size,
                             stow_context *context, stow_memory *memory, uint64_t *inout_offsets,
                             stow_climb *out_climb) {
  const uint32_t count = model->block_count;
  *out_climb = (stow_climb){.model = model,
                            .context = context,
                            .memory = memory,
                            .goal = goal,
                            .order = STOW_TAKE(memory, uint32_t, count),
                            .next = STOW_TAKE(memory, uint32_t, count),
                            .best_order = STOW_TAKE(memory, uint32_t, count),
                            .trial = STOW_TAKE_ZEROED(memory, uint64_t, count),
                            .best = inout_offsets,
                            .best_size = arena_size};
  if (!out_climb->order || !out_climb->next || !out_climb->best_order || !out_climb->trial)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    out_climb->order[i] = out_climb->best_order[i] = i;
  return STOW_OK;
}

bool stow_climb_may_go_on(const stow_climb *climb) {
  return climb->left && climb->best_size > climb->goal && stow_context_may_work(climb->context);
}

void stow_climb_spend(stow_climb *climb, uint64_t effort) {
  climb->left -= effort < climb->left ? effort : climb->left;
  stow_context_spend(climb->context, effort);
}

void stow_climb_keep(stow_climb *climb) {
  const size_t count = climb->model->block_count;
  memcpy(climb->best, climb->trial, count * sizeof *climb->best);
  memcpy(climb->best_order, climb->order, count * sizeof *climb->order);
  climb->best_size = stow_plan_model_arena(climb->model, climb->best);
  climb->context->arena_size = climb->best_size;
}

stow_status stow_climb_place(stow_climb *climb, uint64_t *out_arena_size) {
  stow_memory memory;
  stow_memory_begin(&memory, &climb->memory->allocator);
  stow_fitting fitting;
  uint64_t effort;
  *out_arena_size = UINT64_MAX;
  const stow_status status =
      stow_plan_fit_blocks(climb->model, STOW_FIT_FIRST, climb->order, climb->model->block_count,
                           climb->context, &memory, climb->trial, &fitting, &effort);
  stow_memory_end(&memory);
  stow_climb_spend(climb, effort);
  if (status == STOW_OK && fitting == STOW_FITTED)
    *out_arena_size = stow_plan_model_arena(climb->model, climb->trial);
  if (*out_arena_size < climb->best_size)
    stow_climb_keep(climb);
  return status == STOW_OVERFLOW ? STOW_OK : status;
}

static bool is_too_high(const stow_climb *climb, uint32_t at, uint64_t limit) {
  const uint32_t block = climb->order[at];
  return climb->trial[block] + climb->model->blocks[block].size > limit;
}

// Merges the blocks too high, each as if it had half its place or none, with the others.
void stow_climb_move_high(stow_climb *climb, uint32_t front, uint64_t limit, stow_stride stride) {
  const uint32_t count = climb->model->block_count;
  uint32_t high = front, low = front, made = front;
  memcpy(climb->next, climb->order, front * sizeof *climb->order);
  while (made < count) {
    while (high < count && !is_too_high(climb, high, limit))
      ++high;
    while (low < count && is_too_high(climb, low, limit))
      ++low;
    const bool is_due = stride == STOW_TO_FRONT || (high - front) / 2 <= low - front;
    const bool take_high = high < count && (low == count || is_due);
    climb->next[made++] = climb->order[take_high ? high++ : low++];
  }
  uint32_t *const swapped = climb->order;
  climb->order = climb->next;
  climb->next = swapped;
}
