//===- search.c - the cheapest choices that fit ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Greedily first: at the peak, the choice that gains the most bytes per cost, until all fits; then
// what turned out superfluous is taken back. Then parts of the best choices are made anew, or
// annealed, and the exact search branches at the peak: one of those that may go there must. The
// effort is shared out in search_all_ways; bounds come from steps with different candidates and
// from prove.c.
//
//===----------------------------------------------------------------------===//

#include "budget/anneal.h"
#include "budget/candidates.h"
#include "budget/divide.h"
#include "budget/prove.h"
#include "budget/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_TRIED = 32,     // candidates among which a greedy step chooses, if one of them gains
  MOST_TRIED_ANEW = 8, // the same, where a part is chosen anew
  MOST_TOGETHER = 16,  // choices of a greedy step
  MOST_DEPTH = 400,    // choices of a way that the exact search makes
  MOST_EXACTLY = 200,  // nodes, for a long exact search or proof
  MOST_DECIDED = 64,   // memories, for a long proof where nothing that fits is known
  CELLS_PER_STEP = 16, // of a table that is copied and read, as effort
};

static bool take(stow_budget_search *s) {
  if (!stow_budget_take(&s->walk))
    s->no_memory = true;
  s->spent |= s->walk.effort > s->max_effort;
  return !s->no_memory;
}

// Sets how far the effort goes now, of what there is in all.
static void allow(stow_budget_search *s, uint64_t effort, uint64_t all) {
  s->max_effort = effort < all ? effort : all;
  s->spent = s->walk.effort > s->max_effort;
}

static bool goes_on(const stow_budget_search *s) {
  return !s->no_memory && !s->spent && s->best_cost > s->bound;
}

// Of choices that fit.
static void keep_best(stow_budget_search *s) {
  if (s->walk.cost >= s->best_cost)
    return;
  memcpy(s->best, s->walk.choices, s->cells);
  s->best_cost = s->walk.cost;
  s->best_excess = 0;
}

// Also of such that do not fit, and of equal ones the last.
static void keep_no_worse(stow_budget_search *s) {
  const uint64_t excess = stow_budget_excess(&s->walk, s->capacity);
  const uint64_t cost = excess > 0 ? UINT64_MAX : s->walk.cost;
  if (excess > s->best_excess || (excess == s->best_excess && cost > s->best_cost))
    return;
  memcpy(s->best, s->walk.choices, s->cells);
  s->best_cost = cost;
  s->best_excess = excess;
}

//===----------------------------------------------------------------------===//
// Greedily
//===----------------------------------------------------------------------===//

// Choices that are made together.
typedef struct trial {
  size_t count, cells[MOST_TOGETHER];
  uint8_t choices[MOST_TOGETHER];
  double gain; // bytes over steps, per cost
} trial;

static uint64_t below(stow_budget_search *s, uint64_t limit) {
  s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (s->random >> 33) % limit;
}

static void choose(stow_budget_search *s, trial *t, size_t cell, uint8_t choice) {
  assert(t->count < MOST_TOGETHER);
  t->cells[t->count] = cell;
  t->choices[t->count++] = choice;
  s->walk.choices[cell] = choice;
}

static bool has_access(const stow_budget_node *n, size_t memory) {
  for (size_t a = 0; a < n->access_count; ++a)
    if (n->accesses[a].memory == memory)
      return true;
  return false;
}

// What nothing but the choices keeps alive at the step, until they are made: it comes anew, too.
// Whether there is some.
static bool choose_sources(stow_budget_search *s, trial *t, size_t node, size_t step) {
  size_t count = 0;
  const size_t before = t->count;
  stow_budget_candidate *list = stow_budget_candidates_at(s, step, false, &count);
  for (size_t i = 0; list && i < count && t->count < MOST_TOGETHER; ++i)
    if (list[i].node == node && !has_access(&s->walk.problem->nodes[node], list[i].memory))
      choose(s, t, stow_budget_cell(&s->walk, list[i].memory, node), list[i].choice);
  free(list);
  return t->count > before;
}

typedef struct moment {
  size_t step;
  uint64_t excess, cost;
} moment;

