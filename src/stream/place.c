//===- place.c - buffers that share bytes, row by row ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires streams of a problem. Computes one memory for buffers, or for their windows.
//
// Which bytes of a buffer are needed, and when, are pieces of a life as plan.h has them, so the
// planner places the buffers. Rows die from the first to the last, and it fills an arena from
// below: often the picture upside down needs fewer bytes, so both are asked for.
//
//===----------------------------------------------------------------------===//

#include "stream/schedule.h"

#include "stowage/plan.h"
#include "stream/alive.h"
#include "stream/limits.h"
#include "stream/scheduler.h"

#include <assert.h>
#include <stdlib.h>

typedef struct placer {
  const stow_stream_problem *problem;
  size_t *buffers, count;        // that are asked for, ascending
  stow_stream_profile *profiles; // of each
  stow_buffer *parts;            // each as the planner sees it
  uint64_t *sizes;               // bytes of each
  size_t *starts;                // of its pieces
  stow_piece *pieces;
  uint64_t *offsets, *tried;
  uint64_t bytes;  // with `offsets`; UINT64_MAX: not placed
  uint64_t effort; // of the planner at most, either way up
} placer;

//===----------------------------------------------------------------------===//
// The planner's problem
//===----------------------------------------------------------------------===//

static int compare_buffers(const void *a, const void *b) {
  const size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return (left > right) - (left < right);
}

static void set_sizes(placer *p, const stow_stream_schedule *streams, size_t count) {
  const stow_stream_buffer *buffers = p->problem->buffers;
  for (size_t i = 0; i < p->count; ++i)
    p->sizes[i] = buffers[p->buffers[i]].bytes;
  for (size_t i = 0; i < count && p->count > 0; ++i)
    for (size_t w = 0; w < streams[i].window_count; ++w) {
      const stow_stream_window *window = &streams[i].windows[w];
      const size_t *at =
          bsearch(&window->buffer, p->buffers, p->count, sizeof *at, compare_buffers);
      if (at)
        p->sizes[at - p->buffers] = (uint64_t)window->kept * buffers[window->buffer].row_bytes;
    }
}

static bool is_alive(const stow_stream_profile *profile, size_t entry) {
  return profile->entries[entry].low < profile->entries[entry].end;
}

static size_t count_pieces(const placer *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->count; ++i)
    count += p->profiles[i].count;
  return count;
}

// A buffer that is never alive takes no bytes here.
static void set_part(placer *p, size_t part) {
  const stow_stream_profile *profile = &p->profiles[part];
  size_t *past = &p->starts[part + 1];
  *past = p->starts[part];
  for (size_t i = 0; i + 1 < profile->count; ++i) {
    const stow_stream_alive *now = &profile->entries[i];
    if (is_alive(profile, i))
      p->pieces[(*past)++] = (stow_piece){(int64_t)now->from, (int64_t)now[1].from,
                                          (uint64_t)now->low, (uint64_t)now->end};
  }
  assert(profile->count == 0 || !is_alive(profile, profile->count - 1));
  const bool lives = *past > p->starts[part];
  p->parts[part] = (stow_buffer){
      .size = lives ? p->sizes[part] : 0,
      .alignment = p->problem->alignment,
      .begin = lives ? p->pieces[p->starts[part]].begin : 0,
      .end = lives ? p->pieces[*past - 1].end : 1,
  };
}

// So that both ends of a part are aligned, its bytes are whole units.
static void turn_upside_down(placer *p) {
  for (size_t i = 0; i < p->count; ++i) {
    p->parts[i].size = stow_stream_taken(p->problem, p->parts[i].size);
    for (size_t k = p->starts[i]; k < p->starts[i + 1]; ++k) {
      const uint64_t low = p->pieces[k].low;
      p->pieces[k].low = p->parts[i].size - p->pieces[k].high;
      p->pieces[k].high = p->parts[i].size - low;
    }
  }
}

