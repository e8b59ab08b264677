//===- anneal.c - cheaper choices, one at a time --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/anneal.h"
#include "budget/moves.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_LOOKED_AT = 24, // memories, for one that waits at a stage
  MOST_TOGETHER = 12,  // about as many choices are made at once
  PATIENCE = 40,       // moves in a row that fit, or do not, until the price of bytes changes
};

#define HEAT 1.0          // at first, per average price of a choice
#define MOST_PRICE 0x1p60 // of a byte: where nothing fits, the rest is lost beside it

typedef struct change {
  size_t memory, stage;
  uint8_t was;
} change;

typedef struct made {
  size_t cell;
  uint8_t choice;
} made;

typedef struct anneal {
  stow_budget_moves moves;
  uint64_t random;
  double price; // of a byte above the capacity
  double first; // that price at first
  double heat;  // about by how much moves may cost more now
  size_t *made; // cells of the choices that are made
  size_t made_count, made_room;
  change *changes; // of this move
  size_t change_count, change_room;
  made *best; // the cheapest that fit
  size_t best_count, best_room;
  uint64_t best_cost;
  size_t fits, fails; // moves in a row behind which all fits, or does not
  bool no_memory;
} anneal;

static uint64_t draw(anneal *a) {
  a->random = a->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return a->random >> 33;
}

static uint64_t below(anneal *a, uint64_t limit) { return draw(a) % limit; }

