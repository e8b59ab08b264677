//===- verify.c - whether markers say the truth on every path -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each touch and each end of a life: which marker of that life is the last before it, on each
// path? The search goes backwards, segment by segment, until it finds a marker, and visits no
// segment twice for one life. Starts during a life are found by a search forward from its starts
// (ahead.c). If the markers are right, both searches cover only the time of the life.
//
// A path on which the value does not exist (from the other arm of a branch) says nothing about
// its life.
//
//===----------------------------------------------------------------------===//

#include "lifetime/verify.h"

#include "ir/buffers.h"
#include "stowage/passes.h"

#include <stdlib.h>

static MlirOperation op_at(const stow_lifetime_check *c, int64_t position) {
  return c->flow->ops.at[position];
}

//===----------------------------------------------------------------------===//
// Walking backwards
//===----------------------------------------------------------------------===//

typedef enum asking { FOR_TOUCH, FOR_END } asking;

// What is asked, and where. With `quiet`, nothing is reported.
typedef struct question {
  const stow_lifetime_marked *marked;
  asking asking;
  int64_t position;
  bool quiet, wrong;
} question;

static void answer_touch(stow_lifetime_check *c, const question *q,
                         const stow_lifetime_event *event) {
  bool end = q->asking == FOR_END;
  if (event && event->kind == STOW_LIFE_END)
    stow_lifetime_report(c, q->position, !end,
                         end ? "ends a life that has ended already"
                             : "uses memory after its life has ended",
                         event->position, "it ended here");
  else if (event && event->kind == STOW_LIFE_FREED)
    stow_lifetime_report(c, q->position, !end,
                         end ? "ends a life after its buffer was freed"
                             : "uses memory after it was freed",
                         event->position, "it was freed here");
  else
    stow_lifetime_report(c, q->position, !end,
                         end ? "ends a life that has not begun on every path"
                             : "uses memory before its life has begun on every path",
                         stow_lifetime_first_start(q->marked), "it begins here");
}

// Takes the last event of a path, or null for the function's entry.
static void answer(stow_lifetime_check *c, question *q, const stow_lifetime_event *event) {
  if (event && event->kind == STOW_LIFE_START)
    return;
  q->wrong = true;
  if (!q->quiet)
    answer_touch(c, q, event);
}

// The last event in a segment before a position.
static const stow_lifetime_event *last_event(const question *q,
                                             const stow_lifetime_segment *segment, int64_t before) {
  size_t e = stow_lifetime_event_from(q->marked, before);
  const stow_lifetime_event *event = e > 0 ? &q->marked->events.at[e - 1] : NULL;
  return event && event->position >= segment->begin ? event : NULL;
}

// Whether the value exists at the end of a segment.
static bool exists(const stow_lifetime_check *c, const question *q,
                   const stow_lifetime_segment *segment) {
  return stow_bridge_dominates(c->dominance, c->flow->values.at[q->marked->value].value,
                               op_at(c, segment->end - 1));
}

static void ask(stow_lifetime_check *c, question *q, stow_walk *walk) {
  const stow_lifetime_paths *paths = &c->lives.paths;
  int32_t s = paths->of_position[q->position];
  if (!paths->segments[s].reachable)
    return;
  int64_t before = q->position;
  for (;;) {
    const stow_lifetime_event *event = last_event(q, &paths->segments[s], before);
    if (event || paths->predecessors.first[s] == paths->predecessors.first[s + 1])
      answer(c, q, event);
    STOW_EACH_OF(from, paths->predecessors, s)
      if (!event && !stow_walk_has(walk, from) && paths->segments[from].reachable &&
          exists(c, q, &paths->segments[from]))
        stow_walk_add(walk, from);
    if (!stow_walk_next(walk, &s))
      return;
    before = paths->segments[s].end;
  }
}

//===----------------------------------------------------------------------===//
// One life
//===----------------------------------------------------------------------===//

static void check_touches(stow_lifetime_check *c, int32_t index) {
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  stow_lifetime_history_of(&c->lives.index, marked->value, c->lives.is_marked, &c->history);
  for (size_t t = 0; t < c->history.touches.count; ++t) {
    question q = {marked, FOR_TOUCH, c->history.touches.at[t].position, false, false};
    if (t == 0 || q.position != c->history.touches.at[t - 1].position)
      ask(c, &q, &c->alive);
  }
}

static void check_ends(stow_lifetime_check *c, int32_t index) {
  const stow_lifetime_marked *marked = &c->lives.marked.at[index];
  for (size_t e = 0; e < marked->events.count; ++e) {
    question q = {marked, FOR_END, marked->events.at[e].position, false, false};
    if (marked->events.at[e].kind == STOW_LIFE_END)
      ask(c, &q, &c->alive);
  }
}

//===----------------------------------------------------------------------===//
// Names without a life of their own
//===----------------------------------------------------------------------===//

static bool lasts_at(stow_lifetime_check *c, int32_t marked, int64_t position) {
  question q = {&c->lives.marked.at[marked], FOR_TOUCH, position, true, false};
  stow_walk_restart(&c->query);
  ask(c, &q, &c->query);
  return !q.wrong;
}