// A choice, or with those that it then needs.
static void try_choice(stow_budget_search *s, const stow_budget_candidate *c, uint8_t choice,
                       const moment *now, bool together, trial *best) {
  trial t = {0};
  if (!goes_on(s) || !stow_budget_allows(&s->walk, c->memory, c->node, choice))
    return;
  choose(s, &t, stow_budget_cell(&s->walk, c->memory, c->node), choice);
  do {
    if (!take(s))
      break;
    const uint64_t left = stow_budget_excess(&s->walk, s->capacity);
    t.gain = left < now->excess
                 ? (double)(now->excess - left) / (double)(s->walk.cost - now->cost + 1)
                 : 0;
    if (s->random != 0)
      t.gain *= (double)(500 + below(s, 1000));
    if (t.gain > best->gain)
      *best = t;
  } while (together && choice != STOW_BUDGET_PLACED && goes_on(s) &&
           choose_sources(s, &t, c->node, now->step));
  for (size_t i = 0; i < t.count; ++i)
    s->walk.choices[t.cells[i]] = STOW_BUDGET_STAYS;
}

// The best of the first that gain anything.
static trial best_of(stow_budget_search *s, const stow_budget_candidate *list, size_t count,
                     const moment *now, bool together) {
  const size_t tried = s->random != 0 ? MOST_TRIED_ANEW : MOST_TRIED;
  trial best = {0};
  for (size_t i = 0; i < count && (best.gain <= 0 || i % tried != 0); ++i)
    for (uint8_t c = STOW_BUDGET_COMPUTED; c < STOW_BUDGET_CHOICES; ++c)
      try_choice(s, &list[i], c, now, together, &best);
  return best;
}

// Makes the best choice at the peak. False: there is none, and the walk is not of the choices.
static bool choose_one(stow_budget_search *s) {
  size_t count = 0;
  const moment now = {s->walk.peak_step, stow_budget_excess(&s->walk, s->capacity), s->walk.cost};
  stow_budget_candidate *list = stow_budget_candidates_at(s, now.step, false, &count);
  if (!list)
    return false;
  trial best = best_of(s, list, count, &now, false);
  if (best.gain <= 0)
    best = best_of(s, list, count, &now, true);
  free(list);
  for (size_t i = 0; i < best.count; ++i)
    s->walk.choices[best.cells[i]] = best.choices[i];
  return best.gain > 0 && take(s);
}

// Takes back what turned out to be superfluous, or is cheaper in another way.
static void simplify(stow_budget_search *s) {
  for (size_t cell = 0; cell < s->cells && goes_on(s); ++cell) {
    const uint8_t was = s->best[cell];
    const size_t row = s->walk.problem->node_count + 1;
    for (uint8_t c = STOW_BUDGET_STAYS; c < STOW_BUDGET_CHOICES && s->best[cell] == was; ++c) {
      if (was == STOW_BUDGET_STAYS || c == was ||
          !stow_budget_allows(&s->walk, cell / row, cell % row, c))
        continue;
      memcpy(s->walk.choices, s->best, s->cells);
      s->walk.choices[cell] = c;
      if (take(s) && s->walk.peak <= s->capacity)
        keep_best(s);
    }
  }
}

// Until all fits, or cost reaches the limit.
static void choose_greedily(stow_budget_search *s, uint64_t limit) {
  while (goes_on(s) && s->walk.peak > s->capacity && s->walk.cost < limit)
    if (!choose_one(s)) {
      take(s);
      break;
    }
  if (!s->no_memory)
    keep_no_worse(s);
}

static void search_greedily(stow_budget_search *s) {
  choose_greedily(s, UINT64_MAX);
  if (s->best_excess == 0)
    simplify(s);
}

//===----------------------------------------------------------------------===//
// Anew
//===----------------------------------------------------------------------===//

