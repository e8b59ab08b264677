//===- place.c - buffers that share bytes, row by row ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are placed one after the other, each where all together take the fewest bytes. What
// lies on top is placed earlier in a next try, in which only that is placed anew whose neighbours
// lie elsewhere. Each is compared with its neighbours only, those that are alive together with it.
//
//===----------------------------------------------------------------------===//

#include "stream/schedule.h"

#include "stream/alive.h"
#include "stream/limits.h"
#include "stream/scheduler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct neighbour {
  size_t part;
  stow_stream_distance apart;
} neighbour;

typedef struct extent {
  int64_t low, end;
} extent;

typedef struct placer {
  const stow_stream_problem *problem;
  size_t *buffers, count;
  int64_t *sizes;
  stow_stream_pairs pairs;
  neighbour *neighbours;      // by part
  size_t *begins;             // count + 1
  size_t *order, *best_order; // the best one only while others are given whole
  size_t *ranks;              // per part: its place in the order
  uint64_t *earlier;          // per part: how many neighbours stand before it
  int64_t *offsets, *best;    // per part
  extent best_taken;
  extent *taken; // of the best order: by those before each place
  int64_t alignment;
  size_t *stale, tries; // per part: the last try in which it or a neighbour moved
  uint64_t effort, effort_of_order, state;
} placer;

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

static bool set_neighbours(placer *p) {
  p->neighbours = calloc(2 * p->pairs.count + 1, sizeof *p->neighbours);
  p->begins = calloc(p->count + 2, sizeof *p->begins);
  if (!p->neighbours || !p->begins)
    return false;
  for (size_t i = 0; i < p->pairs.count; ++i) {
    ++p->begins[p->pairs.at[i].a + 2];
    ++p->begins[p->pairs.at[i].b + 2];
  }
  for (size_t i = 2; i < p->count + 2; ++i)
    p->begins[i] += p->begins[i - 1];
  for (size_t i = 0; i < p->pairs.count; ++i) {
    const stow_stream_pair *it = &p->pairs.at[i];
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
  return !p->pairs.complete || work > STOW_STREAM_MOST_WORK;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

static int64_t down(const placer *p, int64_t at) {
  return stow_stream_floor(at, p->alignment) * p->alignment;
}
static int64_t up(const placer *p, int64_t at) { return -down(p, -at); }

// Parts are placed in their order.
static bool is_placed(const placer *p, size_t other, size_t part) {
  return p->ranks[other] < p->ranks[part];
}

static bool fits(const placer *p, size_t part, int64_t at) {
  size_t count;
  const neighbour *all = neighbours_of(p, part, &count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t by = at - p->offsets[all[i].part];
    if (is_placed(p, all[i].part, part) && by > -all[i].apart.before && by < all[i].apart.behind)
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
    if (!is_placed(p, all[i].part, part))
      continue;
    try_spot(p, part, now, down(p, there - all[i].apart.before), &best);
    try_spot(p, part, now, up(p, there + all[i].apart.behind), &best);
  }
  return best.at;
}

static bool same(extent a, extent b) { return a.low == b.low && a.end == b.end; }

static void set_stale(placer *p, size_t part) {
  size_t count;
  const neighbour *all = neighbours_of(p, part, &count);
  p->stale[part] = p->tries;
  for (size_t i = 0; i < count; ++i)
    p->stale[all[i].part] = p->tries;
}

// Whether all take no more bytes than in the best order, which then is the best no more: of the
// parts from a place to another one, which lie elsewhere.
static bool keep_best(placer *p, size_t first, size_t end, extent e) {
  const bool is_best = length_of(e) <= length_of(p->best_taken);
  const int64_t *from = is_best ? p->offsets : p->best;
  int64_t *to = is_best ? p->best : p->offsets;
  for (size_t i = first; i < end; ++i)
    to[p->order[i]] = from[p->order[i]];
  if (is_best)
    p->best_taken = e;
  return is_best;
}

// Places all parts.
static bool place_all(placer *p) {
  extent e = {0, 0};
  size_t i = 0;
  for (; i < p->count && length_of(e) <= length_of(p->best_taken); ++i) {
    const size_t part = p->order[i];
    p->offsets[part] = place_part(p, part, e);
    e = with(e, p->offsets[part], p->sizes[part]);
  }
  return keep_best(p, 0, i, e);
}

// The same for the best order with one part moved to an earlier place. Those before it lie where
// they did, and so do those behind it whose neighbours do, if as much is taken then.
static bool place_moved(placer *p, size_t from, size_t to) {
  extent e = p->taken[to];
  size_t i = to;
  ++p->tries;
  set_stale(p, p->order[to]);
  for (; i < p->count && length_of(e) <= length_of(p->best_taken); ++i) {
    const size_t part = p->order[i];
    if (p->stale[part] == p->tries || !same(e, p->taken[i > from ? i : i - 1]))
      p->offsets[part] = place_part(p, part, e);
    if (p->offsets[part] != p->best[part])
      set_stale(p, part);
    e = with(e, p->offsets[part], p->sizes[part]);
  }
  return keep_best(p, to, i, e);
}

// What the parts take that stand before each place of the best order, from one on.
static void set_taken(placer *p, size_t first) {
  if (first == 0)
    p->taken[0] = (extent){0, 0};
  for (size_t i = first; i < p->count; ++i)
    p->taken[i + 1] = with(p->taken[i], p->best[p->order[i]], p->sizes[p->order[i]]);
}

static uint64_t effort_of(const placer *p, size_t part) {
  return p->earlier[part] * p->earlier[part] + 16;
}

static void set_ranks(placer *p) {
  for (size_t i = 0; i < p->count; ++i)
    p->ranks[p->order[i]] = i;
  p->effort_of_order = 0;
  for (size_t part = 0; part < p->count; ++part) {
    size_t count;
    const neighbour *all = neighbours_of(p, part, &count);
    p->earlier[part] = 0;
    for (size_t i = 0; i < count; ++i)
      p->earlier[part] += is_placed(p, all[i].part, part);
    p->effort_of_order += effort_of(p, part);
  }
}

// An order of all parts.
static void try_order(placer *p) {
  set_ranks(p);
  p->effort += p->effort_of_order;
  if (!place_all(p))
    return;
  memcpy(p->best_order, p->order, p->count * sizeof *p->order);
}

static size_t draw(placer *p, size_t below) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)((p->state >> 33) % below);
}

