//===- stacking.c - plans for sizes that are not known yet -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a plan of buffers for some sizes. Keeps of it only who lies directly below whom, which
// holds for all sizes: a buffer lies on the highest end below it. Two buffers that are alive
// together are always one below the other. The verifier finds that out by itself.
//
//===----------------------------------------------------------------------===//

#include "stowage/stacking.h"
#include "memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Sets of buffers, one per buffer
//===----------------------------------------------------------------------===//

typedef struct sets {
  size_t words; // of one set
  uint64_t *bits;
} sets;

static bool make_sets(size_t count, sets *out) {
  out->words = count / 64 + 1;
  out->bits = calloc(count * out->words + 1, sizeof *out->bits);
  return out->bits != NULL;
}

static uint64_t *set_of(const sets *s, size_t buffer) { return s->bits + buffer * s->words; }

static bool has(const sets *s, size_t buffer, size_t other) {
  return set_of(s, buffer)[other / 64] >> other % 64 & 1;
}

static void put(const sets *s, size_t buffer, size_t other) {
  set_of(s, buffer)[other / 64] |= UINT64_C(1) << other % 64;
}

static void put_all(const sets *s, size_t buffer, size_t from) {
  for (size_t w = 0; w < s->words; ++w)
    set_of(s, buffer)[w] |= set_of(s, from)[w];
}

//===----------------------------------------------------------------------===//
// Who is alive together
//===----------------------------------------------------------------------===//

static bool is_plain(const stow_problem *problem) {
  bool plain = !problem->fixed_offsets && problem->space_count == 0 &&
               problem->buffer_count <= STOW_STACKING_MOST_BUFFERS;
  for (size_t r = 0; r < problem->relation_count; ++r)
    plain &= problem->relations[r].kind == STOW_EXCLUSIVE;
  if (problem->piece_starts)
    for (size_t p = 0; p < problem->piece_starts[problem->buffer_count]; ++p)
      plain &= problem->pieces[p].high == 0;
  return plain;
}

typedef struct life {
  const stow_piece *pieces;
  size_t count;
  stow_piece hull;
} life;

static void read_life(const stow_problem *problem, size_t buffer, life *out) {
  out->hull =
      (stow_piece){.begin = problem->buffers[buffer].begin, .end = problem->buffers[buffer].end};
  out->count =
      problem->piece_starts ? problem->piece_starts[buffer + 1] - problem->piece_starts[buffer] : 0;
  out->pieces = out->count ? problem->pieces + problem->piece_starts[buffer] : &out->hull;
  out->count += out->count == 0;
}

static bool meet(const life *a, const life *b) {
  if (a->hull.end <= b->hull.begin || b->hull.end <= a->hull.begin)
    return false;
  for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
    if (a->pieces[i].begin < b->pieces[j].end && b->pieces[j].begin < a->pieces[i].end)
      return true;
    a->pieces[i].end <= b->pieces[j].end ? ++i : ++j;
  }
  return false;
}

// Per buffer those that must not share bytes with it, whatever the sizes.
static bool find_conflicts(const stow_problem *problem, sets *out) {
  const size_t count = problem->buffer_count;
  life *lives = calloc(count + 1, sizeof *lives);
  if (!lives || !make_sets(count, out)) {
    free(lives);
    return false;
  }
  for (size_t i = 0; i < count; ++i)
    read_life(problem, i, &lives[i]);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (meet(&lives[i], &lives[j])) {
        put(out, i, j);
        put(out, j, i);
      }
  for (size_t r = 0; r < problem->relation_count; ++r) {
    const size_t a = problem->relations[r].first, b = problem->relations[r].second;
    set_of(out, a)[b / 64] &= ~(UINT64_C(1) << b % 64);
    set_of(out, b)[a / 64] &= ~(UINT64_C(1) << a % 64);
  }
  free(lives);
  return true;
}

//===----------------------------------------------------------------------===//
// From a plan to a stacking
//===----------------------------------------------------------------------===//

typedef struct placed {
  uint64_t offset;
  size_t buffer;
} placed;