static bool find_profiles(const placer *p, const stow_stream_schedule *streams,
                          size_t stream_count) {
  const stow_stream_scope scope = {.problem = p->problem,
                                   .streams = streams,
                                   .stream_count = stream_count,
                                   .end = p->problem->statement_count,
                                   .buffers = p->buffers,
                                   .buffer_count = p->count};
  size_t *index = malloc((p->problem->buffer_count + 1) * sizeof *index);
  for (size_t b = 0; index && b < p->problem->buffer_count; ++b)
    index[b] = SIZE_MAX;
  const bool found = index && stow_stream_find_profiles(&scope, index, p->profiles);
  free(index);
  return found;
}

static bool set_parts(placer *p, const stow_stream_schedule *streams, size_t stream_count) {
  if (!find_profiles(p, streams, stream_count))
    return false;
  p->pieces = calloc(count_pieces(p) + 1, sizeof *p->pieces);
  if (!p->pieces)
    return false;
  set_sizes(p, streams, stream_count);
  for (size_t i = 0; i < p->count; ++i)
    set_part(p, i);
  return true;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static stow_problem problem_of(const placer *p) {
  stow_problem problem = STOW_PROBLEM(p->parts, p->count);
  problem.piece_starts = p->starts;
  problem.pieces = p->pieces;
  return problem;
}

// The last part may end before the arena does.
static void keep_if_better(placer *p) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < p->count; ++i) {
    const uint64_t end = p->tried[i] + p->sizes[i];
    bytes = end > bytes ? end : bytes;
  }
  if (bytes >= p->bytes)
    return;
  uint64_t *const kept = p->offsets;
  p->offsets = p->tried;
  p->tried = kept;
  p->bytes = bytes;
}

// Of few buffers there are few orders.
static uint64_t effort_for(const placer *p) {
  const uint64_t pairs = (uint64_t)p->count * p->count;
  return pairs < p->effort / STOW_STREAM_PLACE_EFFORT_PER_PAIR
             ? (pairs + 1) * STOW_STREAM_PLACE_EFFORT_PER_PAIR
             : p->effort;
}

// False: no memory. Numbers that are too large give no plan.
static bool plan(placer *p, stow_strategy strategy, bool upside_down, bool *out_optimal) {
  const stow_problem problem = problem_of(p);
  const stow_plan_options options = {.strategy = strategy, .max_effort = effort_for(p)};
  stow_plan_result result;
  const stow_status status = stow_plan(&problem, &options, p->tried, &result);
  *out_optimal = status == STOW_OK && result.outcome == STOW_OPTIMAL;
  if (status != STOW_OK)
    return status != STOW_NO_MEMORY;
  for (size_t i = 0; i < p->count && upside_down; ++i)
    p->tried[i] = p->parts[i].size ? result.arena_size - p->parts[i].size - p->tried[i] : 0;
  keep_if_better(p);
  return true;
}

static bool plan_both_ways(placer *p) {
  bool optimal = false;
  if (p->count <= STOW_STREAM_FEW_PLACED && !plan(p, STOW_AUTO, false, &optimal))
    return false;
  if (!optimal && !plan(p, STOW_REPAIR, false, &optimal))
    return false;
  if (optimal)
    return true;
  turn_upside_down(p);
  return plan(p, STOW_REPAIR, true, &optimal);
}

// Whether there are few enough, and all together may take no more than `most` bytes.
static bool are_worth_placing(const placer *p, uint64_t most) {
  const stow_problem problem = problem_of(p);
  uint64_t alive_bytes = 0;
  return p->starts[p->count] <= STOW_STREAM_MOST_PIECES &&
         stow_load(&problem, &alive_bytes, NULL) == STOW_OK && alive_bytes <= most;
}

//===----------------------------------------------------------------------===//
// What lies over what
//===----------------------------------------------------------------------===//

static uint64_t shared_by(const placer *p, size_t a, size_t b) {
  const uint64_t begin = p->offsets[a] > p->offsets[b] ? p->offsets[a] : p->offsets[b];
  const uint64_t one = p->offsets[a] + p->sizes[a], other = p->offsets[b] + p->sizes[b];
  const uint64_t end = one < other ? one : other;
  return begin < end ? end - begin : 0;
}

// Where a part begins, in bytes, or from when on it is alive, or no longer is.
typedef struct mark {
  uint64_t at;
  bool begins;
  size_t part;
} mark;

