//===- digraph_test.c - dominators and walks, against their definitions ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "ir/digraph.h"

#include <stdlib.h>

enum { NODES = 9, JUMPS = 14 };

typedef struct graph {
  stow_jump jumps[JUMPS];
  size_t jump_count, node_count;
} graph;

static graph random_graph(uint64_t seed) {
  test_random random = {seed};
  graph g = {.node_count = 1 + (size_t)random_below(&random, NODES),
             .jump_count = (size_t)random_below(&random, JUMPS + 1)};
  for (size_t j = 0; j < g.jump_count; ++j)
    g.jumps[j] = (stow_jump){(int32_t)random_below(&random, g.node_count),
                             (int32_t)random_below(&random, g.node_count)};
  return g;
}

// What node 0 reaches without a step to `without`.
static void reach(const graph *g, int32_t without, bool *reached) {
  for (size_t n = 0; n < g->node_count; ++n)
    reached[n] = n == 0 && without != 0;
  for (size_t round = 0; round < g->node_count; ++round)
    for (size_t j = 0; j < g->jump_count; ++j)
      reached[g->jumps[j].to] |= reached[g->jumps[j].from] && g->jumps[j].to != without;
}

static void check_dominance(const graph *g) {
  stow_dominance *of = stow_ir_dominators_of(g->jumps, g->jump_count, g->node_count);
  bool reached[NODES], others[NODES];
  reach(g, -1, reached);
  for (size_t a = 0; a < g->node_count; ++a) {
    reach(g, (int32_t)a, others);
    for (size_t b = 0; b < g->node_count; ++b)
      if (reached[a] && reached[b])
        CHECK_EQ(of[a].enter <= of[b].enter && of[b].leave <= of[a].leave, !others[b]);
    if (a > 0 && reached[a])
      CHECK(of[of[a].immediate].leave - of[of[a].immediate].enter > of[a].leave - of[a].enter &&
            of[of[a].immediate].rpo < of[a].rpo);
  }
  free(of);
}

static void dominators(void) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const graph g = random_graph(seed);
    check_dominance(&g);
  }
}

static void check_walk(const graph *g, stow_walk *walk) {
  stow_index successors = stow_ir_successors_of(g->jumps, g->jump_count, g->node_count);
  bool reached[NODES];
  size_t reached_count = 0, visited = 0;
  reach(g, -1, reached);
  stow_walk_restart(walk);
  stow_walk_add(walk, 0);
  for (int32_t node; stow_walk_next(walk, &node); ++visited) {
    CHECK_EQ(node, walk->items[visited]);
    stow_walk_add_all(walk, &successors, node);
  }
  for (size_t n = 0; n < g->node_count; ++n) {
    CHECK_EQ(stow_walk_has(walk, (int32_t)n), reached[n]);
    reached_count += reached[n];
  }
  CHECK_EQ(visited, reached_count);
  stow_index_free(&successors);
}

// One after the other, as if each were the first.
static void walks(void) {
  stow_walk walk = stow_walk_create(NODES);
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const graph g = random_graph(seed);
    check_walk(&g, &walk);
  }
  stow_walk_free(&walk);
}

TEST_MAIN(TEST(dominators), TEST(walks))
