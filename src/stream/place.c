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
// lies on top is placed earlier in a next try. Each is compared with its neighbours only, those
// that are alive together with it.
//
//===----------------------------------------------------------------------===//

#include "stream/alive.h"
#include "stream/grow.h"
#include "stream/limits.h"
#include "stream/scheduler.h"

#include <stdlib.h>
#include <string.h>

#define APART (INT64_MIN / 4) // of buffers that are never alive together

// How a buffer may lie to another one: it begins at least `behind` bytes behind it, or `before`
// bytes before it. Below 0: so many at most on the other side.
typedef struct distance {
  int64_t before, behind;
} distance;

// Two parts that are alive together; the distance is that of the first to the second.
typedef struct pair {
  size_t a, b;
  distance apart;
} pair;

typedef struct neighbour {
  size_t part;
  distance apart;
} neighbour;

typedef struct extent {
  int64_t low, end;
} extent;

typedef struct placer {
  const stow_stream_problem *problem;
  size_t *buffers, count;
  int64_t *sizes;
  pair *pairs;
  size_t pair_count, pair_capacity;
  neighbour *neighbours; // by part
  size_t *begins;        // count + 1
  bool *placed;
  size_t *order, *best_order;
  int64_t *offsets, *best;          // per part
  uint64_t *efforts, *best_efforts; // per part
  extent taken, best_taken;
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

typedef struct birth {
  uint64_t at;
  size_t part;
} birth;

static int earlier_first(const void *a, const void *b) {
  const birth *left = a, *right = b;
  if (left->at != right->at)
    return left->at < right->at ? -1 : 1;
  return (left->part > right->part) - (left->part < right->part);
}

static bool add_pair(placer *p, pair it) {
  if (it.apart.before == APART)
    return true;
  if (!STOW_STREAM_ROOM(p->pairs, p->pair_count, p->pair_capacity))
    return false;
  p->pairs[p->pair_count++] = it;
  return true;
}

// How many are born before a moment. At least `some` are.
static size_t born_before(const birth *births, size_t some, size_t count, uint64_t moment) {
  while (some < count) {
    const size_t middle = some + (count - some) / 2;
    if (births[middle].at < moment)
      some = middle + 1;
    else
      count = middle;
  }
  return some;
}

// The entries of profiles that are compared: each part is compared with all that are born before
// it dies.
static bool count_effort(placer *p, const stow_stream_profile *profiles, const birth *births,
                         size_t count) {
  uint64_t *entries = calloc(count + 1, sizeof *entries); // of the first ones
  for (size_t i = 0; i < count && entries; ++i)
    entries[i + 1] = entries[i] + profiles[births[i].part].count;
  for (size_t i = 0; i < count && entries && p->effort <= STOW_STREAM_PLACE_EFFORT; ++i) {
    const stow_stream_profile *a = &profiles[births[i].part];
    const size_t end = born_before(births, i + 1, count, a->entries[a->count - 1].from);
    p->effort += (end - i - 1) * a->count + entries[end] - entries[i + 1];
  }
  const bool counted = entries;
  free(entries);
  return counted;
}

// No more pairs than may be.
static bool find_pairs_of(placer *p, const stow_stream_profile *profiles, const birth *births,
                          size_t count, size_t first) {
  const stow_stream_profile *a = &profiles[births[first].part];
  const uint64_t end = a->entries[a->count - 1].from;
  for (size_t i = first + 1; i < count && births[i].at < end; ++i) {
    const stow_stream_profile *b = &profiles[births[i].part];
    if (p->pair_count > STOW_STREAM_MOST_PAIRS)
      return true;
    if (!add_pair(p, (pair){births[first].part, births[i].part, distance_of(a, b)}))
      return false;
  }
  return true;
}

static bool find_pairs(placer *p, const stow_stream_profile *profiles) {
  birth *births = calloc(p->count + 1, sizeof *births);
  size_t count = 0;
  for (size_t i = 0; i < p->count && births; ++i)
    if (profiles[i].count > 0)
      births[count++] = (birth){profiles[i].entries[0].from, i};
  if (count > 1)
    qsort(births, count, sizeof *births, earlier_first);
  bool found = births && count_effort(p, profiles, births, count);
  for (size_t i = 0; i < count && found && p->effort <= STOW_STREAM_PLACE_EFFORT; ++i)
    found = find_pairs_of(p, profiles, births, count, i);
  free(births);
  return found;
}

static bool set_neighbours(placer *p) {
  p->neighbours = calloc(2 * p->pair_count + 1, sizeof *p->neighbours);
  p->begins = calloc(p->count + 2, sizeof *p->begins);
  if (!p->neighbours || !p->begins)
    return false;
  for (size_t i = 0; i < p->pair_count; ++i)
    ++p->begins[p->pairs[i].a + 2], ++p->begins[p->pairs[i].b + 2];
  for (size_t i = 2; i < p->count + 2; ++i)
    p->begins[i] += p->begins[i - 1];
  for (size_t i = 0; i < p->pair_count; ++i) {
    const pair *it = &p->pairs[i];
    p->neighbours[p->begins[it->a + 1]++] = (neighbour){it->b, it->apart};
    p->neighbours[p->begins[it->b + 1]++] =
        (neighbour){it->a, {it->apart.behind, it->apart.before}};
  }
  return true;
}

static const neighbour *neighbours_of(const placer *p, size_t part, size_t *out_count) {
  *out_count = p->begins[part + 1] - p->begins[part];
  return &p->neighbours[p->begins[part]];
}

// Whether it takes too long to place all parts.
static bool are_too_many(const placer *p) {
  uint64_t work = 0;
  for (size_t i = 0; i < p->count; ++i) {
    const uint64_t count = p->begins[i + 1] - p->begins[i];
    work += count * count;
  }
  return p->pair_count > STOW_STREAM_MOST_PAIRS || p->effort > STOW_STREAM_PLACE_EFFORT ||
         work > STOW_STREAM_MOST_WORK;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

static int64_t down(const placer *p, int64_t at) {
  return stow_stream_floor(at, p->alignment) * p->alignment;
}
static int64_t up(const placer *p, int64_t at) { return -down(p, -at); }

static bool fits(const placer *p, size_t part, int64_t at) {
  size_t count;
  const neighbour *all = neighbours_of(p, part, &count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t by = at - p->offsets[all[i].part];
    if (p->placed[all[i].part] && by > -all[i].apart.before && by < all[i].apart.behind)
      return false;
  }
  return true;
}

static int64_t length_of(extent e) { return e.end - e.low; }

static extent with(extent e, int64_t at, int64_t size) {
  return (extent){at < e.low ? at : e.low, at + size > e.end ? at + size : e.end};
}

typedef struct spot {
  int64_t at, bytes; // of all that are placed
} spot;

static void try_spot(const placer *p, size_t part, extent now, int64_t at, spot *best) {
  const int64_t bytes = length_of(with(now, at, p->sizes[part]));
  if ((bytes < best->bytes || (bytes == best->bytes && at < best->at)) && fits(p, part, at))
    *best = (spot){at, bytes};
}

// The place at which all that are placed take the fewest bytes; of such, the lowest.
static int64_t place_part(const placer *p, size_t part, extent now) {
  spot best = {INT64_MAX, INT64_MAX};
  size_t count;
  const neighbour *all = neighbours_of(p, part, &count);
  try_spot(p, part, now, now.low, &best);
  for (size_t i = 0; i < count; ++i) {
    const int64_t there = p->offsets[all[i].part];
    if (!p->placed[all[i].part])
      continue;
    try_spot(p, part, now, down(p, there - all[i].apart.before), &best);
    try_spot(p, part, now, up(p, there + all[i].apart.behind), &best);
  }
  return best.at;
}

static uint64_t effort_of(const placer *p, size_t part) {
  size_t count;
  uint64_t placed = 0;
  const neighbour *all = neighbours_of(p, part, &count);
  for (size_t i = 0; i < count; ++i)
    placed += p->placed[all[i].part];
  return placed * placed + 16;
}

// All parts in their order. The first `same` ones are those of the best order, and lie where they
// do there. Where more bytes are taken than in that order, the others need no place; they count
// as if they had one.
static void place_all(placer *p, size_t same) {
  extent e = {0, 0};
  memset(p->placed, 0, p->count * sizeof *p->placed);
  for (size_t i = 0; i < p->count; ++i) {
    const size_t part = p->order[i];
    p->efforts[part] = i < same ? p->best_efforts[part] : effort_of(p, part);
    p->effort += p->efforts[part];
    if (length_of(e) <= length_of(p->best_taken)) {
      p->offsets[part] = i < same ? p->best[part] : place_part(p, part, e);
      e = with(e, p->offsets[part], p->sizes[part]);
    }
    p->placed[part] = true;
  }
  p->taken = e;
}

static void try_order(placer *p, size_t same) {
  place_all(p, same);
  if (length_of(p->taken) > length_of(p->best_taken))
    return;
  memcpy(p->best, p->offsets, p->count * sizeof *p->best);
  memcpy(p->best_efforts, p->efforts, p->count * sizeof *p->best_efforts);
  memcpy(p->best_order, p->order, p->count * sizeof *p->best_order);
  p->best_taken = p->taken;
}

static size_t draw(placer *p, size_t below) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)((p->state >> 33) % below);
}

