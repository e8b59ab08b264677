//===- recent.c - preferring bytes freed last -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the blocks by begin. Each may move to the offset of one of the
// blocks that ended last before it, if it fits there among all others and bytes
// there were in use more recently than where it lies. All others stay, so the
// plan stays valid and the arena does not grow.
//
//===----------------------------------------------------------------------===//

#include "recent.h"
#include "order.h"
#include "sort.h"

#include <assert.h>

// Blocks that ended last whose places are tried.
enum { CANDIDATES = 8 };

struct mover {
  const stow_model *model;
  uint64_t arena_size;
  uint64_t *offsets;
  const uint32_t *by_end;
};

static bool share_bytes(const struct mover *mover, uint32_t other, uint64_t begin, uint64_t end) {
  const uint64_t offset = mover->offsets[other];
  return offset < end && begin < offset + mover->model->blocks[other].size;
}

// Whether the block fits at `offset`; and the last end of what lay there before, INT64_MIN:
// nothing.
static bool look_at(const struct mover *mover, uint32_t block, uint64_t offset,
                    int64_t *out_freed) {
  const stow_model *model = mover->model;
  const stow_span *span = model->blocks[block].spans;
  const uint64_t end = offset + model->blocks[block].size;
  *out_freed = INT64_MIN;
  for (uint32_t i = 0; i < model->block_count; ++i) {
    const stow_span *other = model->blocks[i].spans;
    if (i == block || !share_bytes(mover, i, offset, end))
      continue;
    if (other->begin < span->end && span->begin < other->end)
      return false;
    if (other->end <= span->begin && model->blocks[i].end > *out_freed)
      *out_freed = model->blocks[i].end;
  }
  return true;
}

static void try_place(struct mover *mover, uint32_t block, uint64_t from, int64_t *inout_freed) {
  const stow_block *b = &mover->model->blocks[block];
  uint64_t offset;
  int64_t freed;
  if (!stow_align_up(from, b->alignment, &offset) || b->size > mover->arena_size ||
      offset > mover->arena_size - b->size || !look_at(mover, block, offset, &freed) ||
      freed <= *inout_freed)
    return;
  mover->offsets[block] = offset;
  *inout_freed = freed;
}

// `ended` blocks of by_end ended before this one begins.
static void move_block(struct mover *mover, uint32_t block, uint32_t ended) {
  int64_t freed;
  (void)look_at(mover, block, mover->offsets[block], &freed);
  for (uint32_t i = 0; i < CANDIDATES && i < ended; ++i)
    try_place(mover, block, mover->offsets[mover->by_end[ended - 1 - i]], &freed);
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

stow_status stow_prefer_recent(const stow_model *model, uint64_t arena_size, stow_context *context,
                               stow_memory *memory, uint64_t *inout_offsets) {
  assert(model->simple);
  uint32_t *by_begin = STOW_TAKE(memory, uint32_t, model->block_count);
  uint32_t *by_end = sort_by_end(model, memory);
  if (!by_begin || !by_end)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count; ++i)
    by_begin[i] = i;
  const stow_order order = {{STOW_EARLIEST_BEGIN}};
  const stow_status status = stow_order_blocks(model, &order, memory, by_begin, model->block_count);
  struct mover mover = {model, arena_size, inout_offsets, by_end};
  uint32_t ended = 0;
  for (uint32_t i = 0; i < model->block_count && status == STOW_OK; ++i) {
    const stow_block *block = &model->blocks[by_begin[i]];
    while (model->blocks[by_end[ended]].end <= block->begin)
      ++ended;
    if (block->fixed == STOW_ANY_OFFSET)
      move_block(&mover, by_begin[i], ended);
    if (!stow_context_spend(context, (uint64_t)CANDIDATES * model->block_count))
      break;
  }
  return status;
}
