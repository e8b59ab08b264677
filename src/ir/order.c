//===- order.c - the blocks of a region in an order time agrees with ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Components are found of ever smaller slices of `order`. A slice is a loop's blocks (at first:
// all reachable ones); its components are written back into it in topological order, and each that
// is a loop becomes a slice to do next. Headers have no in-edges from then on: `header` marks them.
//
//===----------------------------------------------------------------------===//

#include "ir/order.h"

#include "ir/digraph.h"

#include <stdlib.h>

typedef struct graph {
  MlirBlock *blocks;
  stow_index successors;
  int32_t count;
  bool *header, *entered, *reachable;
  int32_t *slice; // which slice a block is in: edges that leave it are not followed
  int32_t *place; // in its slice, from the back
} graph;

static int32_t *ints(int32_t count) { return stow_ir_allocate((size_t)count + 1, sizeof(int32_t)); }
static bool *bools(int32_t count) { return stow_ir_allocate((size_t)count + 1, sizeof(bool)); }

static int32_t count_blocks(MlirRegion region) {
  int32_t count = 0;
  STOW_EACH_BLOCK(b, region)
    ++count;
  return count;
}

static void read_edges(graph *g, const stow_map *index) {
  STOW_ARRAY(stow_jump) edges = {0};
  for (int32_t b = 0; b < g->count; ++b)
    for (intptr_t i = 0, degree = mlirBlockGetNumSuccessors(g->blocks[b]); i < degree; ++i)
      STOW_PUSH(edges,
                (stow_jump){b, stow_map_get(index, mlirBlockGetSuccessor(g->blocks[b], i).ptr)});
  g->successors = stow_ir_successors_of(edges.at, edges.count, (size_t)g->count);
  free(edges.at);
}

static graph read_graph(MlirRegion region) {
  graph g = {.count = count_blocks(region)};
  stow_map index = {0};
  g.blocks = stow_ir_allocate((size_t)g.count, sizeof *g.blocks);
  g.header = bools(g.count);
  g.entered = bools(g.count);
  g.reachable = bools(g.count);
  g.slice = ints(g.count);
  g.place = ints(g.count);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  for (int32_t b = 0; b < g.count; ++b, block = mlirBlockGetNextInRegion(block)) {
    g.blocks[b] = block;
    stow_map_add(&index, block.ptr, b);
  }
  read_edges(&g, &index);
  stow_map_free(&index);
  return g;
}

static void free_graph(graph *g) {
  free(g->blocks);
  stow_index_free(&g->successors);
  free(g->header);
  free(g->entered);
  free(g->reachable);
  free(g->slice);
  free(g->place);
}

// A slice as a graph of its own: its nodes are places.
static stow_index slice_graph(const graph *g, const int32_t *blocks, int32_t size) {
  STOW_ARRAY(stow_jump) edges = {0};
  for (int32_t i = 0; i < size; ++i)
    STOW_EACH_OF(to, g->successors, blocks[i])
      if (g->slice[to] == g->slice[blocks[i]] && !g->header[to])
        STOW_PUSH(edges, (stow_jump){i, g->place[to]});
  stow_index successors = stow_ir_successors_of(edges.at, edges.count, (size_t)size);
  free(edges.at);
  return successors;
}

static bool has_self_edge(const graph *g, int32_t b) {
  STOW_EACH_OF(e, g->successors, b)
    if (e == b && !g->header[b])
      return true;
  return false;
}

// Marks as headers the blocks of new loops that are entered from elsewhere. A loop is entered only
// from the slice it was found in, so only the edges of that slice matter.
static void mark_headers(graph *g, const int32_t *slice, size_t size, int32_t first_new) {
  for (size_t i = 0; i < size; ++i) {
    int32_t from = slice[i];
    STOW_EACH_OF(to, g->successors, from)
      if (g->slice[to] >= first_new && g->slice[to] != g->slice[from])
        g->entered[to] = true;
  }
  for (size_t i = 0; i < size; ++i)
    g->header[slice[i]] |= g->entered[slice[i]];
}

typedef struct builder {
  graph g;
  int32_t *order;
  bool *starts;
  int32_t count, slices;
  stow_region_order result;
} builder;

