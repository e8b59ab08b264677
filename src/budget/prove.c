//===- prove.c - that no choices cost less --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/prove.h"
#include "budget/rates.h"
#include "budget/states.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROUNDS = 2000,           // in which rates are improved, at first
  ROUNDS_CROWDED = 600,    // and with crowds
  ROUNDS_BRANCH = 40,      // and in a branch
  MOST_CELLS = 4000000,    // or nothing is bounded
  MOST_SETTLED = 10000000, // cells times those at a node, if paths are settled before
  MOST_BRANCHED = 20000,   // cells, if branches are followed
  MOST_STATES = 1000000,   // or branches are followed
  MOST_DEPTH = 2000,
  STEPS = 16, // to twice the bound, at first
};

#define NO_LACK 1e-6 // of what is missing of a sum

typedef struct proof {
  stow_budget_paths paths;
  stow_budget_rates rates;
  stow_budget_walk found; // of choices that are all known
  size_t node_count;
  uint64_t best;
  uint8_t *choices;
  bool is_any; // that fits is better than what is known
  double lost; // of branches that are not followed: what they cost at least
  bool no_memory;
} proof;

static void lose(proof *f, double bound) { f->lost = bound < f->lost ? bound : f->lost; }

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static bool is_open(const stow_budget_paths *p, size_t cell) {
  return p->comes[cell] & (p->comes[cell] - 1);
}

static bool is_known(const stow_budget_paths *p) {
  for (size_t cell = 0; cell < p->cell_count; ++cell)
    if (is_open(p, cell))
      return false;
  return true;
}

static void take_known(proof *f) {
  const stow_budget_paths *p = &f->paths;
  stow_budget_walk *w = &f->found;
  memset(w->choices, STOW_BUDGET_STAYS, stow_budget_cells(w));
  for (size_t cell = 0; cell < p->cell_count; ++cell)
    w->choices[stow_budget_cell(w, p->memory[cell], p->node[cell])] =
        (uint8_t)__builtin_ctz(p->comes[cell]);
  const uint64_t before = w->effort;
  f->no_memory |= !stow_budget_take(w);
  p->walk->effort += w->effort - before;
  if (f->no_memory || w->peak > p->capacity || w->cost >= f->best)
    return;
  f->best = w->cost;
  f->rates.best = (double)w->cost;
  memcpy(f->choices, w->choices, stow_budget_cells(w));
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

// What is decided of a cell: one way, or the others.
typedef struct decision {
  size_t cell; // SIZE_MAX: none
  uint8_t front, comes;
} decision;

// The node where most bytes wait that must not; SIZE_MAX: there is none.
static size_t fullest_node(const proof *f) {
  const stow_budget_rates *r = &f->rates;
  double lack = NO_LACK;
  size_t node = SIZE_MAX;
  for (size_t a = 0; a < r->active_count && r->active[a] < f->node_count; ++a)
    if (r->rates[r->active[a]].lack > lack) {
      lack = r->rates[r->active[a]].lack;
      node = r->active[a];
    }
  return node;
}

// The largest of what waits there.
static decision decide_waiting(const proof *f) {
  const stow_budget_paths *p = &f->paths;
  const size_t node = fullest_node(f);
  decision best = {.cell = SIZE_MAX};
  double counts = 0;
  if (node == SIZE_MAX)
    return best;
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k) {
    const size_t cell = p->at[k];
    if (f->rates.counts[cell] <= counts || !(f->rates.taken[cell] & STOW_BUDGET_TAKEN_WAITS))
      continue;
    counts = f->rates.counts[cell];
    best = (decision){cell + 1, STOW_BUDGET_AWAY, UINT8_MAX};
  }
  return best;
}

// What is computed although something is not there for it, or too much is kept.
static size_t lacking_cell(const proof *f) {
  const stow_budget_rates *r = &f->rates;
  for (size_t a = 0; a < r->active_count; ++a) {
    const size_t i = r->active[a];
    if (i < f->node_count || r->rates[i].lack <= NO_LACK)
      continue;
    const size_t tie = i - f->node_count;
    const size_t cell = tie < r->tie_count ? r->ties[tie].from : r->crowds[tie - r->tie_count].cell;
    if (is_open(&f->paths, cell))
      return cell;
  }
  return SIZE_MAX;
}