static int compare_marks(const void *a, const void *b) {
  const mark *left = a, *right = b;
  if (left->at != right->at)
    return left->at < right->at ? -1 : 1;
  if (left->begins != right->begins)
    return left->begins - right->begins;
  return (left->part > right->part) - (left->part < right->part);
}

// The parts alive now, as a binary tree over all of them by offset: those that share bytes with a
// part are found without a look at the others. The children of node v are 2v and 2v + 1.
typedef struct alive_now {
  const placer *p;
  mark *by_offset;
  size_t *rank;    // of each part, there
  size_t leaves;   // a power of two, more than there are parts; rank r is node leaves + r
  uint64_t *reach; // per node: the end of the bytes of those below it; 0: none is alive
  size_t *below;   // of each part: the earlier one that it lies over, so far; SIZE_MAX: none
} alive_now;

static bool create_alive(const placer *p, alive_now *out) {
  *out = (alive_now){.p = p, .leaves = 1};
  while (out->leaves <= p->count)
    out->leaves *= 2;
  out->by_offset = calloc(p->count + 1, sizeof *out->by_offset);
  out->rank = calloc(p->count + 1, sizeof *out->rank);
  out->reach = calloc(2 * out->leaves, sizeof *out->reach);
  out->below = malloc((p->count + 1) * sizeof *out->below);
  if (!out->by_offset || !out->rank || !out->reach || !out->below)
    return false;
  for (size_t i = 0; i < p->count; ++i) {
    out->by_offset[i] = (mark){.at = p->offsets[i], .part = i};
    out->below[i] = SIZE_MAX;
  }
  qsort(out->by_offset, p->count, sizeof *out->by_offset, compare_marks);
  for (size_t r = 0; r < p->count; ++r)
    out->rank[out->by_offset[r].part] = r;
  return true;
}

static void free_alive(alive_now *alive) {
  free(alive->by_offset);
  free(alive->rank);
  free(alive->reach);
  free(alive->below);
}

static void set_reach(alive_now *alive, size_t part, uint64_t reach) {
  size_t v = alive->leaves + alive->rank[part];
  alive->reach[v] = reach;
  while (v /= 2) {
    const uint64_t left = alive->reach[2 * v], right = alive->reach[2 * v + 1];
    alive->reach[v] = left > right ? left : right;
  }
}

// The first from a rank on that reaches beyond a byte, or the number of leaves.
static size_t next_beyond(const alive_now *alive, size_t rank, uint64_t byte) {
  size_t v = alive->leaves + rank;
  while (alive->reach[v] <= byte) {
    while (v % 2 == 1) // all below this parent are looked at
      v /= 2;
    if (v == 0)
      return alive->leaves;
    ++v;
  }
  while (v < alive->leaves)
    v = alive->reach[2 * v] > byte ? 2 * v : 2 * v + 1;
  return v - alive->leaves;
}

// Two parts that are alive at one moment.
static void lay_over(alive_now *alive, size_t a, size_t b) {
  const placer *p = alive->p;
  if (p->parts[a].begin == p->parts[b].begin)
    return;
  const size_t later = p->parts[a].begin < p->parts[b].begin ? b : a, earlier = a + b - later;
  size_t *below = &alive->below[later];
  const uint64_t shared = shared_by(p, later, earlier);
  const uint64_t most = *below == SIZE_MAX ? 0 : shared_by(p, later, *below);
  if (shared > most || (shared == most && shared > 0 && earlier < *below))
    *below = earlier;
}

static void begin_part(alive_now *alive, size_t part) {
  const uint64_t begin = alive->p->offsets[part], end = begin + alive->p->sizes[part];
  for (size_t r = 0; (r = next_beyond(alive, r, begin)) < alive->leaves; ++r) {
    if (alive->by_offset[r].at >= end)
      break;
    lay_over(alive, part, alive->by_offset[r].part);
  }
  set_reach(alive, part, end);
}

