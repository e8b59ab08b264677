//===- order.c - the blocks of a region in an order time agrees with ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tarjan's algorithm, with an explicit stack, on ever smaller slices of `order`.
// A slice is a loop's blocks (at first: all reachable ones); its components are
// written back into it in topological order, and each that is a loop becomes a
// slice to do next. Headers have no in-edges from then on: `header` marks them.
//
//===----------------------------------------------------------------------===//

#include "ir/order.h"

#include "ir/support.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph {
  MlirBlock *blocks;
  int32_t *successors;      // of all blocks, one after the other
  int32_t *first_successor; // per block, and one more
  int32_t count;
  bool *header, *entered, *reachable;
  int32_t *slice; // which slice a block is in: edges that leave it are not followed
  // Tarjan's state, per block.
  int32_t *number, *low, *cursor;
  bool *on_stack;
  int32_t *path, *stack;
} graph;

static int32_t *ints(int32_t count) { return stow_allocate((size_t)count + 1, sizeof(int32_t)); }
static bool *bools(int32_t count) { return stow_allocate((size_t)count + 1, sizeof(bool)); }

static int32_t count_blocks(MlirRegion region) {
  int32_t count = 0;
  for (MlirBlock b = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(b);
       b = mlirBlockGetNextInRegion(b))
    ++count;
  return count;
}

static void read_edges(graph *g, const stow_map *index) {
  size_t capacity = 0, count = 0;
  for (int32_t b = 0; b < g->count; ++b) {
    g->first_successor[b] = (int32_t)count;
    intptr_t degree = mlirBlockGetNumSuccessors(g->blocks[b]);
    for (intptr_t i = 0; i < degree; ++i) {
      g->successors = stow_grow(g->successors, count, &capacity, sizeof *g->successors);
      g->successors[count++] = stow_map_get(index, mlirBlockGetSuccessor(g->blocks[b], i).ptr);
    }
  }
  g->first_successor[g->count] = (int32_t)count;
}

static graph read_graph(MlirRegion region) {
  graph g = {.count = count_blocks(region)};
  stow_map index = {0};
  g.blocks = stow_allocate((size_t)g.count, sizeof *g.blocks);
  g.first_successor = ints(g.count);
  g.header = bools(g.count), g.entered = bools(g.count), g.reachable = bools(g.count),
  g.on_stack = bools(g.count);
  g.slice = ints(g.count), g.number = ints(g.count), g.low = ints(g.count);
  g.cursor = ints(g.count), g.path = ints(g.count), g.stack = ints(g.count);
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
  free(g->blocks), free(g->successors), free(g->first_successor);
  free(g->header), free(g->entered), free(g->reachable), free(g->on_stack), free(g->slice);
  free(g->number), free(g->low), free(g->cursor), free(g->path), free(g->stack);
}

// Marks what the entry reaches and returns how many blocks that is.
static int32_t mark_reachable(graph *g) {
  int32_t depth = 0, count = 0;
  g->reachable[0] = true;
  g->stack[depth++] = 0;
  while (depth > 0) {
    int32_t b = g->stack[--depth];
    ++count;
    for (int32_t e = g->first_successor[b]; e < g->first_successor[b + 1]; ++e) {
      int32_t to = g->successors[e];
      if (!g->reachable[to])
        g->reachable[to] = true, g->stack[depth++] = to;
    }
  }
  return count;
}

static bool follows(const graph *g, int32_t from, int32_t to) {
  return g->slice[from] == g->slice[to] && !g->header[to];
}

// The next block after `b` that has no number yet, or -1; numbered ones lower `b`'s low link.
static int32_t next_unnumbered(graph *g, int32_t b) {
  while (g->cursor[b] < g->first_successor[b + 1]) {
    int32_t to = g->successors[g->cursor[b]++];
    if (!follows(g, b, to))
      continue;
    if (g->number[to] == 0)
      return to;
    if (g->on_stack[to] && g->number[to] < g->low[b])
      g->low[b] = g->number[to];
  }
  return -1;
}

static void discover(graph *g, int32_t b, int32_t number, int32_t *height) {
  g->number[b] = g->low[b] = number;
  g->cursor[b] = g->first_successor[b];
  g->on_stack[b] = true;
  g->stack[(*height)++] = b;
}

// Components reachable from `root`, written backwards before order[*end]: Tarjan finds them in
// reverse topological order. `starts` marks where each component begins.
static void components_from(graph *g, int32_t root, int32_t *order, bool *starts, int32_t *end,
                            int32_t *numbers) {
  int32_t depth = 0, height = 0;
  discover(g, root, ++*numbers, &height);
  g->path[depth++] = root;
  while (depth > 0) {
    int32_t b = g->path[depth - 1];
    int32_t to = next_unnumbered(g, b);
    if (to >= 0) {
      discover(g, to, ++*numbers, &height);
      g->path[depth++] = to;
      continue;
    }
    if (--depth > 0 && g->low[b] < g->low[g->path[depth - 1]])
      g->low[g->path[depth - 1]] = g->low[b];
    if (g->low[b] != g->number[b])
      continue;
    int32_t member;
    do {
      member = g->stack[--height];
      g->on_stack[member] = false;
      order[--*end] = member;
    } while (member != b);
    starts[*end] = true;
  }
}

