//===- recent.c - preferring bytes freed last -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place is as recent as the end of the last block that began there, at the same
// offset or the alignment's next. One pass over the blocks by begin: each that is
// not fixed moves to the most recent place before its begin, among all others as
// they lie now; of several to the lowest, but it stays where it is if that is as
// good. Blocks keep clear of each other and of the arena's end, so the plan stays
// one, and the arena does not grow.
//
//===----------------------------------------------------------------------===//

#include "recent.h"
#include "order.h"
#include "ranges.h"
#include "sort.h"

#include <assert.h>

struct mover {
  const stow_model *model;
  uint64_t arena_size;
  uint64_t *offsets;
  const uint32_t *by_end;
  stow_range *taken; // bytes of those alive with the block at hand, sorted and merged
  uint32_t taken_count;
  stow_sort_pair *pairs, *scratch;
  uint64_t effort;
};

static stow_range bytes_of(const struct mover *mover, uint32_t block) {
  const uint64_t offset = mover->offsets[block];
  return (stow_range){offset, offset + mover->model->blocks[block].size};
}

static void merge_taken(struct mover *mover, uint32_t count) {
  stow_sort_pairs(mover->pairs, mover->scratch, count);
  mover->taken_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const stow_range bytes = bytes_of(mover, mover->pairs[i].index);
    stow_range *last = mover->taken + mover->taken_count;
    if (mover->taken_count && bytes.begin <= last[-1].end)
      last[-1].end = bytes.end > last[-1].end ? bytes.end : last[-1].end;
    else
      mover->taken[mover->taken_count++] = bytes;
  }
}

// Lists what is taken while the block is alive.
static void look_around(struct mover *mover, uint32_t block) {
  const stow_model *model = mover->model;
  const stow_plan_span *span = model->blocks[block].spans;
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->block_count; ++i) {
    const stow_plan_span *other = model->blocks[i].spans;
    if (other->begin < span->end && span->begin < other->end && i != block)
      mover->pairs[count++] = (stow_sort_pair){mover->offsets[i], i};
  }
  merge_taken(mover, count);
  mover->effort += model->block_count + 4 * (uint64_t)count;
}

static uint32_t first_ending_above(const struct mover *mover, uint64_t byte) {
  uint32_t low = 0, high = mover->taken_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (mover->taken[middle].end <= byte)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_free_place(const struct mover *mover, const stow_plan_block *block,
                          uint64_t offset) {
  if (block->size > mover->arena_size || offset > mover->arena_size - block->size)
    return false;
  const uint32_t next = first_ending_above(mover, offset);
  return next == mover->taken_count || mover->taken[next].begin >= offset + block->size;
}

// `ended` blocks of by_end ended before this one begins. Goes through them, the last first, as far
// as they ended at the same time as the first whose place is free.
static void move_block(struct mover *mover, uint32_t block, uint32_t ended) {
  const stow_plan_block *b = &mover->model->blocks[block];
  const uint64_t stays = mover->offsets[block];
  uint64_t best = UINT64_MAX, offset;
  int64_t recent = INT64_MIN;
  look_around(mover, block);
  for (; ended-- > 0 && best != stays; mover->effort += 4) {
    const uint32_t other = mover->by_end[ended];
    if (best != UINT64_MAX && mover->model->blocks[other].end < recent)
      break;
    if (!stow_align_up(mover->offsets[other], b->alignment, &offset) ||
        !is_free_place(mover, b, offset))
      continue;
    best = offset == stays || offset < best ? offset : best;
    recent = mover->model->blocks[other].end;
  }
  if (best != UINT64_MAX)
    mover->offsets[block] = best;
}

static uint32_t *sort_by_end(const stow_model *model, stow_memory *memory) {
  stow_sort_pair *pairs = STOW_TAKE(memory, stow_sort_pair, model->block_count);
  stow_sort_pair *scratch = STOW_TAKE(memory, stow_sort_pair, model->block_count);
  uint32_t *by_end = STOW_TAKE(memory, uint32_t, model->block_count);
  if (!pairs || !scratch || !by_end)
    return NULL;
  for (uint32_t i = 0; i < model->block_count; ++i)
    pairs[i] = (stow_sort_pair){stow_sort_signed(model->blocks[i].end), i};
  stow_sort_pairs(pairs, scratch, model->block_count);
  for (uint32_t i = 0; i < model->block_count; ++i)
    by_end[i] = pairs[i].index;
  return by_end;
}

static stow_status make_mover(struct mover *mover, stow_memory *memory) {
  const uint32_t count = mover->model->block_count;
  mover->by_end = sort_by_end(mover->model, memory);
  mover->taken = STOW_TAKE(memory, stow_range, count);
  mover->pairs = STOW_TAKE(memory, stow_sort_pair, count);
  mover->scratch = STOW_TAKE(memory, stow_sort_pair, count);
  return mover->by_end && mover->taken && mover->pairs && mover->scratch ? STOW_OK : STOW_NO_MEMORY;
}

stow_status stow_prefer_recent(const stow_model *model, uint64_t arena_size, stow_context *context,
                               stow_memory *memory, uint64_t *inout_offsets) {
  assert(model->simple);
  struct mover mover = {.model = model, .arena_size = arena_size, .offsets = inout_offsets};
  const stow_block_order order = {{STOW_EARLIEST_BEGIN}};
  uint32_t *by_begin = STOW_TAKE(memory, uint32_t, model->block_count);
  if (!by_begin || make_mover(&mover, memory) != STOW_OK)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count; ++i)
    by_begin[i] = i;
  const stow_status status = stow_order_blocks(model, &order, memory, by_begin, model->block_count);
  uint32_t ended = 0;
  for (uint32_t i = 0; i < model->block_count && status == STOW_OK; ++i) {
    const stow_plan_block *block = &model->blocks[by_begin[i]];
    while (model->blocks[mover.by_end[ended]].end <= block->begin)
      ++ended;
    if (block->fixed == STOW_ANY_OFFSET)
      move_block(&mover, by_begin[i], ended);
    const bool goes_on = stow_context_spend(context, mover.effort);
    mover.effort = 0;
    if (!goes_on)
      break;
  }
  return status;
}
