//===- graph.c - a problem as lists by node -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "order/graph.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static bool begin_rows(size_t count, size_t items, stow_order_memory *memory,
                       stow_order_rows *out) {
  out->first = stow_order_take(memory, count + 2, sizeof *out->first);
  out->items = stow_order_take(memory, items, sizeof *out->items);
  return out->first && out->items;
}

// Counts stand at first[row + 2]; they become where each row begins, at first[row + 1].
static void sum_rows(stow_order_rows *rows, size_t count) {
  for (size_t i = 2; i < count + 2; ++i)
    rows->first[i] += rows->first[i - 1];
}

static void add_item(stow_order_rows *rows, size_t row, size_t item) {
  rows->items[rows->first[row + 1]++] = item;
}

static bool read_edges(stow_order_graph *g, stow_order_memory *memory) {
  const stow_order_problem *p = g->problem;
  if (!begin_rows(g->count, p->edge_count, memory, &g->before) ||
      !begin_rows(g->count, p->edge_count, memory, &g->after))
    return false;
  for (size_t e = 0; e < p->edge_count; ++e) {
    assert(p->edges[e].before < p->edges[e].after && p->edges[e].after < g->count);
    ++g->before.first[p->edges[e].after + 2];
    ++g->after.first[p->edges[e].before + 2];
  }
  sum_rows(&g->before, g->count);
  sum_rows(&g->after, g->count);
  for (size_t e = 0; e < p->edge_count; ++e) {
    add_item(&g->before, p->edges[e].after, p->edges[e].before);
    add_item(&g->after, p->edges[e].before, p->edges[e].after);
  }
  return true;
}

static bool read_touches(stow_order_graph *g, stow_order_memory *memory) {
  const stow_order_problem *p = g->problem;
  size_t touches = 0;
  for (size_t b = 0; b < p->buffer_count; ++b)
    touches += p->buffers[b].user_count;
  if (!begin_rows(g->count, touches, memory, &g->touched))
    return false;
  for (size_t b = 0; b < p->buffer_count; ++b)
    for (size_t i = 0; i < p->buffers[b].user_count; ++i)
      ++g->touched.first[p->buffers[b].users[i] + 2];
  sum_rows(&g->touched, g->count);
  for (size_t b = 0; b < p->buffer_count; ++b)
    for (size_t i = 0; i < p->buffers[b].user_count; ++i)
      add_item(&g->touched, p->buffers[b].users[i], b);
  return true;
}

bool stow_order_read(const stow_order_problem *problem, stow_order_memory *memory,
                     stow_order_graph *out_graph) {
  *out_graph = (stow_order_graph){.problem = problem, .count = problem->node_count};
  return read_edges(out_graph, memory) && read_touches(out_graph, memory);
}

//===----------------------------------------------------------------------===//
// The levels of an order
//===----------------------------------------------------------------------===//

void stow_order_levels(const stow_order_graph *g, const size_t *nodes, size_t *users,
                       uint64_t *out_levels) {
  const stow_order_problem *p = g->problem;
  uint64_t level = 0;
  for (size_t b = 0; b < p->buffer_count; ++b) {
    users[b] = 0;
    level += p->buffers[b].from_start ? p->buffers[b].bytes : 0;
  }
  for (size_t i = 0; i < g->count; ++i) {
    uint64_t freed = 0;
    STOW_ORDER_EACH(b, g->touched, nodes[i]) {
      const stow_order_buffer *buffer = &p->buffers[b];
      level += users[b] == 0 && !buffer->from_start ? buffer->bytes : 0;
      freed += ++users[b] == buffer->user_count && !buffer->to_end ? buffer->bytes : 0;
    }
    out_levels[i] = level + stow_order_inside(p, nodes[i]);
    level -= freed;
  }
}

//===----------------------------------------------------------------------===//
// A part of an order
//===----------------------------------------------------------------------===//

typedef struct subgraph {
  const stow_order_graph *graph;
  size_t first, end;
  const size_t *place; // of each node of the graph, in the order
  stow_order_buffer *buffers;
  size_t *users;
  size_t buffer_count, user_count;
  uint64_t base;
} subgraph;

static void add_buffer(subgraph *part, const stow_order_buffer *whole) {
  stow_order_buffer *own = &part->buffers[part->buffer_count];
  *own = *whole;
  own->users = part->users + part->user_count;
  own->user_count = 0;
  for (size_t i = 0; i < whole->user_count; ++i) {
    const size_t at = part->place[whole->users[i]];
    own->from_start |= at < part->first;
    own->to_end |= at >= part->end;
    if (at >= part->first && at < part->end)
      part->users[part->user_count + own->user_count++] = at - part->first;
  }
  if (own->user_count == 0) {
    part->base += own->from_start && own->to_end ? own->bytes : 0;
    return;
  }
  // Ascending by insertion: most buffers have few users.
  size_t *users = part->users + part->user_count;
  for (size_t i = 1; i < own->user_count; ++i)
    for (size_t k = i; k > 0 && users[k] < users[k - 1]; --k) {
      const size_t kept = users[k];
      users[k] = users[k - 1];
      users[k - 1] = kept;
    }
  part->user_count += own->user_count;
  ++part->buffer_count;
}

