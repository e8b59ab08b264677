//===- area.c - where a value is alive, and where that begins and ends ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dataflow with four bits per segment: whether a touch follows that needs the contents, at the
// segment's entry and exit (needed_in, needed_out), and whether a touch came before
// (touched_in, touched_out). Needed travels backwards; touched forward, through what is needed
// only, so segments far from the value are never visited. After each round, critical edges on
// the border of the area get a point that the area must contain, and the next round begins.
//
//===----------------------------------------------------------------------===//

#include "lifetime/candidates.h"

#include "lifetime/limits.h"

#include <assert.h>
#include <stdlib.h>

typedef struct segment_state {
  bool needed_in, needed_out, touched_in, touched_out;
  bool listed;
  bool entry_added, exit_added; // points, to make room
  size_t first, end;            // the points in it
} segment_state;

struct stow_lifetime_area_solver {
  const stow_lifetime_paths *paths;
  segment_state *states; // per segment; all zero between problems
  int32_t *near, *stack;
  size_t near_count, height;
  STOW_ARRAY(stow_lifetime_point) points;
  const stow_lifetime_area_problem *problem;
  stow_lifetime_area *area;
  int32_t birth; // the segment, or -1
  bool widened, failed;
};

stow_lifetime_area_solver *stow_lifetime_area_solver_create(const stow_lifetime_paths *paths) {
  stow_lifetime_area_solver *s = stow_ir_allocate(1, sizeof *s);
  s->paths = paths;
  s->states = stow_ir_allocate(paths->segment_count, sizeof *s->states);
  s->near = stow_ir_allocate(paths->segment_count, sizeof *s->near);
  s->stack = stow_ir_allocate(paths->segment_count, sizeof *s->stack);
  return s;
}

void stow_lifetime_area_solver_destroy(stow_lifetime_area_solver *s) {
  free(s->states);
  free(s->near);
  free(s->stack);
  free(s->points.at);
  free(s);
}

