//===- digraph.c - what jumps lead to, and cycles of them -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tarjan's algorithm with an explicit path. A node's `number` counts discoveries
// from 1; `low` is the smallest number its subtree reaches on the stack. A node that
// has left the stack has a component.
//
//===----------------------------------------------------------------------===//

#include "ir/digraph.h"

#include "ir/support.h"

#include <stdlib.h>

static int32_t start_of(const void *jumps, size_t j) { return ((const stow_jump *)jumps)[j].from; }
static int32_t goal_of(const void *jumps, size_t j) { return ((const stow_jump *)jumps)[j].to; }

stow_index stow_jumps_from(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of(jumps, count, node_count, start_of);
}

stow_index stow_jumps_to(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of(jumps, count, node_count, goal_of);
}

stow_index stow_successors_of(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of_values(jumps, count, node_count, start_of, goal_of);
}

stow_index stow_predecessors_of(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of_values(jumps, count, node_count, goal_of, start_of);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

static int32_t *ints(size_t count) { return stow_allocate(count, sizeof(int32_t)); }

typedef struct search {
  const stow_index *successors;
  int32_t *number, *low, *cursor, *path, *stack;
  int32_t depth, height, numbers;
  stow_components result;
} search;

static void discover(search *s, int32_t node) {
  s->number[node] = s->low[node] = ++s->numbers;
  s->cursor[node] = s->successors->first[node];
  s->stack[s->height++] = node;
  s->path[s->depth++] = node;
}

static int32_t next_undiscovered(search *s, int32_t node) {
  while (s->cursor[node] < s->successors->first[node + 1]) {
    int32_t to = s->successors->items[s->cursor[node]++];
    if (s->number[to] == 0)
      return to;
    if (s->result.of_node[to] < 0 && s->number[to] < s->low[node])
      s->low[node] = s->number[to];
  }
  return -1;
}

static void close_component(search *s, int32_t root) {
  stow_components *r = &s->result;
  int32_t end = r->first[r->count], member;
  do {
    member = s->stack[--s->height];
    r->of_node[member] = r->count;
    r->members[end++] = member;
  } while (member != root);
  r->first[++r->count] = end;
}

static void search_from(search *s, int32_t root) {
  discover(s, root);
  while (s->depth > 0) {
    int32_t node = s->path[s->depth - 1];
    int32_t to = next_undiscovered(s, node);
    if (to >= 0) {
      discover(s, to);
      continue;
    }
    if (--s->depth > 0 && s->low[node] < s->low[s->path[s->depth - 1]])
      s->low[s->path[s->depth - 1]] = s->low[node];
    if (s->low[node] == s->number[node])
      close_component(s, node);
  }
}

stow_components stow_components_of(const stow_index *successors, size_t node_count) {
  search s = {.successors = successors,
              .number = ints(node_count),
              .low = ints(node_count),
              .cursor = ints(node_count),
              .path = ints(node_count),
              .stack = ints(node_count),
              .result = {ints(node_count), ints(node_count + 1), ints(node_count), 0}};
  for (size_t n = 0; n < node_count; ++n)
    s.result.of_node[n] = -1;
  for (size_t n = 0; n < node_count; ++n)
    if (s.number[n] == 0)
      search_from(&s, (int32_t)n);
  free(s.number), free(s.low), free(s.cursor), free(s.path), free(s.stack);
  return s.result;
}

void stow_components_free(stow_components *components) {
  free(components->members), free(components->first), free(components->of_node);
  *components = (stow_components){0};
}

//===----------------------------------------------------------------------===//
// What is reached
//===----------------------------------------------------------------------===//

void stow_mark_reached(const stow_index *successors, size_t node_count, bool *marked) {
  int32_t *stack = ints(node_count);
  size_t height = 0;
  for (size_t n = 0; n < node_count; ++n)
    if (marked[n])
      stack[height++] = (int32_t)n;
  while (height > 0) {
    int32_t node = stack[--height];
    for (int32_t e = successors->first[node]; e < successors->first[node + 1]; ++e) {
      int32_t to = successors->items[e];
      if (!marked[to])
        marked[to] = true, stack[height++] = to;
    }
  }
  free(stack);
}

//===----------------------------------------------------------------------===//
// Dominators
//===----------------------------------------------------------------------===//

// Cooper, Harvey and Kennedy's iteration over reverse postorder, then one walk over the tree that
// numbers it.
typedef struct finder {
  stow_index successors, predecessors;
  stow_dominance *result;
  int32_t *order;  // reached nodes in postorder
  int32_t *number; // of each node in it, or less than 0
  int32_t *idom;   // by node
  int32_t *stack, *next;
  int32_t count;
} finder;

enum { UNSEEN = -2, OPEN = -1 };

static void find_postorder(finder *f, size_t node_count) {
  int32_t height = 0;
  for (size_t n = 0; n < node_count; ++n)
    f->number[n] = UNSEEN;
  f->stack[height++] = 0;
  f->number[0] = OPEN;
  while (height > 0) {
    int32_t n = f->stack[height - 1];
    int32_t p = f->successors.first[n] + f->next[n];
    if (p == f->successors.first[n + 1]) {
      f->number[n] = f->count;
      f->order[f->count++] = n;
      --height;
      continue;
    }
    ++f->next[n];
    int32_t to = f->successors.items[p];
    if (f->number[to] == UNSEEN) {
      f->number[to] = OPEN;
      f->stack[height++] = to;
    }
  }
  for (int32_t i = 0; i < f->count; ++i)
    f->result[f->order[i]].turn = f->count - 1 - i;
}

static int32_t meet(const finder *f, int32_t a, int32_t b) {
  while (a != b)
    if (f->number[a] < f->number[b])
      a = f->idom[a];
    else
      b = f->idom[b];
  return a;
}

static int32_t immediate(const finder *f, int32_t node) {
  int32_t found = -1;
  for (int32_t p = f->predecessors.first[node]; p < f->predecessors.first[node + 1]; ++p) {
    int32_t from = f->predecessors.items[p];
    if (f->idom[from] >= 0)
      found = found < 0 ? from : meet(f, found, from);
  }
  return found;
}

static void iterate(finder *f, size_t node_count) {
  for (size_t n = 0; n < node_count; ++n)
    f->idom[n] = -1;
  f->idom[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t i = f->count - 2; i >= 0; --i) {
      int32_t n = f->order[i], found = immediate(f, n);
      changed |= f->idom[n] != found;
      f->idom[n] = found;
    }
  }
}

