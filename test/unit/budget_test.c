//===- budget_test.c - choices under a capacity, against all of them ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/walk.h"
#include "check.h"
#include "schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 400, MEMORIES = 400, ACCESSES = 8 * NODES };

typedef struct graph {
  stow_budget_problem problem;
  stow_budget_node nodes[NODES];
  stow_budget_memory memories[MEMORIES];
  stow_budget_access accesses[ACCESSES];
  size_t access_count;
  test_random random;
} graph;

static graph *new_graph(uint64_t seed) {
  graph *g = calloc(1, sizeof *g);
  g->random.state = seed;
  g->problem = (stow_budget_problem){.nodes = g->nodes, .memories = g->memories};
  return g;
}

static size_t add_memory(graph *g, uint64_t bytes) {
  g->memories[g->problem.memory_count] =
      (stow_budget_memory){.bytes = bytes, .renewable = true, .spill = 2 * bytes};
  return g->problem.memory_count++;
}

static stow_budget_node *add_node(graph *g, uint64_t cost) {
  stow_budget_node *node = &g->nodes[g->problem.node_count++];
  *node = (stow_budget_node){
      .cost = cost, .repeatable = true, .accesses = g->accesses + g->access_count};
  return node;
}

// Of the newest node, which does not have it yet.
static void add_access(graph *g, size_t memory, bool writes) {
  g->accesses[g->access_count++] = (stow_budget_access){.memory = memory, .writes = writes};
  ++g->nodes[g->problem.node_count - 1].access_count;
}

static bool accesses(const stow_budget_node *node, size_t memory) {
  for (size_t a = 0; a < node->access_count; ++a)
    if (node->accesses[a].memory == memory)
      return true;
  return false;
}

static uint64_t placed_of(const graph *g, size_t memory) {
  uint64_t cost = 0;
  for (size_t a = 0; a < g->access_count; ++a)
    cost += g->accesses[a].memory == memory ? g->accesses[a].placed : 0;
  return cost;
}

// Each node writes a memory of its own, or one that is there already, and reads some others.
static graph *random_graph(uint64_t seed, size_t most, bool spills, bool places) {
  graph *g = new_graph(seed);
  const size_t n = 2 + random_below(&g->random, most - 1);
  for (size_t i = 0; i < n; ++i) {
    const bool again =
        g->problem.memory_count > 0 && random_below(&g->random, seed % 3 ? 5 : 2) == 0;
    const size_t target = again ? random_below(&g->random, g->problem.memory_count)
                                : add_memory(g, 1 + random_below(&g->random, 4));
    g->memories[target].spillable = spills && random_below(&g->random, 4) > 0;
    stow_budget_node *node = add_node(g, 1 + random_below(&g->random, 9));
    node->repeatable = random_below(&g->random, 8) > 0;
    if (!node->repeatable)
      node->inside = random_below(&g->random, 2);
    add_access(g, target, true);
    g->accesses[g->access_count - 1].overwrites = random_below(&g->random, 3) == 0;
    for (size_t m = 0; m < g->problem.memory_count; ++m)
      if (!accesses(node, m) && random_below(&g->random, 3) == 0)
        add_access(g, m, false);
  }
  for (size_t a = 0; places && a < g->access_count; ++a)
    g->accesses[a].placed = random_below(&g->random, 6);
  for (size_t m = 0; m < g->problem.memory_count; ++m) {
    g->memories[m].placeable = places && random_below(&g->random, 4) > 0;
    g->memories[m].saved = seed % 5 ? 0 : random_below(&g->random, placed_of(g, m) + 1);
  }
  for (size_t m = 0; m < g->problem.memory_count; ++m)
    if (random_below(&g->random, 8) == 0) {
      g->memories[m].renewable = false;
      g->memories[m].to_end = random_below(&g->random, 2);
    }
  return g;
}

//===----------------------------------------------------------------------===//
// All choices
//===----------------------------------------------------------------------===//