static bool part_edges(const subgraph *part, const size_t *nodes, stow_order_memory *memory,
                       stow_order_problem *out) {
  const stow_order_graph *g = part->graph;
  size_t most = 0;
  for (size_t i = part->first; i < part->end; ++i)
    most += g->after.first[nodes[i] + 1] - g->after.first[nodes[i]];
  stow_order_edge *edges = stow_order_take(memory, most, sizeof *edges);
  if (!edges)
    return false;
  out->edges = edges;
  for (size_t i = part->first; i < part->end; ++i)
    STOW_ORDER_EACH(e, g->after, nodes[i]) {
      const size_t to = part->place[e];
      assert(to > i);
      if (to < part->end)
        edges[out->edge_count++] = (stow_order_edge){i - part->first, to - part->first};
    }
  return true;
}

bool stow_order_part_of(const stow_order_graph *g, const size_t *nodes, size_t first, size_t end,
                        stow_order_memory *memory, stow_order_problem *out_problem,
                        uint64_t *out_base) {
  const stow_order_problem *p = g->problem;
  size_t *place = stow_order_take(memory, g->count, sizeof *place);
  uint64_t *inside = stow_order_take(memory, end - first, sizeof *inside);
  subgraph part = {.graph = g, .first = first, .end = end, .place = place};
  part.buffers = stow_order_take(memory, p->buffer_count, sizeof *part.buffers);
  part.users = stow_order_take(memory, g->touched.first[g->count], sizeof *part.users);
  if (!place || !inside || !part.buffers || !part.users)
    return false;
  for (size_t i = 0; i < g->count; ++i)
    place[nodes[i]] = i;
  for (size_t i = first; i < end; ++i)
    inside[i - first] = stow_order_inside(p, nodes[i]);
  for (size_t b = 0; b < p->buffer_count; ++b)
    add_buffer(&part, &p->buffers[b]);
  *out_problem = (stow_order_problem){.node_count = end - first,
                                      .inside = inside,
                                      .buffers = part.buffers,
                                      .buffer_count = part.buffer_count};
  *out_base = part.base;
  return part_edges(&part, nodes, memory, out_problem);
}

bool stow_order_reverse(stow_order_problem *problem, stow_order_memory *memory) {
  const size_t n = problem->node_count;
  stow_order_edge *edges = stow_order_take(memory, problem->edge_count, sizeof *edges);
  stow_order_buffer *buffers = stow_order_take(memory, problem->buffer_count, sizeof *buffers);
  uint64_t *inside = stow_order_take(memory, n, sizeof *inside);
  if (!edges || !buffers || !inside)
    return false;
  for (size_t e = 0; e < problem->edge_count; ++e)
    edges[e] = (stow_order_edge){n - 1 - problem->edges[e].after, n - 1 - problem->edges[e].before};
  for (size_t i = 0; i < n; ++i)
    inside[i] = stow_order_inside(problem, n - 1 - i);
  for (size_t b = 0; b < problem->buffer_count; ++b) {
    const stow_order_buffer *from = &problem->buffers[b];
    size_t *users = stow_order_take(memory, from->user_count, sizeof *users);
    if (!users)
      return false;
    for (size_t i = 0; i < from->user_count; ++i)
      users[i] = n - 1 - from->users[from->user_count - 1 - i];
    buffers[b] =
        (stow_order_buffer){from->bytes, users, from->user_count, from->to_end, from->from_start};
  }
  problem->edges = edges;
  problem->buffers = buffers;
  problem->inside = inside;
  return true;
}

//===----------------------------------------------------------------------===//
// Memory that is given back at once
//===----------------------------------------------------------------------===//

struct stow_order_block {
  stow_order_block *next;
  max_align_t data[];
};

void *stow_order_take(stow_order_memory *memory, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - sizeof(stow_order_block)) / size)
    return NULL;
  stow_order_block *block = calloc(1, sizeof *block + count * size);
  if (!block)
    return NULL;
  block->next = memory->blocks;
  memory->blocks = block;
  return block->data;
}

void stow_order_give_back(stow_order_memory *memory) {
  while (memory->blocks) {
    stow_order_block *block = memory->blocks;
    memory->blocks = block->next;
    free(block);
  }
}