// About the logarithm of a random number from 0 to 1, negated.
static double threshold(anneal *a) {
  const uint64_t bits = draw(a) | UINT64_C(1) << 31;
  return ((double)__builtin_ctzll(bits) + (double)draw(a) / (double)(UINT64_C(1) << 31)) * 0.7;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static uint8_t *choice_at(anneal *a, size_t memory, size_t stage) {
  return &a->moves.walk.choices[stow_budget_cell(&a->moves.walk, memory, stage)];
}

static void set(anneal *a, size_t memory, size_t stage, uint8_t choice) {
  uint8_t *at = choice_at(a, memory, stage);
  const size_t cell = stow_budget_cell(&a->moves.walk, memory, stage);
  if (*at == STOW_BUDGET_STAYS && choice != STOW_BUDGET_STAYS) {
    if (!STOW_STREAM_ROOM(a->made, a->made_count, a->made_room)) {
      a->no_memory = true;
      return;
    }
    a->made[a->made_count++] = cell;
  } else if (*at != STOW_BUDGET_STAYS && choice == STOW_BUDGET_STAYS) {
    size_t i = 0;
    while (a->made[i] != cell)
      ++i;
    a->made[i] = a->made[--a->made_count];
  }
  *at = choice;
}

// As part of the move.
static void change_to(anneal *a, size_t memory, size_t stage, uint8_t choice) {
  const uint8_t was = *choice_at(a, memory, stage);
  if (!STOW_STREAM_ROOM(a->changes, a->change_count, a->change_room)) {
    a->no_memory = true;
    return;
  }
  a->changes[a->change_count++] = (change){memory, stage, was};
  set(a, memory, stage, choice);
}

static void remake(anneal *a, size_t stage) {
  a->no_memory |= !stow_budget_moves_remake(&a->moves, stage);
}

static bool touches(const stow_budget_moves *v, size_t memory, size_t stage) {
  const size_t at = stow_budget_visit_at(v, memory, stage);
  return at < v->visits[memory].count && v->visits[memory].items[at].stage == stage;
}

// Makes the stage anew, and takes back choices there that are of no use.
static void settle(anneal *a, size_t stage, size_t first_change) {
  remake(a, stage);
  for (size_t i = 0; i < a->moves.dropped_count && !a->no_memory; ++i)
    if (*choice_at(a, a->moves.dropped[i], stage) != STOW_BUDGET_STAYS)
      change_to(a, a->moves.dropped[i], stage, STOW_BUDGET_STAYS);
  for (size_t i = first_change; i < a->change_count && !a->no_memory; ++i) {
    const size_t memory = a->changes[i].memory;
    if (*choice_at(a, memory, stage) != STOW_BUDGET_STAYS && !touches(&a->moves, memory, stage))
      change_to(a, memory, stage, STOW_BUDGET_STAYS);
  }
}

static void take_back(anneal *a) {
  for (size_t i = a->change_count; i-- > 0;)
    set(a, a->changes[i].memory, a->changes[i].stage, a->changes[i].was);
  for (size_t i = 0; i < a->change_count && !a->no_memory; ++i)
    if (i == 0 || a->changes[i].stage != a->changes[i - 1].stage)
      remake(a, a->changes[i].stage);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static uint8_t some_choice(anneal *a, size_t memory, size_t stage) {
  const stow_budget_walk *w = &a->moves.walk;
  const bool computed = stow_budget_allows(w, memory, stage, STOW_BUDGET_COMPUTED),
             spilled = stow_budget_allows(w, memory, stage, STOW_BUDGET_SPILLED);
  ++a->moves.walk.effort;
  if (computed && spilled)
    return below(a, 2) ? STOW_BUDGET_COMPUTED : STOW_BUDGET_SPILLED;
  return computed ? STOW_BUDGET_COMPUTED : spilled ? STOW_BUDGET_SPILLED : STOW_BUDGET_STAYS;
}

static bool is_alive_across(const stow_budget_moves *v, size_t memory, size_t stage) {
  const stow_budget_visits *all = &v->visits[memory];
  const size_t at = stow_budget_visit_at(v, memory, stage);
  return at < all->count ? !all->items[at].fresh : v->walk.problem->memories[memory].to_end;
}

// Some of what a memory is computed from comes anew, too; most likely where it is not there.
static bool comes_along(anneal *a, size_t memory, size_t stage) {
  return *choice_at(a, memory, stage) == STOW_BUDGET_STAYS && !touches(&a->moves, memory, stage) &&
         below(a, is_alive_across(&a->moves, memory, stage) ? 8 : 2) == 0;
}

// The changes from `first` on grow by what comes along with them.
static void take_along(anneal *a, size_t stage, size_t first) {
  const stow_budget_walk *w = &a->moves.walk;
  for (size_t i = first; i < a->change_count && a->change_count < first + MOST_TOGETHER; ++i) {
    const size_t memory = a->changes[i].memory;
    if (*choice_at(a, memory, stage) != STOW_BUDGET_COMPUTED)
      continue;
    const stow_budget_writers writers = stow_budget_writers_at(w, memory, stage);
    for (size_t v = 0; v < writers.count; ++v) {
      const stow_budget_node *n = &w->problem->nodes[writers.nodes[v]];
      for (size_t k = 0; k < n->access_count && !a->no_memory; ++k)
        if (comes_along(a, n->accesses[k].memory, stage))
          change_to(a, n->accesses[k].memory, stage, some_choice(a, n->accesses[k].memory, stage));
    }
  }
}

static void choose(anneal *a, size_t memory, size_t stage) {
  const size_t first = a->change_count;
  if (*choice_at(a, memory, stage) != STOW_BUDGET_STAYS)
    return;
  change_to(a, memory, stage, some_choice(a, memory, stage));
  if (a->no_memory)
    return;
  take_along(a, stage, first);
  settle(a, stage, first);
}

// The stage for which a memory may come anew that waits at this one. SIZE_MAX: it does not.
static size_t stage_for(const stow_budget_moves *v, size_t memory, size_t stage) {
  const stow_budget_visits *all = &v->visits[memory];
  const size_t at = stow_budget_visit_at(v, memory, stage);
  const bool comes = at > 0 && at < all->count && !all->items[at].fresh &&
                     (all->items[at].stage > stage || v->stages[stage].step_count > 1);
  return comes && stow_budget_bytes(&v->walk, memory) > 0 ? all->items[at].stage : SIZE_MAX;
}

// A memory before a stage, and what a byte of it costs at least.
typedef struct offer {
  size_t memory, stage;
  double rate;
} offer;

// Of a memory that is drawn. False: it cannot go there.
static bool draw_offer(anneal *a, size_t stage, offer *out) {
  const stow_budget_walk *w = &a->moves.walk;
  const size_t memory = below(a, w->problem->memory_count);
  const size_t to = stage_for(&a->moves, memory, stage);
  uint8_t choice = STOW_BUDGET_COMPUTED;
  ++a->moves.walk.effort;
  if (to == SIZE_MAX)
    return false;
  if (!stow_budget_allows(w, memory, to, choice))
    choice = STOW_BUDGET_SPILLED;
  if (!stow_budget_allows(w, memory, to, choice))
    return false;
  *out = (offer){memory, to,
                 (double)stow_budget_price(w, memory, to, choice) /
                     (double)w->problem->memories[memory].bytes};
  return true;
}

// Something that waits where there are too many bytes goes: the cheapest of a few.
static void choose_one(anneal *a) {
  const size_t stage = a->moves.full[below(a, a->moves.full_count)];
  const size_t wanted = 1 + below(a, 3);
  offer best = {0}, it;
  size_t found = 0;
  for (size_t i = 0; i < MOST_LOOKED_AT && found < wanted; ++i)
    if (draw_offer(a, stage, &it)) {
      best = found == 0 || it.rate < best.rate ? it : best;
      ++found;
    }
  if (found > 0)
    choose(a, best.memory, best.stage);
}

// The visit before or after this one, if the memory could come anew there. SIZE_MAX: it could not.
static size_t stage_beside(anneal *a, size_t memory, size_t stage) {
  const stow_budget_visits *all = &a->moves.visits[memory];
  const size_t at = stow_budget_visit_at(&a->moves, memory, stage);
  const size_t to = below(a, 2) ? at + 1 : at - 1;
  return 0 < to && to < all->count && !all->items[to].fresh ? all->items[to].stage : SIZE_MAX;
}

static void drop_one(anneal *a, bool shifts) {
  const size_t row = a->moves.walk.problem->node_count + 1;
  const size_t cell = a->made[below(a, a->made_count)], first = a->change_count;
  const size_t memory = cell / row, stage = cell % row;
  const size_t to = shifts ? stage_beside(a, memory, stage) : SIZE_MAX;
  change_to(a, memory, stage, STOW_BUDGET_STAYS);
  if (!a->no_memory)
    settle(a, stage, first);
  if (to != SIZE_MAX && !a->no_memory && touches(&a->moves, memory, to))
    choose(a, memory, to);
}

static void move(anneal *a) {
  const size_t kind = below(a, 8);
  size_t most = below(a, 3);
  if (a->made_count > 0 && (a->moves.excess == 0 || kind < 4))
    drop_one(a, kind % 2);
  else
    most = 1 + below(a, 2);
  for (; most > 0 && a->moves.excess > 0 && !a->no_memory; --most)
    choose_one(a);
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static double value_of(const anneal *a) {
  return (double)a->moves.cost + a->price * (double)a->moves.excess;
}

static void keep_best(anneal *a) {
  if (a->moves.excess > 0 || a->moves.cost >= a->best_cost)
    return;
  a->best_count = 0;
  for (size_t i = 0; i < a->made_count && !a->no_memory; ++i) {
    a->no_memory = !STOW_STREAM_ROOM(a->best, a->best_count, a->best_room);
    if (!a->no_memory)
      a->best[a->best_count++] = (made){a->made[i], a->moves.walk.choices[a->made[i]]};
  }
  a->moves.walk.effort += a->made_count;
  a->best_cost = a->moves.cost;
}

static void set_price(anneal *a) {
  const bool fits = a->moves.excess == 0;
  a->fits = fits ? a->fits + 1 : 0;
  a->fails = fits ? 0 : a->fails + 1;
  if (a->fits >= PATIENCE || a->fails >= PATIENCE) {
    a->price *= fits ? 0.9 : a->price < MOST_PRICE * a->first ? 1.1 : 1;
    a->fits = a->fails = 0;
  }
}

static void try_move(anneal *a) {
  const double before = value_of(a);
  a->change_count = 0;
  move(a);
  if (a->no_memory)
    return;
  if (value_of(a) > before + a->heat * threshold(a))
    take_back(a);
  else
    keep_best(a);
  set_price(a);
}

static bool list_made(anneal *a) {
  const stow_budget_walk *w = &a->moves.walk;
  const size_t cells = stow_budget_cells(w);
  for (size_t cell = 0; cell < cells && !a->no_memory; ++cell) {
    if (w->choices[cell] == STOW_BUDGET_STAYS)
      continue;
    a->no_memory = !STOW_STREAM_ROOM(a->made, a->made_count, a->made_room);
    if (!a->no_memory)
      a->made[a->made_count++] = cell;
  }
  return !a->no_memory;
}

// What a choice costs on average; of none, what a node costs.
static double mean_price(const anneal *a) {
  const stow_budget_problem *p = a->moves.walk.problem;
  double sum = 1;
  if (a->made_count > 0)
    return (double)a->moves.cost / (double)a->made_count + 1;
  for (size_t n = 0; n < p->node_count; ++n)
    sum += (double)p->nodes[n].cost / (double)p->node_count;
  return sum;
}

static double mean_bytes(const stow_budget_problem *p) {
  double sum = 1;
  for (size_t m = 0; m < p->memory_count; ++m)
    sum += (double)p->memories[m].bytes / (double)p->memory_count;
  return sum;
}

// As long as nothing is known to fit, bytes count as much beside the heat as they did at first, and
// only the cost counts less: else no way leads out of the first dead end.
static double warmer(const anneal *a) {
  return a->best_cost == UINT64_MAX && a->price > a->first ? a->price / a->first : 1;
}

static void search(anneal *a, uint64_t effort) {
  const double hot = HEAT * mean_price(a);
  uint64_t *const now = &a->moves.walk.effort;
  const uint64_t start = *now;
  a->price = a->first = mean_price(a) / mean_bytes(a->moves.walk.problem);
  while (*now - start < effort && !a->no_memory && (a->made_count > 0 || a->moves.excess > 0)) {
    const double left = 1 - (double)(*now - start) / (double)effort;
    a->heat = hot * left * left * left * warmer(a);
    try_move(a);
    ++*now;
  }
}

bool stow_budget_anneal(stow_budget_walk *walk, uint64_t capacity, uint64_t effort, uint64_t seed,
                        uint8_t *choices, uint64_t *inout_cost) {
  anneal a = {.random = seed, .best_cost = *inout_cost};
  bool done = stow_budget_moves_begin(walk->problem, capacity, choices, &a.moves) && list_made(&a);
  if (done) {
    search(&a, effort);
    done = !a.no_memory;
  }
  if (done && a.best_cost < *inout_cost) {
    *inout_cost = a.best_cost;
    memset(choices, STOW_BUDGET_STAYS, stow_budget_cells(walk));
    for (size_t i = 0; i < a.best_count; ++i)
      choices[a.best[i].cell] = a.best[i].choice;
  }
  walk->effort += a.moves.walk.effort;
  stow_budget_moves_end(&a.moves);
  free(a.made);
  free(a.changes);
  free(a.best);
  return done;
}