// Where in the best order a part stands that begins at the bottom or ends at the top.
static size_t outermost(const placer *p, bool top) {
  size_t found = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (top ? p->best[p->best_order[i]] + p->sizes[p->best_order[i]] == p->best_taken.end
            : p->best[p->best_order[i]] == p->best_taken.low)
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
  p->best_taken = (extent){0, INT64_MAX};
  try_order(p, 0);
  for (size_t i = 0; i < p->count; ++i)
    p->order[i] = p->count - 1 - i;
  try_order(p, 0);
  for (size_t i = 0; i < p->count; ++i) { // the largest first
    size_t at = i;
    for (; at > 0 && p->sizes[p->order[at - 1]] < p->sizes[i]; --at)
      p->order[at] = p->order[at - 1];
    p->order[at] = i;
  }
  try_order(p, 0);
  for (int i = 0; i < STOW_STREAM_TRIES && p->effort < STOW_STREAM_PLACE_EFFORT; ++i) {
    const size_t kind = draw(p, 3);
    const size_t from = kind < 2 ? outermost(p, kind == 0) : draw(p, p->count);
    const size_t to = draw(p, from + 1);
    move_part(p, from, to);
    try_order(p, to);
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static int compare_buffers(const void *a, const void *b) {
  const size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return (left > right) - (left < right);
}

static void set_sizes(placer *p, const stow_stream_schedule *streams, size_t count) {
  const stow_stream_buffer *buffers = p->problem->buffers;
  for (size_t i = 0; i < p->count; ++i)
    p->sizes[i] = (int64_t)buffers[p->buffers[i]].bytes;
  for (size_t i = 0; i < count && p->count > 0; ++i)
    for (size_t w = 0; w < streams[i].window_count; ++w) {
      const stow_stream_window *window = &streams[i].windows[w];
      const size_t *at =
          bsearch(&window->buffer, p->buffers, p->count, sizeof *at, compare_buffers);
      if (at)
        p->sizes[at - p->buffers] = window->kept * (int64_t)buffers[window->buffer].row_bytes;
    }
}

static bool create(placer *p, const bool *asked) {
  p->buffers = calloc(p->count + 1, sizeof *p->buffers);
  p->sizes = calloc(p->count + 1, sizeof *p->sizes);
  p->placed = calloc(p->count + 1, sizeof *p->placed);
  p->order = calloc(p->count + 1, sizeof *p->order);
  p->best_order = calloc(p->count + 1, sizeof *p->best_order);
  p->offsets = calloc(p->count + 1, sizeof *p->offsets);
  p->best = calloc(p->count + 1, sizeof *p->best);
  p->efforts = calloc(p->count + 1, sizeof *p->efforts);
  p->best_efforts = calloc(p->count + 1, sizeof *p->best_efforts);
  for (size_t b = 0, i = 0; p->buffers && b < p->problem->buffer_count; ++b)
    if (asked[b])
      p->buffers[i++] = b;
  return p->buffers && p->sizes && p->placed && p->order && p->best_order && p->offsets &&
         p->best && p->efforts && p->best_efforts;
}

static int64_t shared_by(const placer *p, size_t a, size_t b) {
  const int64_t begin = p->best[a] > p->best[b] ? p->best[a] : p->best[b];
  const int64_t one = p->best[a] + p->sizes[a], other = p->best[b] + p->sizes[b];
  return (one < other ? one : other) - begin;
}

// What a part lies over, row by row.
static size_t part_below(const placer *p, const stow_stream_profile *profiles, size_t part) {
  size_t found = SIZE_MAX, count;
  int64_t most = 0;
  const neighbour *all = neighbours_of(p, part, &count);
  for (size_t i = 0; i < count; ++i) {
    const size_t other = all[i].part;
    const int64_t shared = shared_by(p, part, other);
    if (profiles[other].entries[0].from < profiles[part].entries[0].from &&
        (shared > most || (shared == most && shared > 0 && p->buffers[other] < found)))
      found = p->buffers[other], most = shared;
  }
  return found;
}

static bool take(const placer *p, const stow_stream_profile *profiles, stow_stream_places *out) {
  out->at = calloc(p->count + 1, sizeof *out->at);
  if (!out->at)
    return false;
  out->count = p->count;
  out->bytes = (uint64_t)length_of(p->best_taken);
  for (size_t i = 0; i < p->count; ++i)
    out->at[i] = (stow_stream_place){p->buffers[i], (uint64_t)(p->best[i] - p->best_taken.low),
                                     part_below(p, profiles, i)};
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
  set_sizes(p, streams, stream_count);
  const bool known = found && find_pairs(p, profiles) && set_neighbours(p);
  bool taken = known;
  if (known && !are_too_many(p)) {
    if (p->count > 0)
      search(p);
    taken = take(p, profiles, out);
  }
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
  const bool done = create(&p, asked) && place(&p, streams, stream_count, out_places);
  free(p.buffers), free(p.sizes), free(p.pairs), free(p.neighbours), free(p.begins);
  free(p.placed), free(p.order), free(p.best_order);
  free(p.offsets), free(p.best), free(p.efforts), free(p.best_efforts);
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
