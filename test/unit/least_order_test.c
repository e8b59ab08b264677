//===- least_order_test.c - orders of nodes, against all of them --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "stowage/order.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

enum { NODES = 1200, BUFFERS = 2 * NODES, USERS = 16 * NODES, EDGES = 32 * NODES };

typedef struct graph {
  stow_order_problem problem;
  uint64_t inside[NODES];
  stow_order_edge edges[EDGES];
  stow_order_buffer buffers[BUFFERS];
  size_t users[USERS], user_count;
  test_random random;
} graph;

static graph *new_graph(uint64_t seed, size_t nodes) {
  graph *g = calloc(1, sizeof *g);
  g->random.state = seed;
  g->problem = (stow_order_problem){
      .node_count = nodes, .inside = g->inside, .edges = g->edges, .buffers = g->buffers};
  return g;
}

static void add_edge(graph *g, size_t before, size_t after) {
  g->edges[g->problem.edge_count++] = (stow_order_edge){before, after};
}

static stow_order_buffer *add_buffer(graph *g, uint64_t bytes) {
  stow_order_buffer *buffer = &g->buffers[g->problem.buffer_count++];
  *buffer = (stow_order_buffer){.bytes = bytes, .users = g->users + g->user_count};
  return buffer;
}

// Of the newest buffer; ascending.
static void add_user(graph *g, size_t node) {
  g->users[g->user_count++] = node;
  ++g->buffers[g->problem.buffer_count - 1].user_count;
}

// Any buffers, any edges.
static graph *random_graph(uint64_t seed, size_t most) {
  graph *g = new_graph(seed, 1);
  g->problem.node_count = 1 + random_below(&g->random, most);
  const size_t n = g->problem.node_count;
  const uint64_t density = 1 + random_below(&g->random, 6),
                 sizes = 1 + random_below(&g->random, 12);
  for (size_t i = 0; i < n; ++i) {
    g->inside[i] = random_below(&g->random, 8) == 0 ? random_below(&g->random, sizes) : 0;
    for (size_t k = 0; k < i; ++k)
      if (random_below(&g->random, 8) < density / 2 && random_below(&g->random, 2) == 0)
        add_edge(g, k, i);
  }
  for (size_t b = 1 + random_below(&g->random, 2 * n); b > 0; --b) {
    stow_order_buffer *buffer = add_buffer(g, random_below(&g->random, sizes + 1));
    buffer->from_start = random_below(&g->random, 6) == 0;
    buffer->to_end = random_below(&g->random, 6) == 0;
    for (size_t i = 0; i < n; ++i)
      if (random_below(&g->random, n) < 2)
        add_user(g, i);
    if (buffer->user_count == 0)
      add_user(g, random_below(&g->random, n));
  }
  return g;
}

// Each node makes a tensor of some earlier ones.
static graph *random_network(uint64_t seed, size_t n, size_t reach) {
  graph *g = new_graph(seed, n);
  bool (*reads)[NODES] = calloc(n, sizeof *reads);
  for (size_t i = 1; i < n; ++i) {
    const size_t low = i > reach ? i - reach : 0;
    for (size_t k = 1 + random_below(&g->random, 3); k > 0; --k)
      reads[low + random_below(&g->random, i - low)][i] = true;
  }
  for (size_t i = 0; i < n; ++i) {
    add_buffer(g, 1 + random_below(&g->random, 64))->to_end = i + 1 == n;
    add_user(g, i);
    for (size_t k = i + 1; k < n; ++k)
      if (reads[i][k]) {
        add_edge(g, i, k);
        add_user(g, k);
      }
  }
  free(reads);
  return g;
}

//===----------------------------------------------------------------------===//
// Series and parallel
//===----------------------------------------------------------------------===//

// A graph between `from` and the node that it returns; nodes are numbered as they are made.
static size_t grow(graph *g, size_t from, size_t nodes) {
  while (nodes > 0) {
    size_t tails[6], count = 2 + random_below(&g->random, 4);
    const size_t share = nodes < 4 || random_below(&g->random, 2) == 0
                             ? 0
                             : random_below(&g->random, nodes - 1) / count;
    count = share == 0 ? 0 : count;
    for (size_t i = 0; i < count; ++i)
      tails[i] = grow(g, from, share);
    const size_t join = g->problem.node_count++;
    for (size_t i = 0; i < count; ++i)
      add_edge(g, tails[i], join);
    if (count == 0)
      add_edge(g, from, join);
    from = join;
    nodes -= 1 + count * share;
  }
  return from;
}

