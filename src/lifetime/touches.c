//===- touches.c - what happens to a buffer, by all its names -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/touches.h"
#include "ir/op.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sorting a flow's tables by value
//===----------------------------------------------------------------------===//

// From values to positions.
typedef STOW_ARRAY(stow_jump) pairs;

static void add_pair(pairs *list, int32_t value, int64_t position) {
  STOW_PUSH(*list, (stow_jump){value, (int32_t)position});
}

// Whether an escape is a use where it happens. Taking an address, promising something of it, or a
// dealloc by a bit is none.
static bool escape_touches(const stow_escape *escape) {
  return escape->reason != STOW_POINTER && escape->reason != STOW_DISTINCT &&
         !(stow_ir_op_traits(escape->op) & STOW_FREES_BY_BIT);
}

static void find_positions(stow_lifetime_touch_index *index) {
  for (size_t i = 0; i < index->flow->ops.count; ++i) {
    const void *op = index->flow->ops.at[i].ptr;
    bool again = stow_map_get(&index->position_of, op) >= 0;
    stow_map_add(again ? &index->end_of : &index->position_of, op, (int32_t)i);
  }
}

static void collect_uses(const stow_flow *flow, pairs *touches) {
  STOW_EACH(const stow_use, use, flow->uses) {
    if (stow_ir_is_marker(flow->ops.at[use->begin]))
      continue;
    add_pair(touches, use->value, use->begin);
    if (use->end - 1 > use->begin)
      add_pair(touches, use->value, use->end - 1);
  }
}

static void collect_escapes(const stow_flow *flow, const stow_map *positions, pairs *touches) {
  STOW_EACH(const stow_escape, escape, flow->escapes)
    if (escape->value >= 0 && escape_touches(escape))
      add_pair(touches, escape->value, stow_map_get(positions, escape->op.ptr));
}

static void collect_frees(const stow_flow *flow, const stow_map *positions, pairs *frees) {
  for (size_t i = 0; i < flow->frees.count; ++i)
    add_pair(frees, flow->frees.at[i].value, stow_map_get(positions, flow->frees.at[i].op.ptr));
}

stow_lifetime_touch_index stow_lifetime_touch_index_of(const stow_flow *flow) {
  stow_lifetime_touch_index index = {.flow = flow, .clones = stow_flow_clones(flow)};
  pairs touches = {0}, frees = {0};
  find_positions(&index);
  collect_uses(flow, &touches);
  collect_escapes(flow, &index.position_of, &touches);
  collect_frees(flow, &index.position_of, &frees);
  index.touches = stow_ir_successors_of(touches.at, touches.count, flow->values.count);
  index.frees = stow_ir_successors_of(frees.at, frees.count, flow->values.count);
  free(touches.at);
  free(frees.at);
  index.walk = stow_walk_create(flow->values.count);
  return index;
}