// Of the best choices takes back all, or a share of them, that are around some node.
static void take_some_back(stow_budget_search *s) {
  const size_t nodes = s->walk.problem->node_count;
  const size_t centre = below(s, nodes), width = below(s, 2 + nodes / (1 + below(s, 16)));
  const uint64_t share = 1 + below(s, 4);
  memcpy(s->walk.choices, s->best, s->cells);
  for (size_t cell = 0; cell < s->cells; ++cell) {
    const size_t node = cell % (nodes + 1), away = node > centre ? node - centre : centre - node;
    if (s->walk.choices[cell] != STOW_BUDGET_STAYS && (node == nodes || away <= width) &&
        below(s, 4) < share)
      s->walk.choices[cell] = STOW_BUDGET_STAYS;
  }
  s->walk.effort += s->cells / CELLS_PER_STEP;
  take(s);
}

static bool may_be_placed(const stow_budget_problem *p) {
  for (size_t m = 0; m < p->memory_count; ++m)
    if (p->memories[m].placeable)
      return true;
  return false;
}

static void choose_anew(stow_budget_search *s) {
  while (goes_on(s)) {
    const uint64_t before = s->best_cost;
    take_some_back(s);
    choose_greedily(s, before);
    if (s->best_cost < before)
      simplify(s);
  }
}

static void anneal(stow_budget_search *s) {
  uint64_t cost = s->best_cost;
  memcpy(s->walk.choices, s->best, s->cells);
  s->no_memory = !stow_budget_anneal(&s->walk, s->capacity, s->max_effort - s->walk.effort,
                                     s->random, s->walk.choices, &cost);
  if (cost == s->best_cost || !take(s))
    return;
  assert(s->walk.cost == cost && s->walk.peak <= s->capacity);
  keep_best(s);
  simplify(s);
}

static void search_anew(stow_budget_search *s, uint64_t effort, uint64_t all) {
  allow(s, effort, all);
  ++s->random;
  if (may_be_placed(s->walk.problem))
    choose_anew(s);
  else if (goes_on(s))
    anneal(s);
}

//===----------------------------------------------------------------------===//
// Exactly
//===----------------------------------------------------------------------===//

static void search_from(stow_budget_search *s, size_t depth);

// Ways on which this candidate comes anew so.
static void search_with(stow_budget_search *s, const stow_budget_candidate *c, uint8_t choice,
                        size_t depth) {
  const size_t cell = stow_budget_cell(&s->walk, c->memory, c->node);
  if (s->closed[cell] >> choice & 1 || !stow_budget_allows(&s->walk, c->memory, c->node, choice))
    return;
  s->walk.choices[cell] = choice;
  if (goes_on(s))
    search_from(s, depth + 1);
  s->walk.choices[cell] = STOW_BUDGET_STAYS;
}

// Ways on which none of those that may go at the peak comes anew where it is needed next. If one
// that is needed next comes anew, too, its price is part of theirs.
static void search_early(stow_budget_search *s, size_t depth) {
  size_t count = 0, i = 0;
  stow_budget_early_price price = {0};
  if (s->narrow || !goes_on(s) || !take(s))
    return;
  const uint64_t cost = s->walk.cost;
  const size_t own = s->walk.steps[s->walk.peak_step].stage;
  stow_budget_candidate *list = stow_budget_enablers(s, s->walk.peak_step, &count, &price);
  for (; list && i < count && goes_on(s); ++i) {
    uint8_t *closed = &s->closed[stow_budget_cell(&s->walk, list[i].memory, list[i].node)];
    const uint64_t others = list[i].node == own ? price.reordered : price.as_is;
    if (*closed >> STOW_BUDGET_COMPUTED & 1 || cost + others + list[i].price >= s->best_cost) {
      list[i].price = UINT64_MAX;
      continue;
    }
    search_with(s, &list[i], STOW_BUDGET_COMPUTED, depth);
    *closed |= 1 << STOW_BUDGET_COMPUTED;
  }
  while (list && i-- > 0)
    if (list[i].price < UINT64_MAX)
      s->closed[stow_budget_cell(&s->walk, list[i].memory, list[i].node)] &=
          (uint8_t)~(1 << STOW_BUDGET_COMPUTED);
  free(list);
}