// Series and parallel. A tensor for each edge, or, shared, one for all edges from a node.
static graph *series_parallel(uint64_t seed, size_t nodes, bool shared) {
  graph *g = new_graph(seed, 1);
  grow(g, 0, nodes - 1);
  for (size_t i = 0; i < g->problem.node_count; ++i) {
    if (shared) {
      add_buffer(g, 1 + random_below(&g->random, 64));
      add_user(g, i);
    }
    for (size_t e = 0; e < g->problem.edge_count; ++e) {
      if (g->edges[e].before != i)
        continue;
      if (!shared) {
        add_buffer(g, 1 + random_below(&g->random, 64));
        add_user(g, i);
      }
      add_user(g, g->edges[e].after);
    }
  }
  return g;
}

//===----------------------------------------------------------------------===//
// All orders
//===----------------------------------------------------------------------===//

typedef struct every {
  const stow_order_problem *problem;
  size_t nodes[16], count;
  uint64_t done, least;
} every;

// The bytes alive while `node` runs after the set of those that are done, from the definition.
static uint64_t level_of(const every *e, size_t node) {
  uint64_t level = e->problem->inside[node];
  for (size_t b = 0; b < e->problem->buffer_count; ++b) {
    const stow_order_buffer *buffer = &e->problem->buffers[b];
    bool begun = buffer->from_start, left = buffer->to_end;
    for (size_t i = 0; i < buffer->user_count; ++i) {
      begun |= buffer->users[i] == node || (e->done >> buffer->users[i] & 1);
      left |= buffer->users[i] == node || !(e->done >> buffer->users[i] & 1);
    }
    level += begun && left ? buffer->bytes : 0;
  }
  return level;
}

static bool may_run(const every *e, size_t node) {
  for (size_t i = 0; i < e->problem->edge_count; ++i)
    if (e->problem->edges[i].after == node && !(e->done >> e->problem->edges[i].before & 1))
      return false;
  return !(e->done >> node & 1);
}

static void try_all(every *e, uint64_t peak) {
  if (peak >= e->least)
    return;
  if (e->count == e->problem->node_count) {
    e->least = peak;
    return;
  }
  for (size_t node = 0; node < e->problem->node_count; ++node) {
    if (!may_run(e, node))
      continue;
    const uint64_t level = level_of(e, node);
    e->nodes[e->count++] = node;
    e->done |= UINT64_C(1) << node;
    try_all(e, level > peak ? level : peak);
    --e->count;
    e->done &= ~(UINT64_C(1) << node);
  }
}

static uint64_t least_peak(const stow_order_problem *problem) {
  every e = {.problem = problem, .least = UINT64_MAX};
  try_all(&e, 0);
  return e.least;
}

// The same for more nodes, where few sets of them can be what is done.
static uint64_t least_peak_by_sets(const stow_order_problem *problem) {
  const size_t n = problem->node_count;
  uint64_t *least = malloc(sizeof *least << n);
  for (uint64_t done = 0; done < UINT64_C(1) << n; ++done)
    least[done] = done == 0 ? 0 : UINT64_MAX;
  for (every e = {.problem = problem}; e.done < UINT64_C(1) << n; ++e.done)
    for (size_t node = 0; node < n && least[e.done] != UINT64_MAX; ++node) {
      if (!may_run(&e, node))
        continue;
      const uint64_t level = level_of(&e, node), next = e.done | UINT64_C(1) << node;
      const uint64_t peak = level > least[e.done] ? level : least[e.done];
      least[next] = peak < least[next] ? peak : least[next];
    }
  const uint64_t peak = least[(UINT64_C(1) << n) - 1];
  free(least);
  return peak;
}

static bool holds(const graph *g, const stow_order *order) {
  return CHECK(order->bound <= order->peak) && CHECK(order->peak <= order->given) &&
         CHECK(order->peak <= order->post_order) &&
         CHECK_EQ(stow_order_verify(&g->problem, order->nodes, order->peak), STOW_ORDER_HOLDS);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

static void check_exact(graph *g, uint64_t (*least)(const stow_order_problem *problem)) {
  stow_order order;
  if (CHECK(stow_order_find(&g->problem, NULL, &order)) && holds(g, &order)) {
    CHECK_EQ(order.peak, least(&g->problem));
    CHECK_EQ(order.bound, order.peak);
  }
  stow_order_free(&order);
  free(g);
}

static void least_of_all_orders(void) {
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    check_exact(random_graph(seed, 9), least_peak);
    check_exact(random_network(seed, 1 + seed % 9, 1 + seed % 5), least_peak);
    check_exact(series_parallel(seed, 2 + seed % 8, seed % 2), least_peak);
  }
}

