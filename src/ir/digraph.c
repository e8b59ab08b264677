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

stow_index stow_jumps_from(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of(STOW_COLUMN(jumps, count, from), node_count);
}

stow_index stow_jumps_to(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of(STOW_COLUMN(jumps, count, to), node_count);
}

stow_index stow_ir_successors_of(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of_values(STOW_COLUMN(jumps, count, from), STOW_COLUMN(jumps, count, to),
                              node_count);
}

stow_index stow_ir_predecessors_of(const stow_jump *jumps, size_t count, size_t node_count) {
  return stow_index_of_values(STOW_COLUMN(jumps, count, to), STOW_COLUMN(jumps, count, from),
                              node_count);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

static int32_t *ints(size_t count) { return stow_ir_allocate(count, sizeof(int32_t)); }

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
  free(s.number);
  free(s.low);
  free(s.cursor);
  free(s.path);
  free(s.stack);
  return s.result;
}

void stow_components_free(stow_components *components) {
  free(components->members);
  free(components->first);
  free(components->of_node);
  *components = (stow_components){0};
}

//===----------------------------------------------------------------------===//
// What is reached
//===----------------------------------------------------------------------===//

stow_walk stow_walk_create(size_t node_count) {
  return (stow_walk){.added = ints(node_count), .items = ints(node_count), .round = 1};
}

void stow_walk_free(stow_walk *walk) {
  free(walk->added);
  free(walk->items);
  *walk = (stow_walk){0};
}

void stow_walk_restart(stow_walk *walk) {
  ++walk->round;
  walk->count = walk->next = 0;
}

bool stow_walk_has(const stow_walk *walk, int32_t node) { return walk->added[node] == walk->round; }

void stow_walk_add(stow_walk *walk, int32_t node) {
  if (stow_walk_has(walk, node))
    return;
  walk->added[node] = walk->round;
  walk->items[walk->count++] = node;
}

void stow_walk_add_all(stow_walk *walk, const stow_index *nodes, int32_t key) {
  STOW_EACH_OF(node, *nodes, key)
    stow_walk_add(walk, node);
}

bool stow_walk_next(stow_walk *walk, int32_t *out_node) {
  if (walk->next == walk->count)
    return false;
  *out_node = walk->items[walk->next++];
  return true;
}

void stow_ir_mark_reached(const stow_index *successors, size_t node_count, bool *marked) {
  int32_t *stack = ints(node_count);
  size_t height = 0;
  for (size_t n = 0; n < node_count; ++n)
    if (marked[n])
      stack[height++] = (int32_t)n;
  while (height > 0) {
    int32_t node = stack[--height];
    STOW_EACH_OF(to, *successors, node)
      if (!marked[to]) {
        marked[to] = true;
        stack[height++] = to;
      }
  }
  free(stack);
}

//===----------------------------------------------------------------------===//
// Dominators
//===----------------------------------------------------------------------===//

// Lengauer and Tarjan's algorithm with paths that shorten as they are asked, so almost linear; then
// one walk over the tree that numbers it. Nodes are known by their number in a depth-first search;
// `semi` is the smallest number from which a path of greater ones leads to a node.
typedef struct finder {
  stow_index successors, predecessors;
  stow_dominance *result;
  int32_t *order;  // reached nodes in postorder
  int32_t *idom;   // by node
  int32_t *number; // by node, or UNSEEN
  int32_t *nodes;  // and by number: the node,
  int32_t *parent; // the node from which the search found it,
  int32_t *semi, *dominator;
  int32_t *above; // the next one up the path to the root of the tree so far, or NONE,
  int32_t *least; // and of those between, the one with the smallest semi
  int32_t *bucket, *next_in_bucket;
  int32_t *stack, *next;
  int32_t count;
} finder;

enum { UNSEEN = -1, NONE = -1 };

static void see(finder *f, int32_t node, int32_t parent, int32_t number) {
  f->number[node] = number;
  f->nodes[number] = node;
  f->parent[number] = parent;
  f->semi[number] = f->least[number] = number;
  f->above[number] = f->bucket[number] = NONE;
}

static void search_depth_first(finder *f, size_t node_count) {
  int32_t height = 0, seen = 0;
  for (size_t n = 0; n < node_count; ++n)
    f->number[n] = UNSEEN;
  see(f, 0, NONE, seen++);
  f->stack[height++] = 0;
  while (height > 0) {
    int32_t n = f->stack[height - 1];
    int32_t p = f->successors.first[n] + f->next[n];
    if (p == f->successors.first[n + 1]) {
      f->order[f->count++] = n;
      --height;
      continue;
    }
    ++f->next[n];
    int32_t to = f->successors.items[p];
    if (f->number[to] == UNSEEN) {
      see(f, to, f->number[n], seen++);
      f->stack[height++] = to;
    }
  }
  for (int32_t i = 0; i < f->count; ++i)
    f->result[f->order[i]].rpo = f->count - 1 - i;
}

