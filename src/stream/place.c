//===- place.c - buffers that share bytes, row by row ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers that are alive together at some moment are so far apart that in no moment a
// byte of both is: one begins at least so many bytes before the other, or so many behind it.
// Rows that die while others are made need no more than the difference.
//
// Buffers are placed one after the other, each where all together take the fewest bytes. What
// lies on top is placed earlier in a next try.
//
//===----------------------------------------------------------------------===//

#include "stream/alive.h"
#include "stream/scheduler.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PARTS 400   // that are placed together
#define EFFORT 100000000 // entries of profiles compared, positions compared
#define TRIES 2000       // orders

#define APART (INT64_MIN / 4) // of buffers that are never alive together

// How a buffer may lie to another one: it begins at least `behind` bytes behind it, or `before`
// bytes before it. Below 0: so many at most on the other side.
typedef struct distance {
  int64_t before, behind;
} distance;

typedef struct placer {
  const stow_stream_problem *problem;
  size_t *buffers, count;
  int64_t *sizes;
  distance *distances; // of i to k: at i * count + k
  size_t *order, *best_order;
  int64_t *offsets, *best; // per part
  int64_t bytes, best_bytes;
  int64_t alignment;
  uint64_t effort, state;
} placer;

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

static distance distance_of(const stow_stream_profile *a, const stow_stream_profile *b) {
  distance d = {APART, APART};
  stow_stream_alive x = {0}, y = {0};
  for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
    const uint64_t next_a = i < a->count ? a->entries[i].from : UINT64_MAX;
    const uint64_t next_b = k < b->count ? b->entries[k].from : UINT64_MAX;
    if (next_a <= next_b)
      x = a->entries[i++];
    if (next_b <= next_a)
      y = b->entries[k++];
    if (x.low == x.end || y.low == y.end)
      continue;
    d.before = x.end - y.low > d.before ? x.end - y.low : d.before;
    d.behind = y.end - x.low > d.behind ? y.end - x.low : d.behind;
  }
  return d;
}

static bool alive_together(const stow_stream_profile *a, const stow_stream_profile *b) {
  return a->count > 0 && b->count > 0 && a->entries[0].from < b->entries[b->count - 1].from &&
         b->entries[0].from < a->entries[a->count - 1].from;
}

static void set_distances(placer *p, const stow_stream_profile *profiles) {
  for (size_t i = 0; i < p->count; ++i)
    for (size_t k = 0; k < i; ++k) {
      const stow_stream_profile *a = &profiles[i], *b = &profiles[k];
      distance d = {APART, APART};
      if (alive_together(a, b)) {
        d = distance_of(a, b);
        p->effort += a->count + b->count;
      }
      p->distances[i * p->count + k] = d;
      p->distances[k * p->count + i] = (distance){d.behind, d.before};
    }
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

static int64_t down(const placer *p, int64_t at) {
  return stow_stream_floor(at, p->alignment) * p->alignment;
}
static int64_t up(const placer *p, int64_t at) { return -down(p, -at); }

static bool fits(const placer *p, size_t placed, size_t part, int64_t at) {
  for (size_t i = 0; i < placed; ++i) {
    const distance *d = &p->distances[part * p->count + p->order[i]];
    const int64_t by = at - p->offsets[p->order[i]];
    if (by > -d->before && by < d->behind)
      return false;
  }
  return true;
}

typedef struct extent {
  int64_t low, end;
} extent;

static extent with(extent e, int64_t at, int64_t size) {
  return (extent){at < e.low ? at : e.low, at + size > e.end ? at + size : e.end};
}

// The place at which all that are placed take the fewest bytes; of such, the lowest.
static int64_t place_part(placer *p, size_t placed, size_t part, extent now) {
  int64_t best = INT64_MAX, least = INT64_MAX;
  for (size_t i = 0; i < 2 * placed + 1; ++i) {
    const size_t other = i > 0 ? p->order[(i - 1) / 2] : 0;
    const distance *d = &p->distances[part * p->count + other];
    int64_t at = now.low;
    if (i > 0 && d->before == APART)
      continue;
    if (i > 0)
      at = i % 2 ? down(p, p->offsets[other] - d->before) : up(p, p->offsets[other] + d->behind);
    const extent e = with(now, at, p->sizes[part]);
    if ((e.end - e.low < least || (e.end - e.low == least && at < best)) &&
        fits(p, placed, part, at))
      least = e.end - e.low, best = at;
  }
  p->effort += placed * placed;
  return best;
}

// All parts in their order.
static void place_all(placer *p) {
  extent e = {0, 0};
  for (size_t i = 0; i < p->count; ++i) {
    const size_t part = p->order[i];
    p->offsets[part] = i == 0 ? 0 : place_part(p, i, part, e);
    e = with(e, p->offsets[part], p->sizes[part]);
  }
  for (size_t i = 0; i < p->count; ++i)
    p->offsets[i] -= e.low;
  p->bytes = e.end - e.low;
}

static void keep(placer *p) {
  memcpy(p->best, p->offsets, p->count * sizeof *p->best);
  memcpy(p->best_order, p->order, p->count * sizeof *p->best_order);
  p->best_bytes = p->bytes;
}

static void try_order(placer *p) {
  place_all(p);
  if (p->bytes <= p->best_bytes)
    keep(p);
}

static size_t draw(placer *p, size_t below) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)((p->state >> 33) % below);
}

