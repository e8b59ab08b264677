//===- graph.c - a flow's edges by value, and their components ------------===//
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

static int32_t source_of(const stow_edge *edge, bool reversed) {
  return reversed ? edge->to : edge->from;
}

static int32_t *ints(int32_t count) { return stow_allocate((size_t)count + 1, sizeof(int32_t)); }

stow_graph stow_graph_of(const stow_flow *flow, bool reversed) {
  stow_graph graph = {.value_count = (int32_t)flow->value_count, .reversed = reversed};
  graph.first = ints(graph.value_count + 1);
  graph.edge = ints((int32_t)flow->edge_count);
  for (size_t i = 0; i < flow->edge_count; ++i)
    ++graph.first[source_of(&flow->edges[i], reversed) + 1];
  for (int32_t v = 0; v < graph.value_count; ++v)
    graph.first[v + 1] += graph.first[v];
  int32_t *next = ints(graph.value_count);
  for (int32_t v = 0; v < graph.value_count; ++v)
    next[v] = graph.first[v];
  for (size_t i = 0; i < flow->edge_count; ++i)
    graph.edge[next[source_of(&flow->edges[i], reversed)]++] = (int32_t)i;
  free(next);
  return graph;
}

void stow_graph_free(stow_graph *graph) {
  free(graph->first), free(graph->edge);
  *graph = (stow_graph){0};
}

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
    const stow_edge *edge = &s->flow->edges[s->graph->edge[s->cursor[v]++]];
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