// Whether some life that lasts at the touch holds all of `bytes`, or of what is touched.
static bool is_covered(stow_lifetime_check *c, const stow_lifetime_root *root, int64_t position,
                       const stow_view_bytes *bytes, const stow_view_bytes *touched) {
  for (size_t m = 0; m < root->marked.count; ++m) {
    const stow_lifetime_marked *marked = &c->lives.marked.at[root->marked.at[m]];
    bool whole = marked->value == root->value || stow_view_bytes_contain(&marked->bytes, touched) ||
                 stow_view_bytes_contain(&marked->bytes, bytes);
    if (whole && lasts_at(c, root->marked.at[m], position))
      return true;
  }
  return false;
}

static void check_plain_touch(stow_lifetime_check *c, const stow_lifetime_root *root,
                              const stow_lifetime_touch *touch) {
  stow_view_bytes touched = stow_view_bytes_of(c->flow, touch->value);
  touched.known &= touched.root == root->value;
  for (size_t m = 0; m < root->marked.count; ++m) {
    const stow_lifetime_marked *marked = &c->lives.marked.at[root->marked.at[m]];
    if (!stow_view_bytes_may_overlap(&marked->bytes, &touched) ||
        lasts_at(c, root->marked.at[m], touch->position) ||
        is_covered(c, root, touch->position, &marked->bytes, &touched))
      continue;
    stow_lifetime_report(c, touch->position, true, "uses memory in which no life lasts",
                         stow_lifetime_first_start(marked), "a life in these bytes begins here");
    return;
  }
}

static void check_root(stow_lifetime_check *c, const stow_lifetime_root *root) {
  if (c->lives.is_marked[root->value])
    return;
  stow_lifetime_history_of(&c->lives.index, root->value, c->lives.is_marked, &c->history);
  for (size_t t = 0; t < c->history.touches.count; ++t)
    check_plain_touch(c, root, &c->history.touches.at[t]);
}

//===----------------------------------------------------------------------===//
// Regions that may run at once
//===----------------------------------------------------------------------===//

static bool runs_at_once(MlirOperation op) {
  return (stow_op_facts(op) & (STOW_OP_PARALLEL | STOW_OP_STRUCTURED)) ||
         (stow_ir_op_traits(op) & STOW_RUNS_LATER);
}

// A marker in such a region, of a buffer outside, stands for many at the same time.
static bool scope_is_right(stow_lifetime_check *c, MlirValue buffer, int64_t position) {
  const stow_lifetime_paths *paths = &c->lives.paths;
  int32_t value = stow_map_get(&c->flow->index, buffer.ptr);
  int32_t home = c->flow->nests.at[c->flow->values.at[value].nest].scope;
  int32_t scope = paths->scope_at[position];
  for (; scope >= 0 && scope != home; scope = paths->scopes[scope].parent)
    if (runs_at_once(c->flow->scopes.at[scope].op)) {
      stow_lifetime_report(
          c, position, false,
          "is in a region that may run at once with itself, and its buffer is outside",
          paths->scopes[scope].begin, "the region is here");
      return false;
    }
  return true;
}

static bool scopes_are_right(stow_lifetime_check *c, const stow_lifetime_marked *marked) {
  STOW_EACH(const stow_lifetime_event, event, marked->events) {
    if (event->kind != STOW_LIFE_START && event->kind != STOW_LIFE_END)
      continue;
    if (!scope_is_right(c, mlirOperationGetOperand(op_at(c, event->position), 0), event->position))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static bool verify_function(const stow_flow *flow, bool silent) {
  stow_lifetime_check c = {.flow = flow, .lives = stow_lifetime_lives_of(flow), .silent = silent};
  size_t segments = c.lives.paths.segment_count;
  c.dominance = stow_dominance_create(flow->function);
  c.alive = stow_walk_create(segments);
  c.ahead = stow_walk_create(segments);
  c.behind_free = stow_walk_create(segments);
  c.query = stow_walk_create(segments);
  for (size_t i = 0; i < c.lives.marked.count; ++i) {
    if (!scopes_are_right(&c, &c.lives.marked.at[i]))
      continue;
    stow_walk_restart(&c.alive);
    check_touches(&c, (int32_t)i);
    check_ends(&c, (int32_t)i);
    stow_lifetime_check_starts(&c, (int32_t)i);
    stow_lifetime_check_frees(&c, (int32_t)i);
  }
  for (size_t r = 0; r < c.lives.roots.count; ++r)
    check_root(&c, &c.lives.roots.at[r]);
  stow_dominance_destroy(c.dominance);
  stow_lifetime_history_free(&c.history);
  stow_lifetime_lives_free(&c.lives);
  stow_walk_free(&c.alive);
  stow_walk_free(&c.ahead);
  stow_walk_free(&c.behind_free);
  stow_walk_free(&c.query);
  return !c.failed;
}

bool stow_lifetime_markers_hold(const stow_flow *flow) { return verify_function(flow, true); }

bool stow_verify_lifetimes(MlirOperation module) {
  bool any = false;
  STOW_EACH_OP_OF(op, module)
    any = any || stow_ir_is_marker(op);
  if (!any) {
    stow_bridge_tell_idle_pass(module, "verify-lifetimes", "no lifetime markers");
    return true;
  }
  stow_module_memory memory = stow_module_memory_with_stack(module, STOW_UNKNOWN_OPS_USE);
  bool ok = true;
  for (size_t f = 0; f < memory.function_count; ++f)
    ok &= verify_function(&memory.functions[f].flow, false);
  stow_module_memory_free(&memory);
  return ok;
}