// Where in the best order a part stands that begins at the bottom or ends at the top.
static size_t outermost(const placer *p, bool top) {
  size_t found = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (top ? p->best[p->best_order[i]] + p->sizes[p->best_order[i]] == p->best_bytes
            : p->best[p->best_order[i]] == 0)
      found = i;
  return found;
}

static void move_part(placer *p, size_t from, size_t to) {
  memcpy(p->order, p->best_order, p->count * sizeof *p->order);
  const size_t part = p->order[from];
  for (; from > to; --from)
    p->order[from] = p->order[from - 1];
  for (; from < to; ++from)
    p->order[from] = p->order[from + 1];
  p->order[to] = part;
}

static void search(placer *p) {
  for (size_t i = 0; i < p->count; ++i)
    p->order[i] = i;
  place_all(p);
  keep(p);
  for (size_t i = 0; i < p->count; ++i)
    p->order[i] = p->count - 1 - i;
  try_order(p);
  for (size_t i = 0; i < p->count; ++i) { // the largest first
    size_t at = i;
    for (; at > 0 && p->sizes[p->order[at - 1]] < p->sizes[i]; --at)
      p->order[at] = p->order[at - 1];
    p->order[at] = i;
  }
  try_order(p);
  for (int i = 0; i < TRIES && p->effort < EFFORT; ++i) {
    const size_t kind = draw(p, 3);
    const size_t from = kind < 2 ? outermost(p, kind == 0) : draw(p, p->count);
    move_part(p, from, draw(p, from + 1));
    try_order(p);
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static int64_t size_of(const placer *p, const stow_stream_schedule *streams, size_t count,
                       size_t buffer) {
  for (size_t i = 0; i < count; ++i) {
    const stow_stream_window *window = stow_stream_find_window(&streams[i], buffer);
    if (window)
      return window->kept * (int64_t)p->problem->buffers[buffer].row_bytes;
  }
  return (int64_t)p->problem->buffers[buffer].bytes;
}

static bool create(placer *p, const bool *asked) {
  p->buffers = calloc(p->count + 1, sizeof *p->buffers);
  p->sizes = calloc(p->count + 1, sizeof *p->sizes);
  p->distances = calloc(p->count * p->count + 1, sizeof *p->distances);
  p->order = calloc(p->count + 1, sizeof *p->order);
  p->best_order = calloc(p->count + 1, sizeof *p->best_order);
  p->offsets = calloc(p->count + 1, sizeof *p->offsets);
  p->best = calloc(p->count + 1, sizeof *p->best);
  for (size_t b = 0, i = 0; p->buffers && b < p->problem->buffer_count; ++b)
    if (asked[b])
      p->buffers[i++] = b;
  return p->buffers && p->sizes && p->distances && p->order && p->best_order && p->offsets &&
         p->best;
}

static int64_t shared_by(const placer *p, size_t a, size_t b) {
  const int64_t begin = p->best[a] > p->best[b] ? p->best[a] : p->best[b];
  const int64_t one = p->best[a] + p->sizes[a], other = p->best[b] + p->sizes[b];
  return (one < other ? one : other) - begin;
}

// What a part lies over, row by row.
static size_t part_below(const placer *p, const stow_stream_profile *profiles, size_t part) {
  size_t found = SIZE_MAX;
  int64_t most = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (i != part && p->distances[part * p->count + i].before != APART &&
        profiles[i].entries[0].from < profiles[part].entries[0].from &&
        shared_by(p, part, i) > most)
      found = p->buffers[i], most = shared_by(p, part, i);
  return found;
}

static bool take(const placer *p, const stow_stream_profile *profiles, stow_stream_places *out) {
  out->at = calloc(p->count + 1, sizeof *out->at);
  if (!out->at)
    return false;
  out->count = p->count;
  out->bytes = (uint64_t)p->best_bytes;
  for (size_t i = 0; i < p->count; ++i)
    out->at[i] =
        (stow_stream_place){p->buffers[i], (uint64_t)p->best[i], part_below(p, profiles, i)};
  return true;
}

static bool find_profiles(const placer *p, const stow_stream_schedule *streams, size_t stream_count,
                          stow_stream_profile *profiles) {
  const stow_stream_scope scope = {.problem = p->problem,
                                   .streams = streams,
                                   .stream_count = stream_count,
                                   .end = p->problem->statement_count,
                                   .buffers = p->buffers,
                                   .buffer_count = p->count};
  size_t *index = malloc((p->problem->buffer_count + 1) * sizeof *index);
  for (size_t b = 0; index && b < p->problem->buffer_count; ++b)
    index[b] = SIZE_MAX;
  const bool found = index && profiles && stow_stream_find_profiles(&scope, index, profiles);
  free(index);
  return found;
}

static bool place(placer *p, const stow_stream_schedule *streams, size_t stream_count,
                  stow_stream_places *out) {
  stow_stream_profile *profiles = calloc(p->count + 1, sizeof *profiles);
  const bool found = find_profiles(p, streams, stream_count, profiles);
  for (size_t i = 0; i < p->count; ++i)
    p->sizes[i] = size_of(p, streams, stream_count, p->buffers[i]);
  if (found && p->count > 0) {
    set_distances(p, profiles);
    search(p);
  }
  const bool taken = found && take(p, profiles, out);
  stow_stream_profiles_free(profiles, p->count);
  return taken;
}

bool stow_stream_place_buffers(const stow_stream_problem *problem,
                               const stow_stream_schedule *streams, size_t stream_count,
                               const bool *asked, stow_stream_places *out_places) {
  placer p = {.problem = problem,
              .alignment = problem->alignment > 0 ? (int64_t)problem->alignment : 1};
  *out_places = (stow_stream_places){0};
  for (size_t b = 0; b < problem->buffer_count; ++b)
    p.count += asked[b];
  if (p.count > MOST_PARTS)
    return true;
  const bool done = create(&p, asked) && place(&p, streams, stream_count, out_places);
  free(p.buffers), free(p.sizes), free(p.distances), free(p.order), free(p.best_order);
  free(p.offsets), free(p.best);
  return done;
}

static int compare_places(const void *a, const void *b) {
  const size_t left = ((const stow_stream_place *)a)->buffer;
  const size_t right = ((const stow_stream_place *)b)->buffer;
  return (left > right) - (left < right);
}

const stow_stream_place *stow_stream_find_place(const stow_stream_places *places, size_t buffer) {
  const stow_stream_place key = {.buffer = buffer};
  return places->count == 0 ? NULL
                            : bsearch(&key, places->at, places->count, sizeof key, compare_places);
}

void stow_stream_places_free(stow_stream_places *places) {
  free(places->at);
  *places = (stow_stream_places){0};
}