// What comes: first of that, then what is computed, then any.
static decision decide_coming(const proof *f) {
  const stow_budget_paths *p = &f->paths;
  size_t cell = lacking_cell(f), other = SIZE_MAX;
  for (size_t c = 0; c < p->cell_count && cell == SIZE_MAX; ++c)
    if (is_open(p, c)) {
      other = c;
      cell = f->rates.taken[c] & STOW_BUDGET_TAKEN_COMPUTED ? c : SIZE_MAX;
    }
  if (cell < SIZE_MAX)
    return (decision){cell, UINT8_MAX, STOW_BUDGET_MAY_COMPUTE};
  assert(other < SIZE_MAX); // or all is known
  return (decision){other, UINT8_MAX, (uint8_t)(p->comes[other] & -p->comes[other])};
}

static void search(proof *f, double bound, size_t depth);

static decision other_of(decision d) {
  return (decision){d.cell, d.front < UINT8_MAX ? (uint8_t)~d.front : UINT8_MAX,
                    d.comes < UINT8_MAX ? (uint8_t)~d.comes : UINT8_MAX};
}

static void follow(proof *f, decision d, double bound, size_t depth) {
  const size_t trail = f->paths.trail_count;
  if (stow_budget_paths_limit(&f->paths, d.cell, d.front, d.comes) &&
      stow_budget_paths_settle(&f->paths))
    search(f, bound, depth + 1);
  f->no_memory |= f->paths.no_memory;
  stow_budget_paths_take_back(&f->paths, trail);
}

// Until nothing is taken away by the bound any more. False: nothing is left.
static bool bound_open(proof *f, size_t rounds, double *bound) {
  stow_budget_rates *r = &f->rates;
  for (size_t left = 1; left > 0 && f->paths.walk->effort < f->paths.limit;) {
    const size_t trail = f->paths.trail_count;
    const double now = stow_budget_rates_bound(r, rounds, f->paths.limit);
    *bound = now > *bound ? now : *bound;
    if (*bound > r->best - 1 || !stow_budget_rates_settle(r))
      return false;
    left = (f->paths.trail_count - trail) / 8;
  }
  return true;
}