void stow_lifetime_area_free(stow_lifetime_area *area) {
  free(area->places.at);
  free(area->stretches.at);
  *area = (stow_lifetime_area){0};
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

int stow_lifetime_compare_points(const void *a, const void *b) {
  const stow_lifetime_point *x = a, *y = b;
  return stow_ir_then(STOW_COMPARE(x->position, y->position), (int)x->side - (int)y->side);
}

static segment_state *near(stow_lifetime_area_solver *s, int32_t segment) {
  segment_state *state = &s->states[segment];
  if (!state->listed) {
    state->listed = true;
    s->near[s->near_count++] = segment;
  }
  return state;
}

static bool is_reachable(const stow_lifetime_area_solver *s, int32_t segment) {
  return s->paths->segments[segment].reachable;
}

static stow_lifetime_point entry_point(const stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_segment *seg = &s->paths->segments[segment];
  return (stow_lifetime_point){seg->begin, seg->resumes ? STOW_LIFE_AFTER : STOW_LIFE_BEFORE,
                               false};
}

static void widen_entry(stow_lifetime_area_solver *s, int32_t segment) {
  if (s->states[segment].entry_added)
    return;
  s->states[segment].entry_added = s->widened = true;
  STOW_PUSH(s->points, entry_point(s, segment));
}

// Before the last op of a segment. There is no such point in one that is nothing but the end of a
// terminator with regions.
static void widen_exit(stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_segment *seg = &s->paths->segments[segment];
  if (s->states[segment].exit_added)
    return;
  s->failed |= seg->resumes && seg->end - seg->begin == 1;
  s->states[segment].exit_added = s->widened = true;
  STOW_PUSH(s->points, (stow_lifetime_point){seg->end - 1, STOW_LIFE_BEFORE, false});
}

// Sorts the points and tells each segment which are its own.
static void deal_points(stow_lifetime_area_solver *s) {
  STOW_SORT(s->points, stow_lifetime_compare_points);
  for (size_t i = 0; i < s->points.count; ++i) {
    segment_state *state = near(s, s->paths->of_position[s->points.at[i].position]);
    assert(state->first == state->end || state->end == i); // a segment's are in a row
    if (state->first == state->end)
      state->first = i;
    state->end = i + 1;
  }
}

//===----------------------------------------------------------------------===//
// The four bits
//===----------------------------------------------------------------------===//

static bool has_points(const segment_state *state) { return state->first < state->end; }

static void need_entry(stow_lifetime_area_solver *s, int32_t segment) {
  segment_state *state = near(s, segment);
  if (state->needed_in || segment == s->birth)
    return;
  state->needed_in = true;
  s->stack[s->height++] = segment;
}

static void find_needed(stow_lifetime_area_solver *s) {
  const stow_lifetime_paths *p = s->paths;
  size_t with_points = s->near_count;
  for (size_t i = 0; i < with_points; ++i)
    if (!s->points.at[s->states[s->near[i]].first].overwrites)
      need_entry(s, s->near[i]);
  while (s->height > 0) {
    int32_t segment = s->stack[--s->height];
    STOW_EACH_OF(from, p->predecessors, segment) {
      if (!is_reachable(s, from))
        continue;
      segment_state *state = near(s, from);
      state->needed_out = true;
      if (!has_points(state))
        need_entry(s, from);
    }
  }
}

static void touch_exit(stow_lifetime_area_solver *s, int32_t segment) {
  if (s->states[segment].touched_out)
    return;
  s->states[segment].touched_out = true;
  s->stack[s->height++] = segment;
}

static void find_touched(stow_lifetime_area_solver *s) {
  const stow_lifetime_paths *p = s->paths;
  for (size_t i = 0; i < s->near_count; ++i)
    if (has_points(&s->states[s->near[i]]))
      touch_exit(s, s->near[i]);
  while (s->height > 0) {
    int32_t segment = s->stack[--s->height];
    STOW_EACH_OF(e, p->successors, segment) {
      segment_state *state = &s->states[e];
      if (!state->needed_in)
        continue;
      state->touched_in = true;
      touch_exit(s, e);
    }
  }
}

static bool alive_in(const stow_lifetime_area_solver *s, int32_t segment) {
  const segment_state *state = &s->states[segment];
  return state->needed_in && state->touched_in;
}

static bool alive_out(const stow_lifetime_area_solver *s, int32_t segment) {
  const segment_state *state = &s->states[segment];
  return state->needed_out && state->touched_out;
}

//===----------------------------------------------------------------------===//
// Edges of the area
//===----------------------------------------------------------------------===//

static bool all_come_alive(const stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_paths *p = s->paths;
  STOW_EACH_OF(e, p->predecessors, segment)
    if (is_reachable(s, e) && !alive_out(s, e))
      return false;
  return true;
}

static bool all_go_alive(const stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_paths *p = s->paths;
  STOW_EACH_OF(e, p->successors, segment)
    if (!alive_in(s, e))
      return false;
  return true;
}

// A terminator that touches the value ends nothing itself.
static void check_last_op(stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_paths *p = s->paths;
  const segment_state *state = &s->states[segment];
  const stow_lifetime_point *last = &s->points.at[state->end - 1];
  if (last->position != p->segments[segment].end - 1 || last->side == STOW_LIFE_BEFORE ||
      state->needed_out)
    return;
  STOW_EACH_OF(e, p->successors, segment)
    widen_entry(s, e);
}

// Adds a point at each end of an edge whose marker would be on other paths, too.
static void check_edges(stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_paths *p = s->paths;
  if (has_points(&s->states[segment]))
    check_last_op(s, segment);
  if (alive_out(s, segment))
    STOW_EACH_OF(e, p->successors, segment)
      if (!alive_in(s, e) && !all_come_alive(s, e))
        widen_entry(s, e);
  if (alive_in(s, segment))
    STOW_EACH_OF(from, p->predecessors, segment)
      if (is_reachable(s, from) && !alive_out(s, from) && !all_go_alive(s, from))
        widen_exit(s, from);
}

static void forget(stow_lifetime_area_solver *s, bool rounds_go_on) {
  for (size_t i = 0; i < s->near_count; ++i) {
    segment_state *state = &s->states[s->near[i]];
    bool entry = state->entry_added, exit = state->exit_added;
    *state = (segment_state){0};
    if (rounds_go_on) {
      state->entry_added = entry;
      state->exit_added = exit;
    }
  }
  s->near_count = 0;
}

static void forget_added(stow_lifetime_area_solver *s) {
  for (size_t i = 0; i < s->points.count; ++i) {
    int32_t segment = s->paths->of_position[s->points.at[i].position];
    s->states[segment].entry_added = s->states[segment].exit_added = false;
  }
}

static bool find_area(stow_lifetime_area_solver *s) {
  for (int round = 0; round < STOW_LIFETIME_MOST_ROUNDS; ++round) {
    s->widened = false;
    forget(s, true);
    deal_points(s);
    find_needed(s);
    find_touched(s);
    for (size_t i = 0, n = s->near_count; i < n; ++i)
      check_edges(s, s->near[i]);
    if (s->failed || !s->widened)
      return !s->failed;
  }
  return false;
}

// Whether nothing is needed after a dealloc.
static bool frees_come_last(const stow_lifetime_area_solver *s) {
  const stow_lifetime_area_problem *problem = s->problem;
  for (size_t i = 0; i < problem->free_count; ++i) {
    int64_t position = problem->frees[i];
    int32_t segment = s->paths->of_position[position];
    const segment_state *state = &s->states[segment];
    bool later = has_points(state) && s->points.at[state->end - 1].position >= position;
    if (position > problem->birth && (later || state->needed_out))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static void add_stretch(stow_lifetime_area_solver *s, int64_t begin, int64_t end) {
  assert(begin < end && s->paths->of_position[begin / 3] == s->paths->of_position[(end - 1) / 3]);
  STOW_PUSH(s->area->stretches, (stow_lifetime_stretch){begin, end});
}

static int64_t third_of(const stow_lifetime_point *point) {
  return 3 * point->position + point->side;
}

static void start_at(stow_lifetime_area_solver *s, const stow_lifetime_point *point) {
  STOW_PUSH(s->area->places, (stow_lifetime_place){point->position, point->side == STOW_LIFE_AFTER,
                                                   true, point->overwrites});
}

static void end_at(stow_lifetime_area_solver *s, const stow_lifetime_point *point) {
  STOW_PUSH(s->area->places,
            (stow_lifetime_place){point->position, point->side != STOW_LIFE_BEFORE, false, false});
}

static bool has_successors(const stow_lifetime_area_solver *s, int32_t segment) {
  return s->paths->successors.first[segment] < s->paths->successors.first[segment + 1];
}

// What lies between the points of one segment.
static void place_in_segment(stow_lifetime_area_solver *s, int32_t segment) {
  const segment_state *state = &s->states[segment];
  const stow_lifetime_segment *seg = &s->paths->segments[segment];
  bool alive = alive_in(s, segment);
  int64_t begin = 3 * seg->begin;
  assert(has_points(state) || alive == alive_out(s, segment)); // nothing there begins or ends it
  for (size_t i = state->first; i < state->end; ++i) {
    const stow_lifetime_point *point = &s->points.at[i];
    if (alive && point->overwrites) {
      assert(i > state->first); // what is alive before a point that needs nothing was touched there
      end_at(s, point - 1);
      add_stretch(s, begin, third_of(point - 1) + 1);
    }
    if (!alive || point->overwrites) {
      start_at(s, point);
      begin = third_of(point);
    }
    alive = true;
  }
  if (!alive)
    return;
  bool ends = has_points(state) && !alive_out(s, segment);
  const stow_lifetime_point *last = ends ? &s->points.at[state->end - 1] : NULL;
  add_stretch(s, begin, ends ? third_of(last) + 1 : 3 * seg->end);
  if (ends && (last->position != seg->end - 1 || last->side == STOW_LIFE_BEFORE ||
               has_successors(s, segment)))
    end_at(s, last);
}

// Ends at the entry of what the area is left for, starts at the exit of what it is entered from.
static void place_on_edges(stow_lifetime_area_solver *s, int32_t segment) {
  const stow_lifetime_paths *p = s->paths;
  if (!alive_in(s, segment)) {
    bool left = false;
    STOW_EACH_OF(e, p->predecessors, segment)
      left |= is_reachable(s, e) && alive_out(s, e);
    if (left) {
      stow_lifetime_point entry = entry_point(s, segment);
      STOW_PUSH(s->area->places,
                (stow_lifetime_place){entry.position, entry.side == STOW_LIFE_AFTER, false, false});
    }
  }
  if (!alive_out(s, segment) && s->states[segment].needed_out) {
    int64_t last = p->segments[segment].end - 1;
    bool enters = has_successors(s, segment) && all_go_alive(s, segment);
    if (enters) {
      STOW_PUSH(s->area->places, (stow_lifetime_place){last, false, true, false});
      add_stretch(s, 3 * last, 3 * (last + 1));
    }
  }
}

static void list_left(stow_lifetime_area_solver *s) {
  const stow_lifetime_paths *p = s->paths;
  for (size_t i = 0, n = s->near_count; i < n; ++i)
    if (alive_out(s, s->near[i]))
      STOW_EACH_OF(e, p->successors, s->near[i])
        near(s, e);
}

STOW_BY_FIELD(compare_stretches, stow_lifetime_stretch, begin)

static void find_places(stow_lifetime_area_solver *s) {
  list_left(s);
  for (size_t i = 0; i < s->near_count; ++i) {
    if (!is_reachable(s, s->near[i]))
      continue;
    place_in_segment(s, s->near[i]);
    place_on_edges(s, s->near[i]);
  }
  STOW_SORT(s->area->stretches, compare_stretches);
  for (size_t i = 1; i < s->area->stretches.count; ++i)
    assert(s->area->stretches.at[i - 1].end <= s->area->stretches.at[i].begin);
}

bool stow_lifetime_area_solve(stow_lifetime_area_solver *s,
                              const stow_lifetime_area_problem *problem, stow_lifetime_area *area) {
  s->problem = problem;
  s->area = area;
  s->failed = false;
  s->points.count = 0;
  area->places.count = area->stretches.count = 0;
  s->birth = problem->birth < 0 ? -1 : s->paths->of_position[problem->birth];
  for (size_t i = 0; i < problem->point_count; ++i)
    STOW_PUSH(s->points, problem->points[i]);
  bool ok = find_area(s) && frees_come_last(s);
  if (ok)
    find_places(s);
  forget(s, false);
  forget_added(s);
  return ok;
}

bool stow_lifetime_areas_meet(const stow_lifetime_area *a, const stow_lifetime_area *b) {
  size_t i = 0, j = 0;
  while (i < a->stretches.count && j < b->stretches.count) {
    if (a->stretches.at[i].begin < b->stretches.at[j].end &&
        b->stretches.at[j].begin < a->stretches.at[i].end)
      return true;
    if (a->stretches.at[i].end < b->stretches.at[j].end)
      ++i;
    else
      ++j;
  }
  return false;
}