// When parts begin to be alive and end, without those moments in which only other bytes are.
static mark *find_marks(const placer *p, size_t *out_count) {
  mark *marks = calloc(2 * p->starts[p->count] + 1, sizeof *marks);
  *out_count = 0;
  for (size_t part = 0; marks && part < p->count; ++part)
    for (size_t i = p->starts[part]; i < p->starts[part + 1]; ++i) {
      const stow_piece *it = &p->pieces[i];
      if (i == p->starts[part] || it[-1].end < it->begin)
        marks[(*out_count)++] = (mark){(uint64_t)it->begin, true, part};
      if (i + 1 == p->starts[part + 1] || it->end < it[1].begin)
        marks[(*out_count)++] = (mark){(uint64_t)it->end, false, part};
    }
  if (*out_count > 0)
    qsort(marks, *out_count, sizeof *marks, compare_marks);
  return marks;
}

static bool set_below(const placer *p, stow_stream_place *places) {
  alive_now alive;
  size_t count;
  mark *marks = find_marks(p, &count);
  const bool done = create_alive(p, &alive) && marks;
  for (size_t i = 0; i < count && done; ++i)
    if (marks[i].begins)
      begin_part(&alive, marks[i].part);
    else
      set_reach(&alive, marks[i].part, 0);
  for (size_t i = 0; i < p->count && done; ++i)
    places[i].over = alive.below[i] == SIZE_MAX ? SIZE_MAX : p->buffers[alive.below[i]];
  free_alive(&alive);
  free(marks);
  return done;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static bool take(const placer *p, stow_stream_places *out) {
  out->at = calloc(p->count + 1, sizeof *out->at);
  if (!out->at)
    return false;
  out->count = p->count;
  out->bytes = p->bytes;
  for (size_t i = 0; i < p->count; ++i) {
    assert(p->problem->alignment == 0 || p->offsets[i] % p->problem->alignment == 0);
    assert(p->offsets[i] + p->sizes[i] <= p->bytes);
    out->at[i] = (stow_stream_place){p->buffers[i], p->offsets[i], SIZE_MAX};
  }
  return set_below(p, out->at);
}

static bool create(placer *p, const bool *asked) {
  p->buffers = calloc(p->count + 1, sizeof *p->buffers);
  p->profiles = calloc(p->count + 1, sizeof *p->profiles);
  p->parts = calloc(p->count + 1, sizeof *p->parts);
  p->sizes = calloc(p->count + 1, sizeof *p->sizes);
  p->starts = calloc(p->count + 1, sizeof *p->starts);
  p->offsets = calloc(p->count + 1, sizeof *p->offsets);
  p->tried = calloc(p->count + 1, sizeof *p->tried);
  for (size_t b = 0, i = 0; p->buffers && b < p->problem->buffer_count; ++b)
    if (asked[b])
      p->buffers[i++] = b;
  return p->buffers && p->profiles && p->parts && p->sizes && p->starts && p->offsets && p->tried;
}

static bool place(placer *p, const stow_stream_schedule *streams, size_t stream_count,
                  uint64_t most, stow_stream_places *out) {
  if (!set_parts(p, streams, stream_count))
    return false;
  if (!are_worth_placing(p, most))
    return true;
  return plan_both_ways(p) && (p->bytes == UINT64_MAX || take(p, out));
}

bool stow_stream_place_within(const stow_stream_problem *problem,
                              const stow_stream_schedule *streams, size_t stream_count,
                              const bool *asked, uint64_t most, uint64_t effort,
                              stow_stream_places *out_places) {
  placer p = {.problem = problem, .bytes = UINT64_MAX, .effort = effort};
  *out_places = (stow_stream_places){0};
  for (size_t b = 0; b < problem->buffer_count; ++b)
    p.count += asked[b];
  const bool done = create(&p, asked) && place(&p, streams, stream_count, most, out_places);
  free(p.buffers);
  stow_stream_profiles_free(p.profiles, p.count);
  free(p.parts);
  free(p.sizes);
  free(p.starts);
  free(p.pieces);
  free(p.offsets);
  free(p.tried);
  return done;
}

bool stow_stream_place_buffers(const stow_stream_problem *problem,
                               const stow_stream_schedule *streams, size_t stream_count,
                               const bool *asked, stow_stream_places *out_places) {
  return stow_stream_place_within(problem, streams, stream_count, asked, UINT64_MAX,
                                  STOW_STREAM_PLACE_EFFORT, out_places);
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
