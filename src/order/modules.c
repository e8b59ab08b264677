//===- modules.c - parts of a graph that have one best order --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *module* is a set of nodes between a node s and a node t: whatever comes after s comes before
// t, is t or comes after it, and nothing outside is before or after some of them only. Buffers that
// the nodes share with others are alive before all of them, or after.
//
// The bytes alive between two nodes are a cut of the graph whose edges are buffers, so they are
// submodular: level(A with B) + level(A and B) <= level(A) + level(B) for sets A and B of nodes
// that are done. Let p be the least peak with which some state is at most as high as the start, and
// I the lowest state that can be reached with p. Then some best order goes to I first. Proof: let P
// be the states of any order. No state between the start and I is lower than I, as that one could
// be reached with p, too. So level(I and P) >= level(I), and the states (I with P) are at most as
// high as P. The same holds from the end. What remains between are hills: all their states are
// higher than both ends, and their nodes run one right after the other.
//
// So a module has an order that some best order of all nodes keeps, whatever runs beside it:
// its nodes become a chain. Inner modules come first: in a graph of series and parallel parts,
// what is searched then is as many chains as a part has branches. For tensors of one reader, in
// trees and series-parallel graphs, this is known: Liu 1987, Kayaaslan et al. 2018 (see
// stowage/order.h).
//
//===----------------------------------------------------------------------===//

#include "order/limits.h"
#include "order/units.h"

#include <stdlib.h>
#include <string.h>

typedef struct module {
  size_t end; // t
  size_t begin, size;
} module;

typedef struct chainer {
  const stow_order_graph *graph;
  const stow_order_relations *relations;
  uint64_t *effort;
  uint64_t *inside; // a set of nodes: those of the module
  size_t *order;    // of all nodes; keeps the chains
  size_t *next;     // per node: the one behind it in its chain, or SIZE_MAX
  size_t *split;    // room for an order
  size_t *checked;  // per buffer: the module that it was looked at for last, by its begin + 1
  size_t chained;   // modules
} chainer;

static const uint64_t *before(const chainer *c, size_t node) {
  return c->relations->before + node * c->relations->words;
}

static const uint64_t *after(const chainer *c, size_t node) {
  return c->relations->after + node * c->relations->words;
}

//===----------------------------------------------------------------------===//
// Which sets of nodes are modules
//===----------------------------------------------------------------------===//

// Whether all of `set` is in a, in b, or `node`.
static bool is_within(const uint64_t *set, const uint64_t *a, const uint64_t *b, size_t node,
                      size_t words) {
  for (size_t w = 0; w < words; ++w) {
    const uint64_t one = node / 64 == w ? UINT64_C(1) << node % 64 : 0;
    if (set[w] & ~(a[w] | b[w] | one))
      return false;
  }
  return true;
}

// The first node that all after `begin` are before or after; SIZE_MAX: none.
static size_t meeting_of(const chainer *c, size_t begin) {
  const size_t words = c->relations->words;
  for (size_t t = begin + 1; t < c->graph->count && *c->effort > words; ++t) {
    if (!stow_order_set_has(after(c, begin), t))
      continue;
    *c->effort -= words;
    if (is_within(after(c, begin), before(c, t), after(c, t), t, words))
      return t;
  }
  return SIZE_MAX;
}

static void set_inside(const chainer *c, const module *m) {
  for (size_t w = 0; w < c->relations->words; ++w)
    c->inside[w] = after(c, m->begin)[w] & before(c, m->end)[w];
}

// Whether the buffers of a node are used outside only by what is before or after all of the module.
// Each buffer is looked at once per module, as far as the effort goes.
static bool keeps_buffers(const chainer *c, const module *m, size_t node) {
  const stow_order_graph *g = c->graph;
  STOW_ORDER_EACH(number, g->touched, node) {
    const stow_order_buffer *buffer = &g->problem->buffers[number];
    if (c->checked[number] == m->begin + 1)
      continue;
    if (*c->effort < buffer->user_count)
      return false;
    *c->effort -= buffer->user_count;
    c->checked[number] = m->begin + 1;
    for (size_t k = 0; k < buffer->user_count; ++k) {
      const size_t user = buffer->users[k];
      if (user != m->begin && user != m->end && !stow_order_set_has(c->inside, user) &&
          !stow_order_set_has(before(c, m->begin), user) &&
          !stow_order_set_has(after(c, m->end), user))
        return false;
    }
  }
  return true;
}

static bool is_module(const chainer *c, module *m) {
  set_inside(c, m);
  m->size = 0;
  for (size_t v = m->begin + 1; v < m->end; ++v) {
    if (!stow_order_set_has(c->inside, v))
      continue;
    ++m->size;
    if (!is_within(before(c, v), before(c, m->begin), c->inside, m->begin, c->relations->words) ||
        !keeps_buffers(c, m, v))
      return false;
  }
  return m->size > 1 && m->size + 1 < c->graph->count;
}

static size_t list_modules(const chainer *c, module *modules) {
  size_t count = 0;
  const stow_order_rows *follow = &c->graph->after;
  for (size_t s = 0; s < c->graph->count; ++s) {
    if (follow->first[s + 1] < follow->first[s] + 2)
      continue;
    module m = {.begin = s, .end = meeting_of(c, s)};
    if (m.end != SIZE_MAX && is_module(c, &m))
      modules[count++] = m;
  }
  return count;
}