// All choices that are open, which cost at least the bound.
static void search(proof *f, double bound, size_t depth) {
  f->no_memory |= f->paths.no_memory;
  if (f->no_memory || bound > (double)f->best - 1)
    return;
  if (f->paths.walk->effort >= f->paths.limit || depth >= MOST_DEPTH) {
    lose(f, bound);
    return;
  }
  if (!is_known(&f->paths) && !bound_open(f, ROUNDS_BRANCH, &bound))
    return;
  if (is_known(&f->paths)) {
    take_known(f);
    return;
  }
  decision d = decide_waiting(f);
  if (d.cell == SIZE_MAX)
    d = decide_coming(f);
  double *rates = stow_budget_rates_copy(&f->rates);
  f->no_memory |= !rates;
  follow(f, d, bound, depth);
  if (rates)
    stow_budget_rates_restore(&f->rates, rates);
  follow(f, other_of(d), bound, depth);
  free(rates);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static uint64_t most_of_effort(const proof *f) {
  const uint64_t effort = f->paths.walk->effort, limit = f->paths.limit;
  return limit > effort ? limit - (limit - effort) / 4 : effort;
}

// Some choices that fit, where none are known. Whether there may be any.
static bool find_any(proof *f) {
  uint64_t best = 1;
  double bound = 0;
  stow_budget_walk *w = &f->found;
  f->no_memory |= !stow_budget_states_search(&f->rates, MOST_STATES, most_of_effort(f), true,
                                             f->choices, &best, &bound);
  if (best > 0 || f->no_memory)
    return bound < 1;
  memcpy(w->choices, f->choices, stow_budget_cells(w));
  f->no_memory |= !stow_budget_take(w);
  assert(f->no_memory || (w->peak <= f->paths.capacity && w->cost < f->best));
  f->best = w->cost;
  f->rates.best = (double)w->cost;
  return true;
}

// Crowds are many. They are made of what is open behind a first bound.
static bool bound_all(proof *f, double *bound) {
  if (!stow_budget_paths_settle(&f->paths) || (f->is_any && !find_any(f)))
    return false;
  *bound = stow_budget_rates_bound(&f->rates, ROUNDS, f->paths.limit);
  if (*bound > f->rates.best - 1 || !stow_budget_rates_settle(&f->rates))
    return false;
  f->no_memory = !stow_budget_rates_crowd(&f->rates);
  return !f->no_memory && bound_open(f, ROUNDS_CROWDED, bound);
}

// Of what costs less than `cut`: nothing, so that it is a bound, or the cheapest of it, which are
// the best. Whether one of both is known then.
static bool follow_below(proof *f, uint64_t cut, double *bound) {
  const size_t trail = f->paths.trail_count;
  uint64_t best = cut;
  f->rates.best = (double)cut;
  if (bound_open(f, ROUNDS_CROWDED, bound))
    f->no_memory |= !stow_budget_states_search(&f->rates, MOST_STATES, f->paths.limit, false,
                                               f->choices, &best, bound);
  else if (!f->no_memory && !f->paths.no_memory)
    *bound = (double)cut;
  if (best < cut)
    f->best = best;
  stow_budget_paths_take_back(&f->paths, trail);
  f->rates.best = (double)f->best;
  return best < cut || *bound >= (double)cut;
}

// Whether something is left to prove. What is known may cost far more than the best: the less may
// be spent, the less is to be followed, so it is first a little more than the bound.
static bool follow_states(proof *f, double *bound) {
  const uint64_t limit = f->paths.limit;
  double *rates = stow_budget_rates_copy(&f->rates);
  f->no_memory |= !rates;
  f->paths.limit = most_of_effort(f);
  bool goes_on = true;
  for (uint64_t step = (uint64_t)(*bound / STEPS) + 1;
       goes_on && !f->no_memory && *bound < (double)f->best; step *= 2) {
    const uint64_t cut = (uint64_t)*bound + 1 + step;
    goes_on = follow_below(f, cut + step / 2 < f->best ? cut : f->best, bound);
    if (rates)
      stow_budget_rates_restore(&f->rates, rates);
  }
  f->paths.limit = limit;
  free(rates);
  return !f->no_memory && *bound < (double)f->best;
}

static void run(proof *f) {
  const size_t cells = f->paths.cell_count;
  const bool settles = f->paths.whole && cells / (f->node_count + 1) * cells <= MOST_SETTLED;
  double bound = 0;
  if (f->paths.whole && cells <= MOST_BRANCHED) {
    if (bound_all(f, &bound) && follow_states(f, &bound))
      search(f, bound, 0);
  } else if (!settles || stow_budget_paths_settle(&f->paths)) {
    lose(f, stow_budget_rates_bound(&f->rates, ROUNDS, f->paths.limit));
  }
}

uint64_t stow_budget_above_all(const stow_budget_problem *p) {
  uint64_t cost = 0;
  for (size_t n = 0; n < p->node_count; ++n)
    cost += p->nodes[n].cost;
  for (size_t m = 0; m < p->memory_count; ++m)
    cost += p->memories[m].spillable ? 2 * p->memories[m].spill : 0;
  return cost * p->node_count + 1;
}

bool stow_budget_prove(stow_budget_walk *walk, uint64_t capacity, uint64_t effort, uint8_t *choices,
                       uint64_t *inout_best, uint64_t *out_bound) {
  proof f = {.best = *inout_best,
             .choices = choices,
             .is_any = *inout_best >= stow_budget_above_all(walk->problem),
             .lost = 1e300,
             .node_count = walk->problem->node_count};
  assert(f.best < UINT64_MAX); // rates move by what is missing from it
  bool done =
      stow_budget_walk_begin(walk->problem, &f.found) &&
      stow_budget_paths_begin(walk, capacity, walk->effort + effort, MOST_CELLS, &f.paths) &&
      stow_budget_rates_begin(&f.paths, f.best, &f.rates);
  if (done) {
    run(&f);
    done = !f.no_memory && !f.paths.no_memory;
  }
  const double least = f.lost < (double)f.best ? f.lost : (double)f.best;
  const uint64_t whole = (uint64_t)least,
                 bound = whole + (least > (double)whole); // costs are whole
  *inout_best = f.best;
  *out_bound = bound < f.best ? bound : f.best;
  stow_budget_rates_end(&f.rates);
  stow_budget_paths_end(&f.paths);
  stow_budget_walk_free(&f.found);
  return done;
}
