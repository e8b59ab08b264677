//===- paths.c - the ways control may take through a function -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/paths.h"

#include "ir/flow_tables.h"

#include <stdlib.h>

typedef struct nested_op {
  MlirOperation op;
  int32_t head, tail; // segments
} nested_op;

typedef struct segment_edge {
  int32_t from, to;
} segment_edge;

typedef struct builder {
  stow_paths paths;
  stow_map scope_of; // of regions
  stow_map block_of; // of blocks: index of the two below
  int32_t *block_first, *block_last;
  size_t block_count, first_capacity, last_capacity;
  nested_op *open; // innermost last
  size_t depth, depth_capacity;
  nested_op *done;
  size_t done_count, done_capacity;
  segment_edge *edges;
  size_t edge_count, edge_capacity;
  nested_op current; // whose edges are being added
} builder;

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

static bool has_regions(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 && !stow_op_is_function(op);
}

static bool is_first_in_block(MlirOperation op) {
  return mlirOperationEqual(mlirBlockGetFirstOperation(mlirOperationGetBlock(op)), op);
}

static int32_t scope_at(const builder *b, MlirOperation op) {
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  int32_t scope = stow_map_get(&b->scope_of, region.ptr);
  if (scope >= 0 || b->depth == 0)
    return scope < 0 ? 0 : scope;
  return b->paths.segments[b->open[b->depth - 1].head].scope;
}

static int32_t add_segment(builder *b, int64_t position, MlirOperation op) {
  stow_paths *p = &b->paths;
  p->segments = stow_grow(p->segments, p->segment_count, &p->segment_capacity, sizeof *p->segments);
  p->segments[p->segment_count] =
      (stow_path_segment){.begin = position, .end = position, .scope = scope_at(b, op)};
  return (int32_t)p->segment_count++;
}

// Notes that the op's block begins with this segment, or goes on with it.
static void note_block(builder *b, MlirOperation op, int32_t segment) {
  MlirBlock block = mlirOperationGetBlock(op);
  int32_t known = stow_map_get(&b->block_of, block.ptr);
  if (known >= 0) {
    b->block_last[known] = segment;
    return;
  }
  stow_map_add(&b->block_of, block.ptr, (int32_t)b->block_count);
  b->block_first =
      stow_grow(b->block_first, b->block_count, &b->first_capacity, sizeof *b->block_first);
  b->block_last =
      stow_grow(b->block_last, b->block_count, &b->last_capacity, sizeof *b->block_last);
  b->block_first[b->block_count] = b->block_last[b->block_count] = segment;
  ++b->block_count;
}

static void place_scopes(builder *b, MlirOperation op, int64_t begin) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r) {
    int32_t scope = stow_map_get(&b->scope_of, mlirOperationGetRegion(op, r).ptr);
    if (scope >= 0)
      b->paths.scopes[scope] =
          (stow_scope_place){b->paths.segments[b->open[b->depth - 1].head].scope, begin, begin};
  }
}

static void open_op(builder *b, MlirOperation op, int32_t segment, int64_t position) {
  b->open = stow_grow(b->open, b->depth, &b->depth_capacity, sizeof *b->open);
  b->open[b->depth++] = (nested_op){op, segment, segment};
  place_scopes(b, op, position);
}

static void close_op(builder *b, int32_t segment, int64_t position) {
  nested_op nested = b->open[--b->depth];
  nested.tail = segment;
  b->done = stow_grow(b->done, b->done_count, &b->done_capacity, sizeof *b->done);
  b->done[b->done_count++] = nested;
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(nested.op); r < n; ++r) {
    int32_t scope = stow_map_get(&b->scope_of, mlirOperationGetRegion(nested.op, r).ptr);
    if (scope >= 0)
      b->paths.scopes[scope].end = position;
  }
}

static void cut(builder *b) {
  const stow_flow *flow = b->paths.flow;
  int32_t segment = -1;
  for (int64_t at = 0; at < (int64_t)flow->position_count; ++at) {
    MlirOperation op = flow->op_at[at];
    bool nested = has_regions(op);
    bool closing = nested && b->depth > 0 && mlirOperationEqual(b->open[b->depth - 1].op, op);
    if (closing)
      segment = b->open[b->depth - 1].head; // whose scope is the op's
    if (closing || is_first_in_block(op) || segment < 0) {
      int32_t scope = closing ? b->paths.segments[segment].scope : -1;
      segment = add_segment(b, at, op);
      b->paths.segments[segment].resumes = closing;
      if (closing)
        b->paths.segments[segment].scope = scope;
    }
    b->paths.of_position[at] = segment;
    b->paths.segments[segment].end = at + 1;
    note_block(b, op, segment);
    if (closing)
      close_op(b, segment, at);
    else if (nested)
      open_op(b, op, segment, at);
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static void add_edge(builder *b, int32_t from, int32_t to) {
  b->edges = stow_grow(b->edges, b->edge_count, &b->edge_capacity, sizeof *b->edges);
  b->edges[b->edge_count++] = (segment_edge){from, to};
}

// The first segment of a region, or the op's tail where nothing is in it.
static int32_t entry_of(const builder *b, const nested_op *nested, intptr_t region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(nested->op, region));
  int32_t known = mlirBlockIsNull(block) ? -1 : stow_map_get(&b->block_of, block.ptr);
  return known < 0 ? nested->tail : b->block_first[known];
}

static void add_told_edge(void *user, intptr_t from, intptr_t to, MlirOperation terminator,
                          MlirValue source, MlirValue target) {
  builder *b = user;
  (void)target;
  if (!mlirValueIsNull(source))
    return;
  const nested_op *nested = &b->current;
  int32_t begin = nested->head;
  if (from != STOW_PARENT)
    begin = b->block_last[stow_map_get(&b->block_of, mlirOperationGetBlock(terminator).ptr)];
  add_edge(b, begin, to == STOW_PARENT ? nested->tail : entry_of(b, nested, to));
}

static void add_any_edges_from(builder *b, const nested_op *nested, int32_t segment) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(nested->op); r < n; ++r)
    add_edge(b, segment, entry_of(b, nested, r));
  add_edge(b, segment, nested->tail);
}

