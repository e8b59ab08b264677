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
  stow_lifetime_touch_index index = {
      .flow = flow, .targets = stow_flow_targets(flow), .clones = stow_flow_clones(flow)};
  pairs touches = {0}, frees = {0};
  find_positions(&index);
  collect_uses(flow, &touches);
  collect_escapes(flow, &index.position_of, &touches);
  collect_frees(flow, &index.position_of, &frees);
  index.touches = stow_ir_successors_of(touches.at, touches.count, flow->values.count);
  index.frees = stow_ir_successors_of(frees.at, frees.count, flow->values.count);
  free(touches.at);
  free(frees.at);
  index.seen = stow_ir_allocate(flow->values.count, sizeof *index.seen);
  index.stack = stow_ir_allocate(flow->values.count, sizeof *index.stack);
  return index;
}

void stow_lifetime_touch_index_free(stow_lifetime_touch_index *index) {
  stow_index_free(&index->targets);
  stow_index_free(&index->clones);
  stow_index_free(&index->touches);
  stow_index_free(&index->frees);
  stow_map_free(&index->position_of);
  stow_map_free(&index->end_of);
  free(index->seen);
  free(index->stack);
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

// Puts a value that was not seen before on the stack, and gives its new height.
static size_t reach(stow_lifetime_touch_index *index, int32_t value, const bool *stop,
                    size_t height) {
  if (index->seen[value] == index->stamp || (stop && stop[value]))
    return height;
  index->seen[value] = index->stamp;
  index->stack[height] = value;
  return height + 1;
}

void stow_lifetime_history_of(stow_lifetime_touch_index *index, int32_t value, const bool *stop,
                              stow_lifetime_history *history) {
  size_t height = 0;
  ++index->stamp;
  history->names.count = history->touches.count = history->frees.count = 0;
  index->seen[value] = index->stamp;
  index->stack[height++] = value;
  while (height > 0) {
    int32_t v = index->stack[--height];
    add_name(index, history, v);
    STOW_EACH_OF(e, index->targets, v)
      height = reach(index, e, stop, height);
    STOW_EACH_OF(c, index->clones, v)
      height = reach(index, c, stop, height);
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

typedef struct bypass {
  const stow_lifetime_paths *paths;
  stow_index jumps;            // the flow's, segments by segment
  int32_t *seen, *stack;       // per segment
  STOW_ARRAY(stow_jump) found; // edges
} bypass;

// Adds an edge from a segment to each that jumps lead to directly or by way of empty ones.
static void add_edges_from(bypass *b, int32_t segment) {
  size_t height = 0;
  b->stack[height++] = segment;
  while (height > 0) {
    int32_t from = b->stack[--height];
    STOW_EACH_OF(to, b->jumps, from) {
      if (b->seen[to] == segment + 1)
        continue;
      b->seen[to] = segment + 1;
      if (is_empty(b->paths, to)) {
        b->stack[height++] = to;
        continue;
      }
      STOW_PUSH(b->found, (stow_jump){segment, to});
    }
  }
}

static void connect(stow_lifetime_paths *p) {
  bypass b = {.paths = p,
              .jumps = stow_ir_successors_of(p->flow->control.jumps.at,
                                             p->flow->control.jumps.count, p->segment_count),
              .seen = stow_ir_allocate(p->segment_count, sizeof *b.seen),
              .stack = stow_ir_allocate(p->segment_count + 1, sizeof *b.stack)};
  for (size_t s = 0; s < p->segment_count; ++s)
    if (!is_empty(p, (int32_t)s))
      add_edges_from(&b, (int32_t)s);
  p->successors = stow_ir_successors_of(b.found.at, b.found.count, p->segment_count);
  p->predecessors = stow_ir_predecessors_of(b.found.at, b.found.count, p->segment_count);
  stow_index_free(&b.jumps);
  free(b.seen);
  free(b.stack);
  free(b.found.at);
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
