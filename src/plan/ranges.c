//===- ranges.c - sorted lists of byte ranges -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ranges.h"

#include <string.h>

enum { POOL_RANGES = 4096, LOG_CHUNK = 6, CHUNK = STOW_RANGES_CHUNK };

_Static_assert(CHUNK == 1 << LOG_CHUNK, "a chunk is a power of two");

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

// Behind the ranges of a list that may have whole chunks stand their largest gaps.
static size_t ranges_needed(uint32_t log_capacity) {
  const size_t capacity = (size_t)1 << log_capacity;
  return log_capacity > LOG_CHUNK ? capacity + (capacity >> (LOG_CHUNK + 1)) : capacity;
}

static uint64_t *gaps_of(const stow_plan_ranges *ranges) {
  return (uint64_t *)(ranges->at + ((size_t)1 << ranges->log_capacity));
}

static stow_range *take_fresh(stow_ranges_pool *pool, uint32_t log_capacity) {
  const size_t needed = ranges_needed(log_capacity);
  if (needed > POOL_RANGES)
    return STOW_TAKE(pool->memory, stow_range, needed);
  if (pool->chunk_left < needed) {
    pool->chunk = STOW_TAKE(pool->memory, stow_range, POOL_RANGES);
    if (!pool->chunk)
      return NULL;
    pool->chunk_left = POOL_RANGES;
  }
  pool->chunk_left -= needed;
  return pool->chunk + pool->chunk_left;
}

static stow_range *take(stow_ranges_pool *pool, uint32_t log_capacity) {
  stow_range *reused = pool->outgrown[log_capacity];
  if (!reused)
    return take_fresh(pool, log_capacity);
  pool->outgrown[log_capacity] = (stow_range *)(uintptr_t)reused->begin;
  return reused;
}

static void keep_outgrown(stow_ranges_pool *pool, stow_range *at, uint32_t log_capacity) {
  at->begin = (uint64_t)(uintptr_t)pool->outgrown[log_capacity];
  pool->outgrown[log_capacity] = at;
}

static bool make_room(stow_plan_ranges *ranges, stow_ranges_pool *pool) {
  if (ranges->at && ranges->count < UINT32_C(1) << ranges->log_capacity)
    return true;
  const uint32_t log_capacity = ranges->at ? ranges->log_capacity + 1 : 0;
  stow_range *at = take(pool, log_capacity);
  if (!at)
    return false;
  if (ranges->at) {
    memcpy(at, ranges->at, ranges->count * sizeof *at);
    keep_outgrown(pool, ranges->at, ranges->log_capacity);
  }
  ranges->at = at;
  ranges->log_capacity = log_capacity & 63;
  ranges->known = 0;
  return true;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static uint64_t largest_gap(const stow_range *at) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < CHUNK; ++i) {
    const uint64_t gap = at[i + 1].begin - at[i].end;
    largest = gap > largest ? gap : largest;
  }
  return largest;
}

// A chunk with a range behind it.
static uint64_t gap_in(stow_plan_ranges *ranges, uint32_t chunk) {
  uint64_t *gaps = gaps_of(ranges);
  for (; ranges->known <= chunk; ++ranges->known)
    gaps[ranges->known] = largest_gap(ranges->at + ((size_t)ranges->known << LOG_CHUNK));
  return gaps[chunk];
}

uint32_t stow_ranges_skip_chunks(stow_plan_ranges *ranges, uint32_t from, uint64_t size) {
  while (from < ranges->count - CHUNK && gap_in(ranges, from >> LOG_CHUNK) < size)
    from += CHUNK;
  return from;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

// What is known stays true, if not exact, where gaps only shrink. It does not where ranges move.
static void forget(stow_plan_ranges *ranges, uint32_t from) {
  const uint32_t chunk = (from ? from - 1 : 0) >> LOG_CHUNK;
  if (ranges->known > chunk)
    ranges->known = chunk & ((1u << 26) - 1);
}

// The first range that ends at `offset` or above it. Without a branch that depends on the ranges:
// blocks come in no order of offsets.
static uint32_t first_from(const stow_plan_ranges *ranges, uint64_t offset) {
  const stow_range *first = ranges->at;
  uint32_t left = ranges->count;
  while (left > 1) {
    const uint32_t half = left / 2;
    first += first[half - 1].end < offset ? half : 0;
    left -= half;
  }
  return (uint32_t)(first - ranges->at) + (left == 1 && first->end < offset);
}

bool stow_ranges_add(stow_plan_ranges *ranges, stow_ranges_pool *pool, uint64_t begin,
                     uint64_t end) {
  const uint32_t first = first_from(ranges, begin);
  if (first < ranges->count && ranges->at[first].begin <= begin && end <= ranges->at[first].end)
    return true;
  uint32_t past = first;
  for (; past < ranges->count && ranges->at[past].begin <= end; ++past) {
    begin = ranges->at[past].begin < begin ? ranges->at[past].begin : begin;
    end = ranges->at[past].end > end ? ranges->at[past].end : end;
  }
  if (past == first && !make_room(ranges, pool))
    return false;
  if (past != first + 1) {
    forget(ranges, first);
    memmove(ranges->at + first + 1, ranges->at + past, (ranges->count - past) * sizeof *ranges->at);
  }
  ranges->count = ranges->count - (past - first) + 1;
  ranges->at[first] = (stow_range){begin, end};
  return true;
}