static void add_any_edges(builder *b, const nested_op *nested) {
  add_any_edges_from(b, nested, nested->head);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(nested->op); r < n; ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(nested->op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      int32_t known = stow_map_get(&b->block_of, block.ptr);
      if (known >= 0 && mlirBlockGetNumSuccessors(block) == 0)
        add_any_edges_from(b, nested, b->block_last[known]);
    }
}

static bool runs_as_told(MlirOperation op) {
  uint32_t facts = stow_op_facts(op);
  stow_region_manner manner = stow_region_manner_of(op, facts, STOW_UNKNOWN_OPS_USE);
  return (facts & STOW_OP_REGION_BRANCH) && !manner.owns_arena && manner.opaque == STOW_PLANNED;
}

static void connect_nested(builder *b) {
  for (size_t i = 0; i < b->done_count; ++i) {
    b->current = b->done[i];
    if (runs_as_told(b->current.op))
      stow_region_flow(b->current.op, add_told_edge, b);
    else
      add_any_edges(b, &b->current);
  }
}

static void connect_blocks(builder *b) {
  for (size_t i = 0; i < b->block_count; ++i) {
    int32_t last = b->block_last[i];
    MlirOperation op = b->paths.flow->op_at[b->paths.segments[last].end - 1];
    for (intptr_t s = 0, n = mlirOperationGetNumSuccessors(op); s < n; ++s) {
      int32_t to = stow_map_get(&b->block_of, mlirOperationGetSuccessor(op, s).ptr);
      if (to >= 0)
        add_edge(b, last, b->block_first[to]);
    }
  }
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void sort_edges(const builder *b, bool backwards, int32_t **out_first, int32_t **out_ends) {
  size_t count = b->paths.segment_count;
  int32_t *first = stow_allocate(count + 2, sizeof *first);
  int32_t *ends = stow_allocate(b->edge_count, sizeof *ends);
  for (size_t i = 0; i < b->edge_count; ++i)
    ++first[(backwards ? b->edges[i].to : b->edges[i].from) + 2];
  for (size_t s = 0; s < count; ++s)
    first[s + 2] += first[s + 1];
  for (size_t i = 0; i < b->edge_count; ++i) {
    segment_edge e = b->edges[i];
    ends[first[(backwards ? e.to : e.from) + 1]++] = backwards ? e.from : e.to;
  }
  *out_first = first, *out_ends = ends;
}

static void find_reachable(stow_paths *p) {
  int32_t *stack = stow_allocate(p->segment_count, sizeof *stack);
  size_t height = 0;
  if (p->segment_count > 0)
    p->segments[0].reachable = true, stack[height++] = 0;
  while (height > 0) {
    int32_t s = stack[--height];
    for (int32_t e = p->first_successor[s]; e < p->first_successor[s + 1]; ++e) {
      stow_path_segment *next = &p->segments[p->successors[e]];
      if (!next->reachable)
        next->reachable = true, stack[height++] = p->successors[e];
    }
  }
  free(stack);
}

stow_paths stow_paths_of(const stow_flow *flow) {
  builder b = {.paths = {.flow = flow}};
  b.paths.of_position = stow_allocate(flow->position_count, sizeof *b.paths.of_position);
  b.paths.scopes = stow_allocate(flow->scope_count, sizeof *b.paths.scopes);
  for (size_t s = 0; s < flow->scope_count; ++s) {
    b.paths.scopes[s].parent = -1;
    stow_map_add(&b.scope_of, flow->scopes[s].region.ptr, (int32_t)s);
  }
  cut(&b);
  connect_nested(&b);
  connect_blocks(&b);
  sort_edges(&b, false, &b.paths.first_successor, &b.paths.successors);
  sort_edges(&b, true, &b.paths.first_predecessor, &b.paths.predecessors);
  find_reachable(&b.paths);
  stow_map_free(&b.scope_of), stow_map_free(&b.block_of);
  free(b.block_first), free(b.block_last), free(b.open), free(b.done), free(b.edges);
  return b.paths;
}

void stow_paths_free(stow_paths *paths) {
  free(paths->segments), free(paths->of_position), free(paths->scopes);
  free(paths->first_successor), free(paths->successors);
  free(paths->first_predecessor), free(paths->predecessors);
  *paths = (stow_paths){0};
}