static void try_all(stow_budget_walk *w, size_t cell, uint64_t capacity, uint64_t *best) {
  const size_t row = w->problem->node_count + 1;
  if (cell == stow_budget_cells(w)) {
    stow_budget_take(w);
    if (w->peak <= capacity && w->cost < *best)
      *best = w->cost;
    return;
  }
  for (uint8_t c = STOW_BUDGET_STAYS; c < STOW_BUDGET_CHOICES; ++c)
    if (stow_budget_allows(w, cell / row, cell % row, c)) {
      w->choices[cell] = c;
      try_all(w, cell + 1, capacity, best);
    }
  w->choices[cell] = STOW_BUDGET_STAYS;
}

static double ways_of(const stow_budget_walk *w) {
  double ways = 1;
  for (size_t m = 0; m < w->problem->memory_count; ++m)
    for (size_t n = 0; n <= w->problem->node_count; ++n)
      ways *= 1 + stow_budget_allows(w, m, n, STOW_BUDGET_COMPUTED) +
              stow_budget_allows(w, m, n, STOW_BUDGET_SPILLED) +
              stow_budget_allows(w, m, n, STOW_BUDGET_PLACED);
  return ways;
}

static stow_budget_plan find(const graph *g, uint64_t capacity, uint64_t effort) {
  stow_budget_plan plan;
  const stow_budget_options options = {capacity, effort};
  CHECK(stow_budget_find(&g->problem, &options, &plan));
  if (plan.outcome == STOW_BUDGET_FITS) {
    CHECK(plan.peak <= capacity);
    CHECK(plan.bound <= plan.cost);
    CHECK_EQ(stow_budget_verify(&g->problem, plan.steps, plan.step_count, plan.peak, plan.cost),
             STOW_BUDGET_HOLDS);
  }
  return plan;
}

// Every capacity from what some node needs to what the given order needs.
static size_t compare(const graph *g) {
  size_t compared = 0;
  stow_budget_walk w;
  CHECK(stow_budget_walk_begin(&g->problem, &w));
  CHECK(stow_budget_take(&w));
  const uint64_t given = w.peak;
  for (uint64_t capacity = given; capacity > 0 && ways_of(&w) < 3000; --capacity) {
    uint64_t best = UINT64_MAX;
    try_all(&w, 0, capacity, &best);
    stow_budget_plan plan = find(g, capacity, 0);
    CHECK_EQ(plan.given, given);
    CHECK_EQ(plan.outcome, best < UINT64_MAX ? STOW_BUDGET_FITS : STOW_BUDGET_CANNOT);
    if (best < UINT64_MAX) {
      CHECK_EQ(plan.cost, best);
      CHECK_EQ(plan.bound, best);
      compared += best > 0;
    }
    const bool fits = plan.outcome == STOW_BUDGET_FITS;
    stow_budget_plan_free(&plan);
    if (!fits)
      break;
  }
  stow_budget_walk_free(&w);
  return compared;
}

static void is_the_cheapest_of_all_choices(void) {
  size_t compared = 0;
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    graph *g = random_graph(seed, 6, seed % 2, seed / 2 % 2);
    compared += compare(g);
    free(g);
  }
  test_note(NULL);
  CHECK(compared > 500 / TEST_STEP); // the programs do need choices
}

//===----------------------------------------------------------------------===//
// All schedules
//===----------------------------------------------------------------------===//

// A buffer that is overwritten is two memories.
static void overwrite_first_only(graph *g) {
  bool seen[MEMORIES] = {false};
  for (size_t a = 0; a < g->access_count; ++a) {
    stow_budget_access *access = &g->accesses[a];
    access->overwrites &= !seen[access->memory];
    seen[access->memory] = true;
  }
}

typedef struct tally {
  size_t graphs, compared, cheaper, only; // plans; schedules that cost less, or alone fit
} tally;