// In reverse postorder a node comes after its dominator, so sizes of subtrees add up backwards and
// intervals are given out forwards.
static void number_tree(finder *f) {
  stow_dominance *of = f->result;
  int32_t *size = f->stack, *used = f->next;
  for (int32_t i = 0; i < f->count; ++i)
    size[f->order[i]] = 1, used[f->order[i]] = 0;
  for (int32_t i = 0; i < f->count - 1; ++i)
    size[f->idom[f->order[i]]] += size[f->order[i]];
  of[0].leave = size[0];
  for (int32_t i = f->count - 2; i >= 0; --i) {
    int32_t n = f->order[i], parent = f->idom[n];
    of[n].immediate = parent;
    of[n].enter = of[parent].enter + 1 + used[parent];
    of[n].leave = of[n].enter + size[n];
    used[parent] += size[n];
  }
}

stow_dominance *stow_dominators_of(const stow_jump *jumps, size_t count, size_t node_count) {
  finder f = {.successors = stow_successors_of(jumps, count, node_count),
              .predecessors = stow_predecessors_of(jumps, count, node_count),
              .result = stow_allocate(node_count, sizeof *f.result),
              .order = ints(node_count),
              .number = ints(node_count),
              .idom = ints(node_count),
              .stack = ints(node_count),
              .next = ints(node_count)};
  if (node_count > 0) {
    find_postorder(&f, node_count);
    iterate(&f, node_count);
    number_tree(&f);
  }
  stow_index_free(&f.successors), stow_index_free(&f.predecessors);
  free(f.order), free(f.number), free(f.idom), free(f.stack), free(f.next);
  return f.result;
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

int32_t *stow_sets_of(size_t node_count) {
  int32_t *leaders = ints(node_count);
  for (size_t n = 0; n < node_count; ++n)
    leaders[n] = (int32_t)n;
  return leaders;
}

int32_t stow_leader(int32_t *leaders, int32_t node) {
  while (leaders[node] != node)
    node = leaders[node] = leaders[leaders[node]];
  return node;
}

// The smaller one leads, so that leaders do not depend on the order of joins.
void stow_unite(int32_t *leaders, int32_t a, int32_t b) {
  a = stow_leader(leaders, a), b = stow_leader(leaders, b);
  leaders[a < b ? b : a] = a < b ? a : b;
}