// Components are found targets first, so from the back. Blocks are tried in their present order
// from the back, too, so that equal input gives an order near the source's.
static void sort_slice(builder *b, size_t first, size_t last) {
  int32_t size = (int32_t)(last - first + 1);
  int32_t *blocks = ints(size);
  for (int32_t i = 0; i < size; ++i) {
    blocks[i] = b->order[last - (size_t)i];
    b->g.place[blocks[i]] = i;
  }
  stow_index successors = slice_graph(&b->g, blocks, size);
  stow_components found = stow_components_of(&successors, (size_t)size);
  for (int32_t i = 0; i < size; ++i) {
    b->order[last - (size_t)i] = blocks[found.members[i]];
    b->starts[last - (size_t)i] = false;
  }
  for (int32_t c = 1; c <= found.count; ++c)
    b->starts[last + 1 - (size_t)found.first[c]] = true;
  stow_components_free(&found);
  stow_index_free(&successors);
  free(blocks);
}

// Turns the components of a sorted slice that are loops into loops of their own.
static void split_slice(builder *b, size_t first, size_t last, int32_t parent) {
  for (size_t i = first, end; i <= last; i = end) {
    for (end = i + 1; end <= last && !b->starts[end]; ++end)
      ;
    if (end - i == 1 && !has_self_edge(&b->g, b->order[i]))
      continue;
    ++b->slices;
    for (size_t k = i; k < end; ++k)
      b->g.slice[b->order[k]] = b->slices;
    STOW_PUSH(b->result.loops, (stow_block_loop){parent, i, end - 1});
  }
}

static void process(builder *b, size_t first, size_t last, int32_t loop) {
  int32_t first_new = b->slices + 1;
  sort_slice(b, first, last);
  split_slice(b, first, last, loop);
  mark_headers(&b->g, b->order + first, last - first + 1, first_new);
}

static void write_blocks(builder *b) {
  stow_region_order *r = &b->result;
  r->block_count = (size_t)b->g.count;
  r->blocks = stow_ir_allocate(r->block_count, sizeof *r->blocks);
  size_t next = (size_t)b->count;
  for (int32_t i = 0; i < b->g.count; ++i)
    if (!b->g.reachable[i])
      b->order[next++] = i;
  for (size_t i = 0; i < r->block_count; ++i) {
    int32_t block = b->order[i];
    r->blocks[i] =
        (stow_ordered_block){b->g.blocks[block], -1, b->g.header[block], b->g.reachable[block]};
  }
  for (size_t l = 0; l < r->loops.count; ++l)
    for (size_t i = r->loops.at[l].first; i <= r->loops.at[l].last; ++i)
      r->blocks[i].loop = (int32_t)l;
}

// Most regions are one block.
static stow_region_order single_block(MlirBlock block) {
  stow_region_order order = {.blocks = stow_ir_allocate(1, sizeof *order.blocks), .block_count = 1};
  order.blocks[0] = (stow_ordered_block){.block = block, .loop = -1, .reachable = true};
  return order;
}

stow_region_order stow_ir_region_blocks(MlirRegion region) {
  MlirBlock first = mlirRegionGetFirstBlock(region);
  if (!mlirBlockIsNull(first) && mlirBlockIsNull(mlirBlockGetNextInRegion(first)) &&
      mlirBlockGetNumSuccessors(first) == 0)
    return single_block(first);
  builder b = {.g = read_graph(region)};
  if (b.g.count == 0) {
    free_graph(&b.g);
    return b.result;
  }
  b.order = ints(b.g.count);
  b.starts = bools(b.g.count);
  b.g.reachable[0] = true;
  stow_ir_mark_reached(&b.g.successors, (size_t)b.g.count, b.g.reachable);
  for (int32_t i = 0; i < b.g.count; ++i)
    if (b.g.reachable[i])
      b.order[b.count++] = i;
    else
      b.g.slice[i] = -1;
  process(&b, 0, (size_t)b.count - 1, -1);
  for (size_t l = 0; l < b.result.loops.count; ++l)
    process(&b, b.result.loops.at[l].first, b.result.loops.at[l].last, (int32_t)l);
  write_blocks(&b);
  free_graph(&b.g);
  free(b.order);
  free(b.starts);
  return b.result;
}

void stow_region_order_free(stow_region_order *order) {
  free(order->blocks);
  free(order->loops.at);
  *order = (stow_region_order){0};
}