// Whether a plan fits.
static bool compare_schedules(const graph *g, uint64_t capacity, tally *t) {
  stow_budget_plan plan = find(g, capacity, 0);
  const bool fits = plan.outcome == STOW_BUDGET_FITS;
  const uint64_t most = fits ? plan.cost : 1000,
                 best = cheapest_schedule(&g->problem, capacity, most);
  CHECK(best != SCHEDULES_TOO_MANY);
  CHECK(!fits || best <= plan.cost);
  ++t->compared;
  t->cheaper += fits && best < plan.cost;
  t->only += !fits && best < UINT64_MAX;
  stow_budget_plan_free(&plan);
  return fits;
}

// Two graphs in 1,000 have schedules that are no choices: a memory comes anew early, as what its
// nodes read is there.
static void few_schedules_are_cheaper(void) {
  tally t = {0};
  for (uint64_t seed = 100000; seed < 105000; seed += soak_step(25), ++t.graphs) {
    test_note("seed %" PRIu64, seed);
    graph *g = random_graph(seed, 6, seed % 2, seed / 2 % 2);
    overwrite_first_only(g);
    stow_budget_plan whole = find(g, UINT64_MAX / 4, 0);
    for (uint64_t capacity = whole.given; capacity-- > 0;)
      if (!compare_schedules(g, capacity, &t))
        break;
    stow_budget_plan_free(&whole);
    free(g);
  }
  test_note(NULL);
  printf("     %zu graphs, %zu capacities: %zu schedules are cheaper, %zu alone fit\n", t.graphs,
         t.compared, t.cheaper, t.only);
  CHECK((t.cheaper + t.only) * 100 <= t.graphs);
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

// a is read at once and at the end; in between two nodes need more.
static graph *valley(bool spills) {
  graph *g = new_graph(1);
  const size_t a = add_memory(g, 4), b = add_memory(g, 4), c = add_memory(g, 4),
               d = add_memory(g, 4);
  g->memories[a].spillable = spills;
  add_node(g, 10);
  add_access(g, a, true);
  add_node(g, 1);
  add_access(g, a, false);
  add_access(g, b, true);
  add_node(g, 1);
  add_access(g, b, false);
  add_access(g, c, true);
  add_node(g, 1);
  add_access(g, c, false);
  add_access(g, a, false);
  add_access(g, d, true);
  g->memories[d].to_end = true;
  g->memories[d].renewable = false;
  return g;
}

static void computes_again_what_waits(void) {
  graph *g = valley(false);
  g->nodes[2].inside = 4;
  g->nodes[2].repeatable = false;
  stow_budget_plan plan = find(g, 12, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_FITS);
  CHECK_EQ(plan.given, 16);
  CHECK_EQ(plan.peak, 12);
  CHECK_EQ(plan.cost, 10);
  CHECK_EQ(plan.step_count, 6);
  CHECK_EQ(plan.steps[3].action, STOW_BUDGET_FRESH);
  CHECK_EQ(plan.steps[4].action, STOW_BUDGET_AGAIN);
  stow_budget_plan_free(&plan);
  plan = find(g, 11, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_CANNOT);
  CHECK_EQ(plan.least, 12);
  stow_budget_plan_free(&plan);
  free(g);
}

static void spills_where_that_is_cheaper(void) {
  graph *g = valley(true);
  g->nodes[2].inside = 4;
  g->nodes[2].repeatable = false;
  g->memories[0].spill = 4;
  stow_budget_plan plan = find(g, 12, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_FITS);
  CHECK_EQ(plan.cost, 8);
  CHECK_EQ(plan.steps[2].action, STOW_BUDGET_STORE);
  stow_budget_plan_free(&plan);
  free(g);
}

// The one that is touched least for its bytes goes.
static void places_what_is_touched_least(void) {
  graph *g = valley(false);
  for (size_t m = 0; m < 4; ++m) {
    g->memories[m].renewable = false;
    g->memories[m].placeable = true;
  }
  for (size_t a = 0; a < g->access_count; ++a)
    g->accesses[a].placed = g->accesses[a].memory == 2 ? 3 : 5;
  stow_budget_plan plan = find(g, 8, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_FITS);
  CHECK_EQ(plan.given, 12);
  CHECK_EQ(plan.cost, 6);
  CHECK_EQ(plan.bound, 6);
  CHECK_EQ(plan.step_count, 5);
  CHECK_EQ(plan.steps[0].action, STOW_BUDGET_PLACE);
  CHECK_EQ(plan.steps[0].memory, 2);
  stow_budget_step late[5] = {plan.steps[1], plan.steps[0], plan.steps[2], plan.steps[3],
                              plan.steps[4]};
  CHECK_EQ(stow_budget_verify(&g->problem, late, 5, 8, 6), STOW_BUDGET_FORBIDDEN);
  g->memories[2].placeable = false;
  CHECK_EQ(stow_budget_verify(&g->problem, plan.steps, 5, 8, 6), STOW_BUDGET_FORBIDDEN);
  stow_budget_plan_free(&plan);
  plan = find(g, 4, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_FITS);
  CHECK_EQ(plan.least, 4);
  stow_budget_plan_free(&plan);
  free(g);
}

// What a node read has changed when it would run again.
static void leaves_what_would_find_another_value(void) {
  graph *g = new_graph(1);
  const size_t in = add_memory(g, 0), a = add_memory(g, 4), b = add_memory(g, 8);
  g->memories[in].from_start = true;
  g->memories[in].renewable = false;
  add_node(g, 1);
  add_access(g, in, false);
  add_access(g, a, true);
  add_node(g, 1);
  add_access(g, in, true);
  add_node(g, 1);
  add_access(g, b, true);
  add_node(g, 1)->repeatable = false; // it writes nothing
  add_access(g, a, false);
  stow_budget_plan plan = find(g, 8, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_CANNOT);
  stow_budget_plan_free(&plan);
  g->accesses[2].writes = g->nodes[1].repeatable = false;
  plan = find(g, 8, 0);
  CHECK_EQ(plan.outcome, STOW_BUDGET_FITS);
  CHECK_EQ(plan.cost, 1);
  stow_budget_plan_free(&plan);
  free(g);
}

// The checker finds what is wrong.
static void wrong_plans_are_found(void) {
  graph *g = valley(true);
  const stow_budget_step none[] = {{.node = 0}, {.node = 1}, {.node = 2}, {.node = 3}};
  const stow_budget_problem *p = &g->problem;
  CHECK_EQ(stow_budget_verify(p, none, 4, 12, 0), STOW_BUDGET_HOLDS);
  CHECK_EQ(stow_budget_verify(p, none, 4, 11, 0), STOW_BUDGET_OTHER_PEAK);
  CHECK_EQ(stow_budget_verify(p, none, 4, 12, 1), STOW_BUDGET_OTHER_COST);
  CHECK_EQ(stow_budget_verify(p, none, 3, 12, 0), STOW_BUDGET_OTHER_NODES);
  const stow_budget_step empty[] = {
      {.node = 0}, {.node = 1}, {.node = 2}, {STOW_BUDGET_FRESH, 0, 0}, {.node = 3}};
  CHECK_EQ(stow_budget_verify(p, empty, 5, 12, 0), STOW_BUDGET_OTHER_VALUE);
  const stow_budget_step stale[] = {
      {.node = 0}, {.node = 1}, {.node = 2}, {STOW_BUDGET_FRESH, 0, 0}, {STOW_BUDGET_LOAD, 0, 0},
      {.node = 3}};
  CHECK_EQ(stow_budget_verify(p, stale, 6, 12, 8), STOW_BUDGET_OTHER_VALUE);
  const stow_budget_step kept[] = {
      {.node = 0}, {.node = 1}, {.node = 2}, {STOW_BUDGET_FRESH, 0, 3}, {.node = 3}};
  CHECK_EQ(stow_budget_verify(p, kept, 5, 12, 0), STOW_BUDGET_FORBIDDEN);
  free(g);
}

// A network forward and backward: each step back reads what its step forward made.
static graph *training(size_t depth, uint64_t seed) {
  graph *g = new_graph(seed);
  size_t made[NODES], last = add_memory(g, 8);
  for (size_t i = 0; i < depth; ++i) {
    made[i] = last;
    add_node(g, 8 + random_below(&g->random, 8));
    add_access(g, last, i == 0);
    if (i > 0) {
      last = add_memory(g, 4 + random_below(&g->random, 8));
      g->accesses[g->access_count - 1] = (stow_budget_access){.memory = made[i]};
      add_access(g, last, true);
    }
  }
  size_t back = add_memory(g, 8);
  add_node(g, 10);
  add_access(g, last, false);
  add_access(g, back, true);
  for (size_t i = depth; i-- > 0;) {
    const size_t next = add_memory(g, 8);
    add_node(g, 10);
    add_access(g, made[i], false);
    add_access(g, back, false);
    add_access(g, next, true);
    back = next;
  }
  return g;
}

static void long_networks_fit_into_half(void) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    test_note("seed %" PRIu64, seed);
    graph *g = training(100, seed);
    stow_budget_plan whole = find(g, UINT64_MAX / 4, 0);
    stow_budget_plan half = find(g, whole.given / 2, 20000000);
    CHECK_EQ(whole.cost, 0);
    CHECK_EQ(half.outcome, STOW_BUDGET_FITS);
    stow_budget_plan_free(&whole);
    stow_budget_plan_free(&half);
    free(g);
  }
  test_note(NULL);
}