static bool has_self_edge(const graph *g, int32_t b) {
  for (int32_t e = g->first_successor[b]; e < g->first_successor[b + 1]; ++e)
    if (g->successors[e] == b && !g->header[b])
      return true;
  return false;
}

// Marks as headers the blocks of new loops that are entered from elsewhere. A loop is entered only
// from the slice it was found in, so only the edges of that slice matter.
static void mark_headers(graph *g, const int32_t *slice, size_t size, int32_t first_new) {
  for (size_t i = 0; i < size; ++i) {
    int32_t from = slice[i];
    for (int32_t e = g->first_successor[from]; e < g->first_successor[from + 1]; ++e) {
      int32_t to = g->successors[e];
      if (g->slice[to] >= first_new && g->slice[to] != g->slice[from])
        g->entered[to] = true;
    }
  }
  for (size_t i = 0; i < size; ++i)
    g->header[slice[i]] |= g->entered[slice[i]];
}

typedef struct builder {
  graph g;
  int32_t *order;
  bool *starts;
  int32_t count, slices, numbers;
  stow_region_order result;
  size_t loop_capacity;
} builder;

static void sort_slice(builder *b, size_t first, size_t last) {
  int32_t size = (int32_t)(last - first + 1), end = (int32_t)last + 1;
  int32_t *blocks = ints(size);
  memcpy(blocks, b->order + first, (size_t)size * sizeof *blocks);
  for (int32_t i = 0; i < size; ++i)
    b->g.number[blocks[i]] = 0, b->starts[first + (size_t)i] = false;
  // Roots in their present order from the back, so that equal input gives an order near the
  // source's.
  for (int32_t i = size - 1; i >= 0; --i)
    if (b->g.number[blocks[i]] == 0)
      components_from(&b->g, blocks[i], b->order, b->starts, &end, &b->numbers);
  free(blocks);
}

static void add_loop(builder *b, size_t first, size_t last, int32_t parent) {
  stow_region_order *r = &b->result;
  r->loops = stow_grow(r->loops, r->loop_count, &b->loop_capacity, sizeof *r->loops);
  r->loops[r->loop_count++] = (stow_block_loop){parent, first, last};
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
    add_loop(b, i, end - 1, parent);
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
  r->blocks = stow_allocate(r->block_count, sizeof *r->blocks);
  size_t next = (size_t)b->count;
  for (int32_t i = 0; i < b->g.count; ++i)
    if (!b->g.reachable[i])
      b->order[next++] = i;
  for (size_t i = 0; i < r->block_count; ++i) {
    int32_t block = b->order[i];
    r->blocks[i] =
        (stow_ordered_block){b->g.blocks[block], -1, b->g.header[block], b->g.reachable[block]};
  }
  for (size_t l = 0; l < r->loop_count; ++l)
    for (size_t i = r->loops[l].first; i <= r->loops[l].last; ++i)
      r->blocks[i].loop = (int32_t)l;
}

// Most regions are one block.
static stow_region_order single_block(MlirBlock block) {
  stow_region_order order = {.blocks = stow_allocate(1, sizeof *order.blocks), .block_count = 1};
  order.blocks[0] = (stow_ordered_block){.block = block, .loop = -1, .reachable = true};
  return order;
}

stow_region_order stow_region_blocks(MlirRegion region) {
  MlirBlock first = mlirRegionGetFirstBlock(region);
  if (!mlirBlockIsNull(first) && mlirBlockIsNull(mlirBlockGetNextInRegion(first)) &&
      mlirBlockGetNumSuccessors(first) == 0)
    return single_block(first);
  builder b = {.g = read_graph(region)};
  if (b.g.count == 0) {
    free_graph(&b.g);
    return b.result;
  }
  b.order = ints(b.g.count), b.starts = bools(b.g.count);
  mark_reachable(&b.g);
  for (int32_t i = 0; i < b.g.count; ++i)
    if (b.g.reachable[i])
      b.order[b.count++] = i;
    else
      b.g.slice[i] = -1;
  process(&b, 0, (size_t)b.count - 1, -1);
  for (size_t l = 0; l < b.result.loop_count; ++l)
    process(&b, b.result.loops[l].first, b.result.loops[l].last, (int32_t)l);
  write_blocks(&b);
  free_graph(&b.g);
  free(b.order), free(b.starts);
  return b.result;
}

void stow_region_order_free(stow_region_order *order) {
  free(order->blocks);
  free(order->loops);
  *order = (stow_region_order){0};
}
