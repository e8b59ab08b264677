//===- ranges.h - sorted lists of byte ranges -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranges of a list are sorted, disjoint and do not touch: what touches is
// merged. One asks a list where bytes are free at or above an offset. In a long
// list most gaps are too small for most questions, so of every CHUNK ranges in a
// row it is kept how large the largest gap is, and a question passes over chunks
// without one large enough. A change forgets what was known of the chunks behind
// it; the next question that comes so far finds it out again.
//
// Lists grow by doubling; what they outgrow is kept per size for the next.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_RANGES_H
#define STOWAGE_PLAN_RANGES_H

#include "memory.h"

#include <stdbool.h>

typedef struct stow_range {
  uint64_t begin, end;
} stow_range;

// All zero: empty.
typedef struct stow_plan_ranges {
  stow_range *at;
  uint32_t count;
  unsigned log_capacity : 6; // meaningful where `at` is not NULL
  unsigned known : 26;       // chunks whose largest gap is known
} stow_plan_ranges;

enum { STOW_RANGES_LOGS = 32 };

// Where lists get their memory.
typedef struct stow_ranges_pool {
  stow_memory *memory;
  stow_range *outgrown[STOW_RANGES_LOGS]; // linked through the `begin` of the first
  stow_range *chunk;                      // fresh ranges, taken piece by piece
  size_t chunk_left;
} stow_ranges_pool;

// Adds [begin, end) and merges it with all it meets or touches. False: no memory.
bool stow_ranges_add(stow_plan_ranges *ranges, stow_ranges_pool *pool, uint64_t begin,
                     uint64_t end);

// The first of `count` ranges at or after index `from` that ends at `offset` or above it. The
// search doubles its stride, for most answers are near.
static inline uint32_t stow_ranges_find(const stow_range *at, uint32_t count, uint32_t from,
                                        uint64_t offset) {
  uint32_t below = from, stride = 1;
  while (below + stride <= count && at[below + stride - 1].end < offset) {
    below += stride;
    stride *= 2;
  }
  uint32_t above = stride <= count - below ? below + stride - 1 : count;
  while (below < above) {
    const uint32_t middle = below + (above - below) / 2;
    if (at[middle].end < offset)
      below = middle + 1;
    else
      above = middle;
  }
  return below;
}

enum { STOW_RANGES_CHUNK = 64 };

uint32_t stow_ranges_skip_chunks(stow_plan_ranges *ranges, uint32_t from, uint64_t size);

// Of the gaps that follow the ranges from index `from` on, passes over those that are seen at once
// to be smaller than `size`. Returns the range behind which to look first.
static inline uint32_t stow_ranges_skip(stow_plan_ranges *ranges, uint32_t from, uint64_t size) {
  const bool at_chunk = from % STOW_RANGES_CHUNK == 0 && ranges->count > STOW_RANGES_CHUNK;
  return at_chunk ? stow_ranges_skip_chunks(ranges, from, size) : from;
}

#endif // STOWAGE_PLAN_RANGES_H