// Layers of about the root of `count` nodes; each reads some of the layer before, and now and then
// one from further away.
static graph *layered(size_t count, uint64_t seed) {
  graph *g = new_graph(seed);
  const size_t width = 20;
  size_t begin = 0, end = 0;
  while (g->problem.node_count < count) {
    const size_t first = g->problem.node_count, size = 1 + random_below(&g->random, 2 * width - 1);
    for (size_t i = 0; i < size && g->problem.node_count < count; ++i) {
      const size_t own = add_memory(g, 1 + random_below(&g->random, 100));
      stow_budget_node *node = add_node(g, 1 + random_below(&g->random, 100));
      add_access(g, own, true);
      for (size_t r = random_below(&g->random, 6); r > 0 && end > begin; --r) {
        const size_t read = random_below(&g->random, 8)
                                ? begin + random_below(&g->random, end - begin)
                                : random_below(&g->random, end);
        if (!accesses(node, read))
          add_access(g, read, false);
      }
    }
    begin = first;
    end = g->problem.node_count;
  }
  return g;
}

// Some choices gain only with those that they need.
static void wide_graphs_fit_into_less(void) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    test_note("seed %" PRIu64, seed);
    graph *g = layered(NODES, seed);
    stow_budget_plan whole = find(g, UINT64_MAX / 4, 0);
    stow_budget_plan less = find(g, whole.given / 100 * 60, 20000000);
    CHECK_EQ(less.outcome, STOW_BUDGET_FITS);
    stow_budget_plan_free(&whole);
    stow_budget_plan_free(&less);
    free(g);
  }
  test_note(NULL);
}

TEST_MAIN(TEST(is_the_cheapest_of_all_choices), TEST(few_schedules_are_cheaper),
          TEST(computes_again_what_waits), TEST(spills_where_that_is_cheaper),
          TEST(places_what_is_touched_least), TEST(leaves_what_would_find_another_value),
          TEST(wrong_plans_are_found), TEST(long_networks_fit_into_half),
          TEST(wide_graphs_fit_into_less))