void stow_lifetime_touch_index_free(stow_lifetime_touch_index *index) {
  stow_index_free(&index->clones);
  stow_index_free(&index->touches);
  stow_index_free(&index->frees);
  stow_map_free(&index->position_of);
  stow_map_free(&index->end_of);
  stow_walk_free(&index->walk);
  *index = (stow_lifetime_touch_index){0};
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

static void add_touches(stow_lifetime_touches *list, int32_t value, const stow_index *positions) {
  STOW_EACH_OF(i, *positions, value)
    STOW_PUSH(*list, (stow_lifetime_touch){i, value});
}

static void add_name(const stow_lifetime_touch_index *index, stow_lifetime_history *h,
                     int32_t value) {
  STOW_PUSH(h->names, value);
  add_touches(&h->touches, value, &index->touches);
  add_touches(&h->frees, value, &index->frees);
}

STOW_BY_FIELDS(compare_touches, stow_lifetime_touch, position, value)

// Those of the names that do not stop the walk.
static void add_names(stow_walk *walk, const stow_index *names, int32_t of, const bool *stop) {
  STOW_EACH_OF(name, *names, of)
    if (!stop || !stop[name])
      stow_walk_add(walk, name);
}

void stow_lifetime_history_of(stow_lifetime_touch_index *index, int32_t value, const bool *stop,
                              stow_lifetime_history *history) {
  history->names.count = history->touches.count = history->frees.count = 0;
  stow_walk_restart(&index->walk);
  stow_walk_add(&index->walk, value);
  for (int32_t v; stow_walk_next(&index->walk, &v);) {
    add_name(index, history, v);
    add_names(&index->walk, &index->flow->targets, v, stop);
    add_names(&index->walk, &index->clones, v, stop);
  }
  STOW_SORT(history->touches, compare_touches);
  STOW_SORT(history->frees, compare_touches);
}

void stow_lifetime_history_free(stow_lifetime_history *history) {
  free(history->names.at);
  free(history->touches.at);
  free(history->frees.at);
  *history = (stow_lifetime_history){0};
}

//===----------------------------------------------------------------------===//
// The paths control may take through a function
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Segments and scopes
//===----------------------------------------------------------------------===//

static void copy_segments(stow_lifetime_paths *p) {
  const stow_flow *flow = p->flow;
  for (size_t s = 0; s < p->segment_count; ++s) {
    const stow_segment *segment = &flow->control.segments.at[s];
    const bool begins = mlirOperationIsNull(segment->after) && !mlirBlockIsNull(segment->block);
    p->segments[s] =
        (stow_lifetime_segment){.begin = segment->begin, .end = segment->end, .resumes = !begins};
    for (int64_t at = segment->begin; at < segment->end; ++at)
      p->of_position[at] = (int32_t)s;
  }
}

// Scopes are in the order of their beginnings, inner ones after those around them.
static void spread_scopes(stow_lifetime_paths *p) {
  const stow_flow *flow = p->flow;
  for (size_t s = 0; s < flow->scopes.count; ++s) {
    const stow_nest *nest = &flow->nests.at[flow->scopes.at[s].nest];
    p->scopes[s].parent = nest->parent < 0 ? -1 : flow->nests.at[nest->parent].scope;
    p->scopes[s].begin = -1;
    for (int64_t at = nest->begin; at < nest->end; ++at)
      p->scope_at[at] = (int32_t)s;
  }
}

static void place_scopes(stow_lifetime_paths *p) {
  const stow_flow *flow = p->flow;
  stow_map first = {0}; // of ops: the scope that is its first region's
  for (size_t s = 0; s < flow->scopes.count; ++s)
    if (stow_map_get(&first, flow->scopes.at[s].op.ptr) < 0)
      stow_map_add(&first, flow->scopes.at[s].op.ptr, (int32_t)s);
  for (size_t at = 0; at < flow->ops.count; ++at) {
    int32_t s = stow_map_get(&first, flow->ops.at[at].ptr);
    if (s < 0)
      continue;
    if (p->scopes[s].begin < 0)
      p->scopes[s].begin = (int64_t)at;
    p->scopes[s].end = (int64_t)at;
  }
  for (size_t s = 0; s < flow->scopes.count; ++s) {
    int32_t same = stow_map_get(&first, flow->scopes.at[s].op.ptr);
    p->scopes[s].begin = p->scopes[same].begin;
    p->scopes[s].end = p->scopes[same].end;
  }
  stow_map_free(&first);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static bool is_empty(const stow_lifetime_paths *p, int32_t segment) {
  return p->segments[segment].begin == p->segments[segment].end;
}

// An edge from each segment to those that jumps lead to directly or by way of empty ones.
static void connect(stow_lifetime_paths *p) {
  const stow_control *control = &p->flow->control;
  stow_index jumps =
      stow_ir_successors_of(control->jumps.at, control->jumps.count, p->segment_count);
  stow_walk walk = stow_walk_create(p->segment_count);
  STOW_ARRAY(stow_jump) found = {0};
  for (size_t s = 0; s < p->segment_count; ++s) {
    stow_walk_restart(&walk);
    if (!is_empty(p, (int32_t)s))
      stow_walk_add_all(&walk, &jumps, (int32_t)s);
    for (int32_t to; stow_walk_next(&walk, &to);)
      if (is_empty(p, to))
        stow_walk_add_all(&walk, &jumps, to);
      else
        STOW_PUSH(found, (stow_jump){(int32_t)s, to});
  }
  p->successors = stow_ir_successors_of(found.at, found.count, p->segment_count);
  p->predecessors = stow_ir_predecessors_of(found.at, found.count, p->segment_count);
  stow_index_free(&jumps);
  stow_walk_free(&walk);
  free(found.at);
}

static void find_reachable(stow_lifetime_paths *p) {
  bool *reached = stow_ir_allocate(p->segment_count, sizeof *reached);
  if (p->segment_count > 0)
    reached[0] = true;
  stow_ir_mark_reached(&p->successors, p->segment_count, reached);
  for (size_t s = 0; s < p->segment_count; ++s)
    p->segments[s].reachable = reached[s];
  free(reached);
}

stow_lifetime_paths stow_lifetime_paths_of(const stow_flow *flow) {
  stow_lifetime_paths p = {.flow = flow, .segment_count = flow->control.segments.count};
  p.segments = stow_ir_allocate(p.segment_count, sizeof *p.segments);
  p.of_position = stow_ir_allocate(flow->ops.count, sizeof *p.of_position);
  p.scope_at = stow_ir_allocate(flow->ops.count, sizeof *p.scope_at);
  p.scopes = stow_ir_allocate(flow->scopes.count, sizeof *p.scopes);
  copy_segments(&p);
  spread_scopes(&p);
  place_scopes(&p);
  connect(&p);
  find_reachable(&p);
  return p;
}

void stow_lifetime_paths_free(stow_lifetime_paths *paths) {
  free(paths->segments);
  free(paths->of_position);
  free(paths->scope_at);
  free(paths->scopes);
  stow_index_free(&paths->successors);
  stow_index_free(&paths->predecessors);
  *paths = (stow_lifetime_paths){0};
}