// One of those that may go at the peak must: with the first, or without it and with the second...
static void search_from(stow_budget_search *s, size_t depth) {
  size_t count = 0, i = 0;
  if (!take(s) || s->walk.cost >= s->best_cost)
    return;
  if (s->walk.peak <= s->capacity) {
    keep_best(s);
    return;
  }
  if (depth >= MOST_DEPTH)
    s->spent = true;
  const uint64_t cost = s->walk.cost, over = s->walk.peak - s->capacity;
  stow_budget_candidate *list = stow_budget_candidates_at(s, s->walk.peak_step, false, &count);
  for (; list && i < count && goes_on(s); ++i) {
    const uint64_t price = stow_budget_least_price(s, list, i, count, over);
    if (price == UINT64_MAX || cost + price >= s->best_cost)
      break;
    uint8_t *closed = &s->closed[stow_budget_cell(&s->walk, list[i].memory, list[i].node)];
    for (uint8_t c = STOW_BUDGET_COMPUTED; c < STOW_BUDGET_CHOICES; ++c)
      search_with(s, &list[i], c, depth);
    list[i].choice = *closed; // as it was
    *closed = UINT8_MAX;
  }
  search_early(s, depth);
  while (list && i-- > 0)
    s->closed[stow_budget_cell(&s->walk, list[i].memory, list[i].node)] = list[i].choice;
  free(list);
}

//===----------------------------------------------------------------------===//
// What is found
//===----------------------------------------------------------------------===//

static bool may_go(const stow_budget_memory *m) { return m->renewable || m->placeable; }

// What no choice changes: a node with what it touches, and the memories around it that stay. Of all
// that is alive, at first, memories may go that may be placed elsewhere, or renewed if the node
// does not touch them.
static bool find_least(const stow_budget_search *s, stow_budget_plan *out) {
  const stow_budget_walk *w = &s->walk;
  const stow_budget_problem *p = w->problem;
  uint64_t *waiting = calloc(w->step_count + 1, sizeof *waiting), level = 0;
  if (!waiting)
    return false;
  assert(w->step_count == p->node_count); // nothing is chosen yet
  for (size_t e = 0, begin, end; e < w->epoch_count; ++e)
    if (may_go(&p->memories[w->epochs[e].memory]) && stow_budget_is_alive(w, e, &begin, &end)) {
      waiting[begin] += p->memories[w->epochs[e].memory].bytes;
      waiting[end] -= p->memories[w->epochs[e].memory].bytes;
    }
  for (size_t i = 0; i < p->node_count; ++i) {
    uint64_t touched = 0;
    level += waiting[i];
    for (size_t a = 0; a < p->nodes[i].access_count; ++a) {
      const stow_budget_memory *m = &p->memories[p->nodes[i].accesses[a].memory];
      touched += m->renewable && !m->placeable ? m->bytes : 0;
    }
    assert(touched <= level && level <= w->levels[i]);
    if (w->levels[i] - level + touched > out->least) {
      out->least = w->levels[i] - level + touched;
      out->least_node = i;
    }
  }
  free(waiting);
  assert(out->least <= w->peak);
  return true;
}

// What all choices together cost at least, as steps with different candidates add up; UINT64_MAX:
// at some step too few bytes can go. Nothing is chosen yet.
static uint64_t find_bound(stow_budget_search *s) {
  uint64_t sum = 0, most = 0;
  memset(s->best, 0, s->cells); // whether a candidate is counted
  for (size_t i = 0; i < s->walk.step_count && most < UINT64_MAX; ++i) {
    if (s->walk.levels[i] <= s->capacity)
      continue;
    size_t count = 0, fresh = 0;
    stow_budget_candidate *list = stow_budget_candidates_at(s, i, true, &count);
    if (!list)
      break;
    const uint64_t price =
        stow_budget_least_price(s, list, 0, count, s->walk.levels[i] - s->capacity);
    most = price > most ? price : most;
    while (fresh < count &&
           !s->best[stow_budget_cell(&s->walk, list[fresh].memory, list[fresh].node)])
      ++fresh;
    for (size_t k = 0; k < count && fresh == count && price > 0; ++k)
      s->best[stow_budget_cell(&s->walk, list[k].memory, list[k].node)] = true;
    sum += fresh == count && price < UINT64_MAX ? price : 0;
    free(list);
    s->walk.effort += s->walk.touch_count;
  }
  return sum > most ? sum : most;
}

