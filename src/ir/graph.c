//===- graph.c - edges by value, jumps by segment, components -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tarjan's algorithm with an explicit path. A value's `number` counts discoveries
// from 1; `low` is the smallest number its subtree reaches on the stack.
//
//===----------------------------------------------------------------------===//

#include "ir/graph.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// By one end
//===----------------------------------------------------------------------===//

static int32_t source_of(const void *edges, size_t e) { return ((const stow_edge *)edges)[e].from; }
static int32_t target_of(const void *edges, size_t e) { return ((const stow_edge *)edges)[e].to; }

stow_graph stow_graph_of(const stow_flow *flow, bool reversed) {
  stow_index index = stow_index_of(flow->edges.at, flow->edges.count, flow->values.count,
                                   reversed ? target_of : source_of);
  return (stow_graph){index.first, index.items, (int32_t)flow->values.count, reversed};
}

void stow_graph_free(stow_graph *graph) {
  free(graph->first), free(graph->edge);
  *graph = (stow_graph){0};
}

static int32_t start_of(const void *jumps, size_t j) { return ((const stow_jump *)jumps)[j].from; }
static int32_t goal_of(const void *jumps, size_t j) { return ((const stow_jump *)jumps)[j].to; }

stow_index stow_successors_of(const stow_jump *jumps, size_t count, size_t segment_count) {
  stow_index successors = stow_index_of(jumps, count, segment_count, start_of);
  for (size_t i = 0; i < count; ++i)
    successors.items[i] = jumps[successors.items[i]].to;
  return successors;
}

stow_index stow_predecessors_of(const stow_jump *jumps, size_t count, size_t segment_count) {
  stow_index predecessors = stow_index_of(jumps, count, segment_count, goal_of);
  for (size_t i = 0; i < count; ++i)
    predecessors.items[i] = jumps[predecessors.items[i]].from;
  return predecessors;
}

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

static int32_t *ints(int32_t count) { return stow_allocate((size_t)count + 1, sizeof(int32_t)); }

typedef struct search {
  const stow_graph *graph;
  const stow_flow *flow;
  int32_t *number, *low, *cursor, *path, *stack;
  bool *on_stack;
  int32_t depth, height, numbers;
  stow_components result;
} search;

static void discover(search *s, int32_t v) {
  s->number[v] = s->low[v] = ++s->numbers;
  s->cursor[v] = s->graph->first[v];
  s->on_stack[v] = true;
  s->stack[s->height++] = v;
  s->path[s->depth++] = v;
}

static int32_t next_undiscovered(search *s, int32_t v) {
  while (s->cursor[v] < s->graph->first[v + 1]) {
    const stow_edge *edge = &s->flow->edges.at[s->graph->edge[s->cursor[v]++]];
    int32_t to = s->graph->reversed ? edge->from : edge->to;
    if (s->number[to] == 0)
      return to;
    if (s->on_stack[to] && s->number[to] < s->low[v])
      s->low[v] = s->number[to];
  }
  return -1;
}

static void close_component(search *s, int32_t root) {
  stow_components *r = &s->result;
  int32_t end = r->first[r->count], member;
  do {
    member = s->stack[--s->height];
    s->on_stack[member] = false;
    r->members[end++] = member;
  } while (member != root);
  r->first[++r->count] = end;
}

static void search_from(search *s, int32_t root) {
  discover(s, root);
  while (s->depth > 0) {
    int32_t v = s->path[s->depth - 1];
    int32_t to = next_undiscovered(s, v);
    if (to >= 0) {
      discover(s, to);
      continue;
    }
    if (--s->depth > 0 && s->low[v] < s->low[s->path[s->depth - 1]])
      s->low[s->path[s->depth - 1]] = s->low[v];
    if (s->low[v] == s->number[v])
      close_component(s, v);
  }
}

stow_components stow_components_of(const stow_graph *graph, const stow_flow *flow) {
  int32_t count = graph->value_count;
  search s = {.graph = graph, .flow = flow};
  s.number = ints(count), s.low = ints(count), s.cursor = ints(count);
  s.path = ints(count), s.stack = ints(count);
  s.on_stack = stow_allocate((size_t)count, sizeof *s.on_stack);
  s.result.members = ints(count), s.result.first = ints(count + 1);
  for (int32_t v = 0; v < count; ++v)
    if (s.number[v] == 0)
      search_from(&s, v);
  free(s.number), free(s.low), free(s.cursor), free(s.path), free(s.stack), free(s.on_stack);
  return s.result;
}

void stow_components_free(stow_components *components) {
  free(components->members), free(components->first);
  *components = (stow_components){0};
}