static int compare_placed(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static bool sort_by_offset(const uint64_t *offsets, stow_stacking *s) {
  placed *list = calloc(s->buffer_count + 1, sizeof *list);
  if (!list)
    return false;
  for (size_t i = 0; i < s->buffer_count; ++i)
    list[i] = (placed){offsets[i], i};
  if (s->buffer_count > 1)
    qsort(list, s->buffer_count, sizeof *list, compare_placed);
  for (size_t i = 0; i < s->buffer_count; ++i)
    s->order[i] = list[i].buffer;
  free(list);
  return true;
}

// Those directly below the buffer at `place` of the order: from the highest down, who is not below
// one of them.
typedef struct list {
  stow_memory memory;
  size_t *at;
  uint32_t count, capacity;
} list;

static bool add(list *l, size_t buffer) {
  size_t *at = l->at;
  if (l->count == l->capacity)
    at = stow_memory_grow(&l->memory, at, l->count, &l->capacity, sizeof *at);
  if (!at)
    return false;
  l->at = at;
  l->at[l->count++] = buffer;
  return true;
}

static bool find_below(const stow_stacking *s, const sets *conflicts, const sets *under,
                       size_t place, list *below) {
  const size_t buffer = s->order[place];
  for (size_t p = place; p-- > 0;) {
    const size_t other = s->order[p];
    if (!has(conflicts, buffer, other) || has(under, buffer, other))
      continue;
    put(under, buffer, other);
    put_all(under, buffer, other);
    if (!add(below, other))
      return false;
  }
  return true;
}

static bool list_below(stow_stacking *s, const sets *conflicts, const sets *under) {
  list below = {0};
  bool ok = true;
  stow_memory_begin(&below.memory, NULL);
  for (size_t place = 0; place < s->buffer_count && ok; ++place) {
    const size_t buffer = s->order[place];
    s->first_below[buffer] = below.count;
    ok = find_below(s, conflicts, under, place, &below);
    s->below_count[buffer] = below.count - s->first_below[buffer];
  }
  s->below = ok ? calloc((size_t)below.count + 1, sizeof *s->below) : NULL;
  if (s->below && below.count > 0)
    memcpy(s->below, below.at, below.count * sizeof *s->below);
  stow_memory_end(&below.memory);
  return s->below != NULL;
}

stow_status stow_stacking_of(const stow_problem *problem, const uint64_t *offsets,
                             stow_stacking *out_stacking) {
  *out_stacking = (stow_stacking){.buffer_count = problem->buffer_count};
  if (!is_plain(problem))
    return STOW_INVALID;
  sets conflicts = {0}, under = {0};
  stow_stacking *s = out_stacking;
  s->order = calloc(s->buffer_count + 1, sizeof *s->order);
  s->first_below = calloc(s->buffer_count + 1, sizeof *s->first_below);
  s->below_count = calloc(s->buffer_count + 1, sizeof *s->below_count);
  const bool ok = s->order && s->first_below && s->below_count &&
                  find_conflicts(problem, &conflicts) && make_sets(s->buffer_count, &under) &&
                  sort_by_offset(offsets, s) && list_below(s, &conflicts, &under);
  free(conflicts.bits);
  free(under.bits);
  if (!ok)
    stow_stacking_free(s);
  return ok ? STOW_OK : STOW_NO_MEMORY;
}

void stow_stacking_free(stow_stacking *stacking) {
  free(stacking->order);
  free(stacking->below);
  free(stacking->first_below);
  free(stacking->below_count);
  *stacking = (stow_stacking){0};
}

//===----------------------------------------------------------------------===//
// Using it
//===----------------------------------------------------------------------===//

static bool round_up(uint64_t number, uint64_t alignment, uint64_t *out) {
  const uint64_t mask = alignment ? alignment - 1 : 0;
  const bool fits = !__builtin_add_overflow(number, mask, out);
  *out &= ~mask;
  return fits;
}

stow_status stow_stacking_place(const stow_stacking *s, const stow_buffer *buffers,
                                uint64_t *out_offsets, uint64_t *out_arena_size) {
  *out_arena_size = 0;
  for (size_t place = 0; place < s->buffer_count; ++place) {
    const size_t i = s->order[place];
    uint64_t highest = 0, end;
    for (size_t b = s->first_below[i]; b < s->first_below[i] + s->below_count[i]; ++b) {
      end = out_offsets[s->below[b]] + buffers[s->below[b]].size;
      highest = end > highest ? end : highest;
    }
    if (!round_up(highest, buffers[i].alignment, &out_offsets[i]) ||
        __builtin_add_overflow(out_offsets[i], buffers[i].size, &end))
      return STOW_OVERFLOW;
    *out_arena_size = end > *out_arena_size ? end : *out_arena_size;
  }
  return STOW_OK;
}

static bool are_comparable(const stow_problem *problem, const sets *conflicts, const sets *under) {
  for (size_t i = 0; i < problem->buffer_count; ++i)
    for (size_t w = 0; w < conflicts->words; ++w)
      for (uint64_t rest = set_of(conflicts, i)[w]; rest; rest &= rest - 1) {
        const size_t j = w * 64 + (size_t)__builtin_ctzll(rest);
        if (!has(under, i, j) && !has(under, j, i))
          return false;
      }
  return true;
}

// Adds the buffer at a place of the order, with all that lies below it; false where it has a place
// already, or something below it has none yet.
static bool add_next(const stow_stacking *s, const sets *under, size_t place) {
  const size_t i = s->order[place];
  bool holds = i < s->buffer_count && !has(under, i, i);
  for (size_t b = 0; holds && b < s->below_count[i]; ++b) {
    const size_t below = s->below[s->first_below[i] + b];
    holds = below < s->buffer_count && has(under, below, below);
    if (holds)
      put_all(under, i, below);
  }
  if (holds)
    put(under, i, i);
  return holds;
}

stow_status stow_stacking_verify(const stow_problem *problem, const stow_stacking *s,
                                 int *out_holds) {
  sets conflicts = {0}, under = {0};
  *out_holds = 0;
  if (!is_plain(problem))
    return STOW_INVALID;
  const bool ok = find_conflicts(problem, &conflicts) && make_sets(s->buffer_count, &under);
  bool holds = ok && s->buffer_count == problem->buffer_count;
  for (size_t place = 0; place < s->buffer_count && holds; ++place)
    holds = add_next(s, &under, place);
  holds = holds && are_comparable(problem, &conflicts, &under);
  free(conflicts.bits);
  free(under.bits);
  *out_holds = holds;
  return ok ? STOW_OK : STOW_NO_MEMORY;
}