static int by_after(const void *left, const void *right) {
  const stow_budget_taken *a = left, *b = right;
  if (a->after != b->after)
    return a->after < b->after ? -1 : 1;
  return (a->step.memory > b->step.memory) - (a->step.memory < b->step.memory);
}

static void write_places(const stow_budget_search *s, stow_budget_plan *out) {
  const stow_budget_problem *p = s->walk.problem;
  for (size_t m = 0; m < p->memory_count; ++m)
    if (s->best[stow_budget_cell(&s->walk, m, p->node_count)])
      out->steps[out->step_count++] = (stow_budget_step){STOW_BUDGET_PLACE, 0, m};
}

// The steps of the best choices, with the copies to the second memory between them.
static bool write_steps(stow_budget_search *s, stow_budget_plan *out) {
  stow_budget_walk *w = &s->walk;
  memcpy(w->choices, s->best, s->cells);
  if (!take(s))
    return false;
  assert(w->cost == s->best_cost && w->peak <= s->capacity);
  const size_t most = w->problem->memory_count + w->step_count + w->store_count;
  out->steps = malloc((most + 1) * sizeof *out->steps);
  if (!out->steps)
    return false;
  write_places(s, out);
  if (w->store_count > 0)
    qsort(w->stores, w->store_count, sizeof *w->stores, by_after);
  size_t store = 0;
  for (size_t i = 0; i < w->step_count; ++i) {
    out->steps[out->step_count++] = w->steps[i].step;
    while (store < w->store_count && w->stores[store].after == i)
      out->steps[out->step_count++] = w->stores[store++].step;
  }
  assert(store == w->store_count);
  out->peak = w->peak;
  out->cost = w->cost;
  return true;
}

#ifndef NDEBUG
// What budget.h asks of a problem.
static void assert_problem(const stow_budget_problem *p) {
  for (size_t n = 0; n < p->node_count; ++n) {
    const stow_budget_node *node = &p->nodes[n];
    size_t written = 0;
    for (size_t a = 0; a < node->access_count; ++a) {
      const stow_budget_access *access = &node->accesses[a];
      assert(access->memory < p->memory_count);
      assert(access->writes || !access->overwrites);
      for (size_t b = 0; b < a; ++b)
        assert(node->accesses[b].memory != access->memory); // each memory once
      written += access->writes;
    }
    assert(!node->repeatable || (written == 1 && node->inside == 0));
  }
  for (size_t m = 0; m < p->memory_count; ++m)
    assert(!p->memories[m].renewable || !p->memories[m].to_end);
}

// Both searches leave the tables as they found them.
static void assert_nothing_chosen(const stow_budget_search *s) {
  for (size_t cell = 0; cell < s->cells; ++cell)
    assert(s->walk.choices[cell] == STOW_BUDGET_STAYS && !s->closed[cell]);
}
#else
static void assert_problem(const stow_budget_problem *p) { (void)p; }
static void assert_nothing_chosen(const stow_budget_search *s) { (void)s; }
#endif

// Whether the exact search ends with so much more effort.
static bool search_exactly(stow_budget_search *s, bool narrow, uint64_t effort, uint64_t all) {
  allow(s, s->walk.effort + effort, all);
  s->narrow = narrow;
  memset(s->walk.choices, 0, s->cells);
  search_from(s, 0);
  assert_nothing_chosen(s);
  return !s->spent;
}

static bool may_be_proven(const stow_budget_search *s) {
  const bool few = s->walk.problem->memory_count <= MOST_DECIDED;
  return (few || s->best_cost < UINT64_MAX) && !may_be_placed(s->walk.problem);
}