// Between a node and the root of its tree so far, without that: the one with the smallest semi.
static int32_t least_above(finder *f, int32_t n) {
  if (f->above[n] == NONE)
    return n;
  int32_t height = 0;
  for (int32_t at = n; f->above[f->above[at]] != NONE; at = f->above[at])
    f->stack[height++] = at;
  while (height > 0) {
    int32_t at = f->stack[--height], up = f->above[at];
    if (f->semi[f->least[up]] < f->semi[f->least[at]])
      f->least[at] = f->least[up];
    f->above[at] = f->above[up];
  }
  return f->least[n];
}

static void find_semi(finder *f, int32_t n) {
  const int32_t node = f->nodes[n];
  STOW_EACH_OF(p, f->predecessors, node) {
    int32_t from = f->number[p];
    if (from == UNSEEN)
      continue;
    int32_t semi = f->semi[least_above(f, from)];
    if (semi < f->semi[n])
      f->semi[n] = semi;
  }
  f->next_in_bucket[n] = f->bucket[f->semi[n]];
  f->bucket[f->semi[n]] = n;
}

// Of the nodes whose semi is `n`, each has that as its dominator, or the same one as another node.
static void empty_bucket(finder *f, int32_t n) {
  for (int32_t i = f->bucket[n]; i != NONE; i = f->next_in_bucket[i]) {
    int32_t least = least_above(f, i);
    f->dominator[i] = f->semi[least] < f->semi[i] ? least : n;
  }
  f->bucket[n] = NONE;
}

static void find_dominators(finder *f) {
  for (int32_t n = f->count - 1; n > 0; --n) {
    find_semi(f, n);
    f->above[n] = f->parent[n];
    empty_bucket(f, f->parent[n]);
  }
  for (int32_t n = 1; n < f->count; ++n) {
    if (f->dominator[n] != f->semi[n])
      f->dominator[n] = f->dominator[f->dominator[n]];
    f->idom[f->nodes[n]] = f->nodes[f->dominator[n]];
  }
}

// In reverse postorder a node comes after its dominator, so sizes of subtrees add up backwards and
// intervals are given out forwards.
static void number_tree(finder *f) {
  stow_dominance *of = f->result;
  int32_t *size = f->stack, *used = f->next;
  for (int32_t i = 0; i < f->count; ++i) {
    size[f->order[i]] = 1;
    used[f->order[i]] = 0;
  }
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

stow_dominance *stow_ir_dominators_of(const stow_jump *jumps, size_t count, size_t node_count) {
  finder f = {.successors = stow_ir_successors_of(jumps, count, node_count),
              .predecessors = stow_ir_predecessors_of(jumps, count, node_count),
              .result = stow_ir_allocate(node_count, sizeof *f.result)};
  int32_t **tables[] = {&f.order,          &f.idom,      &f.number, &f.nodes, &f.parent,
                        &f.semi,           &f.dominator, &f.above,  &f.least, &f.bucket,
                        &f.next_in_bucket, &f.stack,     &f.next};
  const size_t table_count = sizeof tables / sizeof *tables;
  for (size_t t = 0; t < table_count; ++t)
    *tables[t] = ints(node_count);
  if (node_count > 0) {
    search_depth_first(&f, node_count);
    find_dominators(&f);
    number_tree(&f);
  }
  stow_index_free(&f.successors);
  stow_index_free(&f.predecessors);
  for (size_t t = 0; t < table_count; ++t)
    free(*tables[t]);
  return f.result;
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

int32_t *stow_ir_sets_of(size_t node_count) {
  int32_t *leaders = ints(node_count);
  for (size_t n = 0; n < node_count; ++n)
    leaders[n] = (int32_t)n;
  return leaders;
}

int32_t stow_ir_leader(int32_t *leaders, int32_t node) {
  while (leaders[node] != node)
    node = leaders[node] = leaders[leaders[node]];
  return node;
}

// The smaller one leads, so that leaders do not depend on the order of joins.
void stow_ir_unite(int32_t *leaders, int32_t a, int32_t b) {
  a = stow_ir_leader(leaders, a);
  b = stow_ir_leader(leaders, b);
  leaders[a < b ? b : a] = a < b ? a : b;
}
