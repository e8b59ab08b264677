//===- partners.c - buffers that could share with another ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers could share bytes if one ends before the other begins, if one lives in a
// gap of the other's life, or if they exclude each other. A sweep over first ends, last
// begins and gaps answers for all buffers of an arena in O(n log n). A buffer with gaps
// of its own, or an exclusive partner, is taken to have one.
//
//===----------------------------------------------------------------------===//

#include "arena/partners.h"

#include <stdlib.h>

typedef struct gap {
  int64_t begin, end;
} gap;

typedef struct sweep {
  int64_t first_end, last_begin;
  size_t planned;
  gap *gaps; // by begin; `end` is the largest so far
  size_t gap_count, gap_capacity;
} sweep;

static void add_gaps(sweep *s, const stow_buffer_fact *fact) {
  for (size_t p = 1; p < fact->piece_count; ++p) {
    s->gaps = stow_grow(s->gaps, s->gap_count, &s->gap_capacity, sizeof *s->gaps);
    s->gaps[s->gap_count++] = (gap){fact->pieces[p - 1].end, fact->pieces[p].begin};
  }
}

static int compare_gaps(const void *a, const void *b) {
  int64_t x = ((const gap *)a)->begin, y = ((const gap *)b)->begin;
  return (x > y) - (x < y);
}

static void sort_gaps(sweep *s) {
  if (s->gap_count > 0)
    qsort(s->gaps, s->gap_count, sizeof *s->gaps, compare_gaps);
  for (size_t g = 1; g < s->gap_count; ++g)
    if (s->gaps[g].end < s->gaps[g - 1].end)
      s->gaps[g].end = s->gaps[g - 1].end;
}

static bool fits_in_gap(const sweep *s, const stow_buffer_fact *fact) {
  size_t low = 0, high = s->gap_count;
  while (low < high) { // the first gap that begins later
    size_t middle = low + (high - low) / 2;
    if (s->gaps[middle].begin <= fact->begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && s->gaps[low - 1].end >= fact->end;
}

static sweep sweep_over(const stow_function_memory *function, const stow_arena *arena) {
  sweep s = {.first_end = INT64_MAX, .last_begin = INT64_MIN};
  for (size_t i = 0; i < arena->member_count; ++i) {
    const stow_buffer_fact *fact = &function->buffers[arena->members[i]];
    if (fact->reason != STOW_PLANNED)
      continue;
    ++s.planned;
    if (fact->size == 0)
      continue;
    s.first_end = fact->end < s.first_end ? fact->end : s.first_end;
    s.last_begin = fact->begin > s.last_begin ? fact->begin : s.last_begin;
    add_gaps(&s, fact);
  }
  sort_gaps(&s);
  return s;
}

static bool has_partner(const sweep *s, const stow_buffer_fact *fact) {
  if (fact->size == 0)
    return false;
  return s->first_end <= fact->begin || s->last_begin >= fact->end || fact->piece_count > 1 ||
         fact->exclusive || fits_in_gap(s, fact);
}

bool stow_drop_partnerless(stow_function_memory *function, const stow_arena *arena, bool pool_all) {
  sweep s = sweep_over(function, arena);
  bool changed = false;
  for (size_t i = 0; i < arena->member_count; ++i) {
    stow_buffer_fact *fact = &function->buffers[arena->members[i]];
    if (fact->reason != STOW_PLANNED || has_partner(&s, fact) || (pool_all && s.planned > 1))
      continue;
    fact->reason = fact->size == 0 ? STOW_EMPTY : STOW_NO_PARTNER;
    changed = true;
  }
  free(s.gaps);
  return changed;
}