// By what is known to fit. Whether it is proven that no choices fit.
static bool prove(stow_budget_search *s, uint64_t effort, uint64_t all) {
  const uint64_t above = stow_budget_above_all(s->walk.problem);
  uint64_t bound = 0, best = s->best_cost < above ? s->best_cost : above;
  memset(s->walk.choices, 0, s->cells);
  allow(s, s->walk.effort + effort, all);
  if (may_be_placed(s->walk.problem) || !take(s) || !goes_on(s))
    return false;
  s->no_memory = !stow_budget_prove(&s->walk, s->capacity, s->max_effort - s->walk.effort, s->best,
                                    &best, &bound);
  if (best == above)
    return bound == above && !s->no_memory;
  s->best_cost = best;
  s->best_excess = 0;
  s->bound = bound > s->bound ? bound : s->bound;
  return false;
}

// Small problems end soon. In others, what is found narrowly and anew shortens the proof.
static void search_all_ways(stow_budget_search *s) {
  const uint64_t all = s->max_effort;
  const bool few = s->walk.problem->node_count <= MOST_EXACTLY;
  allow(s, all / 2, all);
  search_greedily(s);
  search_exactly(s, true, all / 16, all);
  if (search_exactly(s, false, all / 16, all))
    return;
  search_anew(s, s->walk.effort + (few ? all / 8 : all / 4), all);
  if (prove(s, !few ? all / 8 : may_be_proven(s) ? all / 4 * 3 : all / 4, all))
    return;
  if (few && !may_be_proven(s) && search_exactly(s, false, all / 4, all))
    return;
  search_anew(s, all, all);
  s->spent = true; // nothing is proven
}

static bool find(stow_budget_search *s, stow_budget_plan *out) {
  if (!take(s))
    return false;
  out->given = s->walk.peak;
  if (!find_least(s, out))
    return false;
  if (s->walk.peak <= s->capacity) {
    keep_best(s);
  } else if (out->least <= s->capacity && (s->bound = find_bound(s)) < UINT64_MAX) {
    search_all_ways(s);
  }
  if (s->no_memory)
    return false;
  out->effort = s->walk.effort;
  const bool found = s->best_cost < UINT64_MAX;
  out->outcome = found ? STOW_BUDGET_FITS : s->spent ? STOW_BUDGET_UNKNOWN : STOW_BUDGET_CANNOT;
  out->bound = s->spent ? s->bound : found ? s->best_cost : 0;
  assert(!found || out->bound <= s->best_cost);
  return !found || write_steps(s, out);
}

static bool find_divided(const stow_budget_problem *p, const stow_budget_options *options,
                         stow_budget_plan *out) {
  stow_budget_search s = {.capacity = options->capacity,
                          .max_effort =
                              options->max_effort ? options->max_effort : STOW_BUDGET_EFFORT,
                          .best_cost = UINT64_MAX,
                          .best_excess = UINT64_MAX};
  bool done = stow_budget_walk_begin(p, &s.walk);
  s.cells = stow_budget_cells(&s.walk);
  s.counted = calloc(p->memory_count + 1, sizeof *s.counted);
  s.until = calloc(p->memory_count + 1, sizeof *s.until);
  s.path = calloc(p->memory_count + 1, sizeof *s.path);
  s.later = calloc(p->memory_count + 1, sizeof *s.later);
  s.best = calloc(s.cells + 1, sizeof *s.best);
  s.closed = calloc(s.cells + 1, sizeof *s.closed);
  done = done && s.best && s.closed && s.counted && s.until && s.path && s.later && find(&s, out);
  stow_budget_walk_free(&s.walk);
  free(s.best);
  free(s.closed);
  free(s.waits);
  free(s.counted);
  free(s.until);
  free(s.path);
  free(s.later);
  return done;
}

bool stow_budget_find(const stow_budget_problem *p, const stow_budget_options *options,
                      stow_budget_plan *out) {
  stow_budget_divided d;
  *out = (stow_budget_plan){0};
  assert_problem(p);
  const bool done = stow_budget_divide(p, &d) && find_divided(&d.problem, options, out);
  out->cost *= d.unit;
  out->bound *= d.unit;
  stow_budget_divided_free(&d);
  return done;
}

void stow_budget_plan_free(stow_budget_plan *plan) {
  free(plan->steps);
  *plan = (stow_budget_plan){0};
}
