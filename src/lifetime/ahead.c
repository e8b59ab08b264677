//===- ahead.c - what begins too early ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forward searches, segment by segment. From each start of a life to its end on each path:
// no other start may stand there in the same bytes. From each dealloc to where its buffer is
// allocated again: no life may start there. A search visits no segment twice for one life.
//
//===----------------------------------------------------------------------===//

#include "lifetime/verify.h"

static MlirOperation op_at(const stow_lifetime_check *c, int64_t position) {
  return c->flow->ops.at[position];
}

void stow_lifetime_report(stow_lifetime_check *c, int64_t position, bool names_op, const char *what,
                          int64_t note_at, const char *note) {
  MlirOperation op = op_at(c, position);
  stow_text text = {0};
  c->failed = true;
  if (c->silent)
    return;
  if (names_op) {
    MlirStringRef name = stow_ir_op_name(op);
    stow_text_printf(&text, "'%.*s' ", (int)name.length, name.data);
  }
  stow_text_printf(&text, "%s", what);
  stow_note notes[] = {{mlirOperationGetLocation(op), note}};
  if (note_at >= 0)
    notes[0].location = mlirOperationGetLocation(op_at(c, note_at));
  stow_bridge_error(mlirOperationGetLocation(op), text.data, notes, note_at >= 0);
  free(text.data);
}

//===----------------------------------------------------------------------===//
// While a life lasts
//===----------------------------------------------------------------------===//

// Where a life that lasts at `position` ceases to, at most at the end of its segment. Reports each
// start before that.
static int64_t lasts_until(stow_lifetime_check *c, const stow_lifetime_marked *marked,
                           int64_t start, int64_t position, int64_t end) {
  for (size_t e = stow_lifetime_event_from(marked, position); e < marked->events.count; ++e) {
    const stow_lifetime_event *event = &marked->events.at[e];
    if (event->position >= end)
      break;
    if (event->kind == STOW_LIFE_START)
      stow_lifetime_report(c, event->position, false, "begins a life that has begun already", start,
                           "it began here");
    else if (event->kind != STOW_LIFE_NAME)
      return event->position;
  }
  return end;
}

static size_t start_from(const stow_lifetime_root *root, int64_t position) {
  return stow_ir_first_from(STOW_COLUMN(root->starts.at, root->starts.count, position), position);
}

static void report_overlaps(stow_lifetime_check *c, int32_t index, int64_t begin, int64_t end) {
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  for (size_t r = 0; r < marked->roots.count; ++r) {
    const stow_lifetime_root *root = &c->lives.roots.at[marked->roots.at[r]];
    for (size_t s = start_from(root, begin); s < root->starts.count; ++s) {
      const stow_lifetime_root_start *start = &root->starts.at[s];
      if (start->position >= end)
        break;
      if (start->marked != index &&
          stow_view_bytes_may_overlap(&marked->bytes, &c->lives.marked.at[start->marked].bytes))
        stow_lifetime_report(c, start->position, false,
                             "begins a life in bytes in which another one lasts",
                             stow_lifetime_first_start(marked), "the other one begins here");
    }
  }
}

static bool shares_roots(const stow_lifetime_check *c, const stow_lifetime_marked *marked) {
  for (size_t r = 0; r < marked->roots.count; ++r)
    if (c->lives.roots.at[marked->roots.at[r]].marked.count > 1)
      return true;
  return false;
}

// Follows a life from one of its starts.
static void look_ahead(stow_lifetime_check *c, int32_t index, int64_t start) {
  const stow_lifetime_paths *paths = &c->lives.paths;
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  int32_t s = paths->of_position[start];
  int64_t begin = start + 1;
  for (;;) {
    int64_t end = lasts_until(c, marked, start, begin, paths->segments[s].end);
    if (c->shares_roots)
      report_overlaps(c, index, begin, end);
    if (end == paths->segments[s].end)
      stow_walk_add_all(&c->ahead, &paths->successors, s);
    if (!stow_walk_next(&c->ahead, &s))
      return;
    begin = paths->segments[s].begin;
  }
}

void stow_lifetime_check_starts(stow_lifetime_check *c, int32_t index) {
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  c->shares_roots = shares_roots(c, marked);
  stow_walk_restart(&c->ahead);
  for (size_t e = 0; e < marked->events.count; ++e)
    if (marked->events.at[e].kind == STOW_LIFE_START)
      look_ahead(c, index, marked->events.at[e].position);
}

//===----------------------------------------------------------------------===//
// After a dealloc
//===----------------------------------------------------------------------===//

static int64_t last_start(const stow_lifetime_marked *marked) {
  for (size_t e = marked->events.count; e > 0; --e)
    if (marked->events.at[e - 1].kind == STOW_LIFE_START)
      return marked->events.at[e - 1].position;
  return -1;
}

// Whether the buffer is allocated again before the end of a range. Reports a start before that.
static bool comes_back(stow_lifetime_check *c, const stow_lifetime_marked *marked, int64_t freed,
                       int64_t begin, int64_t end) {
  for (size_t e = stow_lifetime_event_from(marked, begin); e < marked->events.count; ++e) {
    const stow_lifetime_event *event = &marked->events.at[e];
    if (event->position >= end)
      break;
    if (event->kind == STOW_LIFE_START)
      stow_lifetime_report(c, event->position, false, "begins a life after its buffer was freed",
                           freed, "it was freed here");
    if (event->kind == STOW_LIFE_START || event->kind == STOW_LIFE_ROOT)
      return true;
  }
  return false;
}

// Looks for starts after a dealloc, as far as there are any.
static void check_free(stow_lifetime_check *c, int32_t index, int64_t freed, int64_t last) {
  const stow_lifetime_paths *paths = &c->lives.paths;
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  int32_t s = paths->of_position[freed];
  int64_t begin = freed + 1;
  for (;;) {
    bool back = comes_back(c, marked, freed, begin, paths->segments[s].end);
    STOW_EACH_OF(next, paths->successors, s)
      if (!back && paths->segments[next].begin <= last)
        stow_walk_add(&c->behind_free, next);
    if (!stow_walk_next(&c->behind_free, &s))
      return;
    begin = paths->segments[s].begin;
  }
}

void stow_lifetime_check_frees(stow_lifetime_check *c, int32_t index) {
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  int64_t last = last_start(marked);
  stow_walk_restart(&c->behind_free);
  for (size_t e = 0; e < marked->events.count; ++e)
    if (marked->events.at[e].kind == STOW_LIFE_FREED && marked->events.at[e].position < last)
      check_free(c, index, marked->events.at[e].position, last);
}