// Modules in modules, with buffers that live on, and nodes that need bytes of their own.
static void least_of_all_sets(void) {
  for (uint64_t seed = 0; seed < 2000; seed += soak_step(4) * TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    graph *g = series_parallel(seed, 10 + seed % 7, true);
    for (size_t i = 0; i < g->problem.node_count; ++i)
      g->inside[i] = random_below(&g->random, 4) == 0 ? random_below(&g->random, 60) : 0;
    for (size_t b = 0; b < g->problem.buffer_count; ++b) {
      g->buffers[b].from_start = random_below(&g->random, 14) == 0;
      g->buffers[b].to_end = random_below(&g->random, 10) == 0;
    }
    check_exact(g, least_peak_by_sets);
  }
}

// Whether no order can be better, by the bound.
static bool is_proven(graph *g) {
  stow_order order;
  bool is = false;
  if (CHECK(stow_order_find(&g->problem, NULL, &order)) && holds(g, &order))
    is = order.bound == order.peak;
  stow_order_free(&order);
  free(g);
  return is;
}

static void networks_of_sixty(void) {
  size_t proven = 0, count = 0;
  for (uint64_t seed = 0; seed < 200; seed += soak_step(8) * TEST_STEP, ++count)
    proven += is_proven(random_network(seed, 60, 4 + seed % 57));
  CHECK(10 * proven >= 9 * count);
}

static void series_and_parallel(void) {
  for (uint64_t seed = 0; seed < 100; seed += soak_step(4) * TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    CHECK(is_proven(series_parallel(seed, 20 + seed * 5, false)));
  }
}

// Where branches read one tensor, too.
static void series_and_parallel_shared(void) {
  size_t proven = 0, count = 0;
  for (uint64_t seed = 0; seed < 100; seed += soak_step(4) * TEST_STEP, ++count)
    proven += is_proven(series_parallel(seed, 20 + seed * 2, true));
  CHECK(20 * proven >= 19 * count);
}

// A verdict for each kind of fault.
static void faults_are_found(void) {
  graph *g = random_network(7, 20, 5);
  stow_order order;
  CHECK(stow_order_find(&g->problem, NULL, &order));
  CHECK_EQ(stow_order_verify(&g->problem, order.nodes, order.peak - 1), STOW_ORDER_OTHER_PEAK);
  CHECK_EQ(stow_order_verify(&g->problem, order.nodes, order.peak + 1), STOW_ORDER_OTHER_PEAK);
  const size_t first = order.nodes[0], last = order.nodes[19];
  order.nodes[0] = last;
  CHECK_EQ(stow_order_verify(&g->problem, order.nodes, order.peak), STOW_ORDER_NO_PERMUTATION);
  order.nodes[0] = 20;
  CHECK_EQ(stow_order_verify(&g->problem, order.nodes, order.peak), STOW_ORDER_NO_PERMUTATION);
  order.nodes[0] = last;
  order.nodes[19] = first;
  CHECK_EQ(stow_order_verify(&g->problem, order.nodes, order.peak), STOW_ORDER_BROKEN_EDGE);
  stow_order_free(&order);
  free(g);
}

// With little effort the order is a heuristic's: never worse than the given one, and no claim.
static void little_effort(void) {
  const stow_order_options little = {.max_effort = 100};
  for (uint64_t seed = 0; seed < 40; seed += TEST_STEP) {
    graph *g = random_network(seed, 200, 30);
    stow_order order;
    if (CHECK(stow_order_find(&g->problem, &little, &order)))
      holds(g, &order);
    stow_order_free(&order);
    free(g);
  }
}

// Nothing to order, and nothing to keep.
static void empty(void) {
  const stow_order_problem none = {0};
  stow_order order;
  CHECK(stow_order_find(&none, NULL, &order));
  CHECK_EQ(order.peak, 0);
  CHECK_EQ(order.bound, 0);
  stow_order_free(&order);
}

TEST_MAIN(TEST(least_of_all_orders), TEST(least_of_all_sets), TEST(networks_of_sixty),
          TEST(series_and_parallel), TEST(series_and_parallel_shared), TEST(faults_are_found),
          TEST(little_effort), TEST(empty))