static int smaller_first(const void *left, const void *right) {
  const module *a = left, *b = right;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

//===----------------------------------------------------------------------===//
// The order of one
//===----------------------------------------------------------------------===//

// All nodes, those of the module together; gives the place of the first of these.
static size_t gather(const chainer *c, const module *m) {
  const size_t n = c->graph->count;
  size_t at = 0;
  for (size_t part = 0; part < 3; ++part)
    for (size_t i = 0; i < n; ++i) {
      const size_t node = c->order[i];
      const bool late = node == m->end || stow_order_set_has(after(c, m->end), node);
      const size_t its = stow_order_set_has(c->inside, node) ? 1 : late ? 2 : 0;
      if (its == part)
        c->split[at++] = node;
    }
  size_t first = 0;
  while (!stow_order_set_has(c->inside, c->split[first]))
    ++first;
  return first;
}

bool stow_order_add_chains(const size_t *nodes, size_t count, const size_t *next, size_t *places,
                           stow_order_memory *memory, stow_order_problem *problem) {
  stow_order_edge *edges = stow_order_take(memory, problem->edge_count + count, sizeof *edges);
  if (!edges)
    return false;
  memcpy(edges, problem->edges, problem->edge_count * sizeof *edges);
  problem->edges = edges;
  for (size_t i = 0; i < count; ++i)
    places[nodes[i]] = i;
  for (size_t i = 0; i < count; ++i)
    if (next[nodes[i]] != SIZE_MAX)
      edges[problem->edge_count++] = (stow_order_edge){i, places[next[nodes[i]]]};
  return true;
}

// What is left from place `settled` on, walked from the end.
static bool walk_back(const stow_order_problem *problem, size_t settled, stow_order_memory *memory,
                      uint64_t *effort, size_t *nodes, bool *out_found) {
  const size_t n = problem->node_count, count = n - settled;
  stow_order_graph graph;
  stow_order_problem rest;
  uint64_t base;
  size_t all, *walked = stow_order_take(memory, count, sizeof *walked),
              *kept = stow_order_take(memory, count, sizeof *kept);
  if (!walked || !kept || !stow_order_read(problem, memory, &graph) ||
      !stow_order_part_of(&graph, nodes, settled, n, memory, &rest, &base) ||
      !stow_order_reverse(&rest, memory) ||
      !stow_order_walk(&rest, effort, walked, &all, out_found))
    return false;
  memcpy(kept, nodes + settled, count * sizeof *kept);
  for (size_t i = 0; i < count && *out_found; ++i)
    nodes[settled + i] = kept[count - 1 - walked[count - 1 - i]];
  return true;
}

static bool walk_both(const stow_order_problem *problem, uint64_t *effort, size_t *nodes,
                      bool *out_found) {
  stow_order_memory memory = {NULL};
  size_t settled;
  bool ok = stow_order_walk(problem, effort, nodes, &settled, out_found);
  if (ok && *out_found && settled < problem->node_count)
    ok = walk_back(problem, settled, &memory, effort, nodes, out_found);
  stow_order_give_back(&memory);
  return ok;
}

// The nodes of the module take the places that they have in the order of all, as they are chained.
static void chain(chainer *c, const size_t *nodes, size_t count, const size_t *walked) {
  for (size_t i = 0; i < count; ++i)
    c->next[nodes[walked[i]]] = i + 1 < count ? nodes[walked[i + 1]] : SIZE_MAX;
  size_t at = 0;
  for (size_t i = 0; i < c->graph->count; ++i)
    if (stow_order_set_has(c->inside, c->order[i]))
      c->order[i] = nodes[walked[at++]];
  ++c->chained;
}

static bool chain_module(chainer *c, const module *m) {
  stow_order_memory memory = {NULL};
  stow_order_problem own;
  uint64_t base, share = *c->effort < STOW_ORDER_MOST_MODULE ? *c->effort : STOW_ORDER_MOST_MODULE;
  const uint64_t given = share;
  bool found = false;
  set_inside(c, m);
  const size_t first = gather(c, m);
  size_t *places = stow_order_take(&memory, c->graph->count, sizeof *places),
         *walked = stow_order_take(&memory, m->size, sizeof *walked);
  const bool ok =
      places && walked &&
      stow_order_part_of(c->graph, c->split, first, first + m->size, &memory, &own, &base) &&
      stow_order_add_chains(c->split + first, m->size, c->next, places, &memory, &own) &&
      walk_both(&own, &share, walked, &found);
  *c->effort -= given - share;
  if (ok && found)
    chain(c, c->split + first, m->size, walked);
  stow_order_give_back(&memory);
  return ok;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

bool stow_order_chain_modules(const stow_order_graph *graph, const stow_order_relations *relations,
                              stow_order_memory *memory, uint64_t *effort, size_t *out_order,
                              size_t *out_next, size_t *out_chained) {
  chainer c = {.graph = graph, .relations = relations, .effort = effort};
  c.order = out_order;
  c.next = out_next;
  *out_chained = 0;
  for (size_t i = 0; i < graph->count; ++i) {
    out_order[i] = i;
    out_next[i] = SIZE_MAX;
  }
  module *modules = stow_order_take(memory, graph->count, sizeof *modules);
  c.inside = stow_order_take(memory, relations->words, sizeof *c.inside);
  c.split = stow_order_take(memory, graph->count, sizeof *c.split);
  c.checked = stow_order_take(memory, graph->problem->buffer_count, sizeof *c.checked);
  if (!modules || !c.inside || !c.split || !c.checked)
    return false;
  const size_t count = list_modules(&c, modules);
  if (count > 1)
    qsort(modules, count, sizeof *modules, smaller_first);
  for (size_t i = 0; i < count && *effort > 0; ++i)
    if (!chain_module(&c, &modules[i]))
      return false;
  *out_chained = c.chained;
  return true;
}