// Where in the best order a part stands that begins at the bottom or ends at the top.
static size_t outermost(const placer *p, bool top) {
  size_t found = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (top ? p->best[p->order[i]] + p->sizes[p->order[i]] == p->best_taken.end
            : p->best[p->order[i]] == p->best_taken.low)
      found = i;
  return found;
}

static void set_earlier(placer *p, size_t part, uint64_t earlier) {
  p->effort_of_order -= effort_of(p, part);
  p->earlier[part] = earlier;
  p->effort_of_order += effort_of(p, part);
}

static void move_part(placer *p, size_t from, size_t to) {
  const size_t part = p->order[from];
  size_t count;
  const neighbour *all = neighbours_of(p, part, &count);
  for (size_t i = 0; i < count; ++i) {
    const size_t other = all[i].part, rank = p->ranks[other];
    if (to <= rank && rank < from) {
      set_earlier(p, other, p->earlier[other] + 1);
      set_earlier(p, part, p->earlier[part] - 1);
    } else if (from < rank && rank <= to) {
      set_earlier(p, other, p->earlier[other] - 1);
      set_earlier(p, part, p->earlier[part] + 1);
    }
  }
  for (; from > to; --from) {
    p->order[from] = p->order[from - 1];
    p->ranks[p->order[from]] = from;
  }
  for (; from < to; ++from) {
    p->order[from] = p->order[from + 1];
    p->ranks[p->order[from]] = from;
  }
  p->order[to] = part;
  p->ranks[part] = to;
}

// The best order with one part earlier. Effort counts all parts: which orders are tried does not
// depend on how early one turns out to be worse.
static void try_move(placer *p, size_t from, size_t to) {
  move_part(p, from, to);
  p->effort += p->effort_of_order;
  if (place_moved(p, from, to))
    set_taken(p, to);
  else
    move_part(p, to, from);
}

static void try_first_orders(placer *p) {
  for (size_t i = 0; i < p->count; ++i)
    p->order[i] = i;
  try_order(p);
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
}

