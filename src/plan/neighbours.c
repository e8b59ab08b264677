//===- neighbours.c - where a block can lie among those it meets ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the gaps of all blocks of a model. A query costs a step for each interval that a placed
// neighbour closes, and a heap's for those that lie below the answer.
//
//===----------------------------------------------------------------------===//

#include "neighbours.h"

#include <assert.h>

bool stow_neighbours_begin(const stow_model *model, stow_memory *memory,
                           stow_neighbours *out_neighbours) {
  *out_neighbours = (stow_neighbours){.gaps = model->gaps,
                                      .memory = memory,
                                      .offsets = STOW_TAKE(memory, int64_t, model->block_count)};
  for (uint32_t i = 0; i < model->block_count && out_neighbours->offsets; ++i)
    out_neighbours->offsets[i] = -1;
  return out_neighbours->offsets != NULL;
}

static void sink(stow_neighbours *neighbours, uint32_t at) {
  stow_closed *const heap = neighbours->closed;
  const stow_closed moved = heap[at];
  for (uint32_t child = 2 * at + 1; child < neighbours->count; child = 2 * at + 1) {
    child += child + 1 < neighbours->count && heap[child + 1].low < heap[child].low;
    if (heap[child].low >= moved.low)
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

static bool close(stow_neighbours *neighbours, int64_t low, int64_t high) {
  if (neighbours->count == neighbours->capacity) {
    stow_closed *grown = stow_memory_grow(neighbours->memory, neighbours->closed, neighbours->count,
                                          &neighbours->capacity, sizeof *neighbours->closed);
    if (!grown)
      return false;
    neighbours->closed = grown;
  }
  neighbours->closed[neighbours->count++] = (stow_closed){low, high};
  return true;
}

// A gap ends where an interval begins, and the next one begins where that ends.
static bool close_around(stow_neighbours *neighbours, const stow_gap_pair *pair, uint32_t block) {
  const bool is_second = pair->b == block;
  const int64_t there = neighbours->offsets[is_second ? pair->a : pair->b];
  const stow_gap *gaps = neighbours->gaps->gaps;
  bool good = true;
  for (uint32_t i = pair->first_gap; i + 1 < pair->past_gap && there >= 0 && good; ++i)
    good = is_second ? close(neighbours, there + gaps[i].high, there + gaps[i + 1].low)
                     : close(neighbours, there - gaps[i + 1].low, there - gaps[i].high);
  return good;
}

bool stow_neighbours_enter(stow_neighbours *neighbours, uint32_t block) {
  const stow_gaps *gaps = neighbours->gaps;
  const uint32_t first = gaps->first_of[block], past = gaps->first_of[block + 1];
  bool good = true;
  neighbours->count = 0;
  for (uint32_t i = first; i < past && good; ++i)
    good = close_around(neighbours, &gaps->pairs[gaps->pairs_of[i]], block);
  for (uint32_t at = neighbours->count / 2; at-- > 0;)
    sink(neighbours, at);
  neighbours->effort += past - first + 2 * neighbours->count + 1;
  return good;
}

uint64_t stow_neighbours_raise(stow_neighbours *neighbours, uint64_t alignment,
                               uint64_t *inout_offset) {
  stow_closed *const heap = neighbours->closed;
  int64_t offset = (int64_t)*inout_offset;
  for (; neighbours->count && heap->low < offset; ++neighbours->effort) {
    if (offset < heap->high)
      offset = (int64_t)(((uint64_t)heap->high + alignment - 1) & ~(alignment - 1));
    *heap = heap[--neighbours->count];
    if (neighbours->count)
      sink(neighbours, 0);
  }
  *inout_offset = (uint64_t)offset;
  return neighbours->count ? (uint64_t)(heap->low - offset) : UINT64_MAX;
}