static void search(placer *p) {
  p->best_taken = (extent){0, INT64_MAX};
  try_first_orders(p);
  memcpy(p->order, p->best_order, p->count * sizeof *p->order);
  memcpy(p->offsets, p->best, p->count * sizeof *p->best);
  set_ranks(p);
  set_taken(p, 0);
  for (int i = 0; i < STOW_STREAM_TRIES && p->effort < STOW_STREAM_PLACE_EFFORT; ++i) {
    const size_t kind = draw(p, 3);
    const size_t from = kind < 2 ? outermost(p, kind == 0) : draw(p, p->count);
    try_move(p, from, draw(p, from + 1));
  }
  assert((uint64_t)length_of(p->best_taken) >= p->pairs.alive_bytes);
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
  p->order = calloc(p->count + 1, sizeof *p->order);
  p->best_order = calloc(p->count + 1, sizeof *p->best_order);
  p->offsets = calloc(p->count + 1, sizeof *p->offsets);
  p->best = calloc(p->count + 1, sizeof *p->best);
  p->ranks = calloc(p->count + 1, sizeof *p->ranks);
  p->earlier = calloc(p->count + 1, sizeof *p->earlier);
  p->taken = calloc(p->count + 1, sizeof *p->taken);
  p->stale = calloc(p->count + 1, sizeof *p->stale);
  for (size_t b = 0, i = 0; p->buffers && b < p->problem->buffer_count; ++b)
    if (asked[b])
      p->buffers[i++] = b;
  return p->buffers && p->sizes && p->order && p->best_order && p->offsets && p->best && p->ranks &&
         p->earlier && p->taken && p->stale;
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
        (shared > most || (shared == most && shared > 0 && p->buffers[other] < found))) {
      found = p->buffers[other];
      most = shared;
    }
  }
  return found;
}

static bool take(const placer *p, const stow_stream_profile *profiles, stow_stream_places *out) {
  out->at = calloc(p->count + 1, sizeof *out->at);
  if (!out->at)
    return false;
  out->count = p->count;
  out->bytes = (uint64_t)length_of(p->best_taken);
  for (size_t i = 0; i < p->count; ++i) {
    const int64_t offset = p->best[i] - p->best_taken.low;
    assert(offset >= 0 && offset % p->alignment == 0);
    assert(offset + p->sizes[i] <= length_of(p->best_taken));
    out->at[i] = (stow_stream_place){p->buffers[i], (uint64_t)offset, part_below(p, profiles, i)};
  }
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
                  uint64_t most, stow_stream_places *out) {
  stow_stream_profile *profiles = calloc(p->count + 1, sizeof *profiles);
  const bool found = find_profiles(p, streams, stream_count, profiles) &&
                     stow_stream_find_pairs(profiles, p->count, &p->pairs);
  bool taken = found;
  if (found && p->pairs.alive_bytes <= most) {
    p->effort = p->pairs.entries < STOW_STREAM_PLACE_EFFORT / 2 ? p->pairs.entries
                                                                : STOW_STREAM_PLACE_EFFORT / 2;
    set_sizes(p, streams, stream_count);
    taken = set_neighbours(p);
    if (taken && !are_too_many(p)) {
      if (p->count > 0)
        search(p);
      taken = take(p, profiles, out);
    }
  }
  stow_stream_profiles_free(profiles, p->count);
  return taken;
}

bool stow_stream_place_within(const stow_stream_problem *problem,
                              const stow_stream_schedule *streams, size_t stream_count,
                              const bool *asked, uint64_t most, stow_stream_places *out_places) {
  placer p = {.problem = problem,
              .alignment = problem->alignment > 0 ? (int64_t)problem->alignment : 1};
  *out_places = (stow_stream_places){0};
  for (size_t b = 0; b < problem->buffer_count; ++b)
    p.count += asked[b];
  const bool done = create(&p, asked) && place(&p, streams, stream_count, most, out_places);
  free(p.buffers);
  free(p.sizes);
  free(p.neighbours);
  free(p.begins);
  stow_stream_pairs_free(&p.pairs);
  free(p.order);
  free(p.best_order);
  free(p.ranks);
  free(p.earlier);
  free(p.taken);
  free(p.stale);
  free(p.offsets);
  free(p.best);
  return done;
}

bool stow_stream_place_buffers(const stow_stream_problem *problem,
                               const stow_stream_schedule *streams, size_t stream_count,
                               const bool *asked, stow_stream_places *out_places) {
  return stow_stream_place_within(problem, streams, stream_count, asked, UINT64_MAX, out_places);
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
