//===- bonds.c - deciding which pairs that may colocate do ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once it is settled which pairs start together, the problem is one without a
// choice: those are bound, the others conflict. So a choice is a set of bonds,
// and every plan is a plan for the set of pairs that do start together in it.
// Bonds carry over, from a-b and b-c to a-c: where the same bytes of a and c live
// together and they are no such pair themselves, no plan has both bonds.
//
// Few pairs are tried in all combinations, and the least bound of all is a bound
// of the whole. Of many, none and as many as possible are tried, and then one
// more or less at a time, as far as the effort reaches.
//
//===----------------------------------------------------------------------===//

#include "bonds.h"
#include "bound.h"
#include "limits.h"
#include "sort.h"

struct chooser {
  const stow_problem *problem;
  const unsigned char *included;
  uint64_t capacity;
  stow_context *context;
  stow_memory *memory;
  size_t *choices; // relations that may bind, and whose buffers are included
  size_t choice_count;
  unsigned char *bonds;  // per relation, those tried now
  uint64_t *trial, *out; // offsets
  size_t tries_left;     // to share the effort between
  stow_solution *best;
  uint64_t least_bound; // of the sets tried
  bool all_settled;     // of every set tried it is known whether it is possible
  stow_sharing *sharing;
  uint32_t *group; // scratch: buffers that would start together
};

static bool is_included(const struct chooser *chooser, size_t buffer) {
  return !chooser->included || chooser->included[buffer];
}

static bool has_plan(const stow_solution *solution) { return solution->strategy != STOW_AUTO; }

//===----------------------------------------------------------------------===//
// Which sets are possible
//===----------------------------------------------------------------------===//

static bool may_group(struct chooser *chooser, uint32_t count) {
  uint64_t effort = 0;
  bool settled;
  const bool may = stow_plan_may_share(chooser->sharing, chooser->group, count, &effort, &settled);
  chooser->all_settled &= settled;
  stow_context_spend(chooser->context, effort);
  return may;
}

// Asks for every class the bonds make, one after the other.
static bool are_possible(struct chooser *chooser, const stow_sort_pair *by_class, uint32_t count) {
  for (uint32_t first = 0, past; first < count; first = past) {
    for (past = first; past < count && by_class[past].key == by_class[first].key; ++past)
      chooser->group[past - first] = by_class[past].index;
    if (past - first > 1 && !may_group(chooser, past - first))
      return false;
  }
  return true;
}

static stow_status check_bonds(struct chooser *chooser, bool *out_possible) {
  *out_possible = false;
  stow_memory memory;
  stow_memory_begin(&memory, &chooser->memory->allocator);
  const uint32_t count = (uint32_t)chooser->problem->buffer_count;
  stow_relations bound;
  stow_status status = stow_relations_read(chooser->problem, chooser->bonds, &memory, &bound);
  stow_sort_pair *pairs = STOW_TAKE(&memory, stow_sort_pair, count);
  stow_sort_pair *scratch = STOW_TAKE(&memory, stow_sort_pair, count);
  if (!pairs || !scratch)
    status = STOW_NO_MEMORY;
  uint32_t made = 0;
  for (uint32_t i = 0; i < count && status == STOW_OK; ++i)
    if (is_included(chooser, i))
      pairs[made++] = (stow_sort_pair){bound.class_of[i], i};
  if (status == STOW_OK) {
    stow_sort_pairs(pairs, scratch, made);
    *out_possible = are_possible(chooser, pairs, made);
    stow_context_spend(chooser->context, 8 * (uint64_t)count);
  }
  stow_memory_end(&memory);
  return status;
}

//===----------------------------------------------------------------------===//
// Trying a set
//===----------------------------------------------------------------------===//

static bool is_done(const struct chooser *chooser) {
  const stow_solution *best = chooser->best;
  return has_plan(best) && chooser->capacity && best->arena_size <= chooser->capacity;
}

static void note(struct chooser *chooser, const stow_solution *solution) {
  stow_solution *best = chooser->best;
  if (!solution->possible)
    return;
  if (solution->lower_bound < chooser->least_bound)
    chooser->least_bound = solution->lower_bound;
  if (!has_plan(solution) || (has_plan(best) && best->arena_size <= solution->arena_size))
    return;
  for (size_t i = 0; i < chooser->problem->buffer_count; ++i)
    if (is_included(chooser, i))
      chooser->out[i] = chooser->trial[i];
  best->arena_size = solution->arena_size;
  best->strategy = solution->strategy;
}

static stow_status try_bonds(struct chooser *chooser, bool *out_better) {
  bool possible;
  stow_status status = check_bonds(chooser, &possible);
  const uint64_t before = has_plan(chooser->best) ? chooser->best->arena_size : UINT64_MAX;
  *out_better = false;
  if (status != STOW_OK || !possible || is_done(chooser))
    return status;
  stow_context *context = chooser->context;
  const uint64_t whole_effort = context->max_effort;
  context->max_effort = context->effort + stow_context_left(context) /
                                              (chooser->tries_left ? chooser->tries_left : 1);
  const stow_selection selection = {chooser->included, chooser->bonds};
  stow_solution solution;
  status = stow_plan_solve(chooser->problem, &selection, chooser->capacity, context, chooser->trial,
                           &solution);
  context->max_effort = whole_effort;
  if (status == STOW_OK)
    note(chooser, &solution);
  *out_better = has_plan(chooser->best) && chooser->best->arena_size < before;
  return status;
}

static stow_status try_all(struct chooser *chooser) {
  stow_status status = STOW_OK;
  const unsigned sets = 1u << chooser->choice_count;
  bool better;
  for (unsigned set = sets; set-- > 0 && status == STOW_OK;) {
    for (size_t i = 0; i < chooser->choice_count; ++i)
      chooser->bonds[chooser->choices[i]] = set >> i & 1;
    chooser->tries_left = set + 1;
    status = try_bonds(chooser, &better);
  }
  return status;
}

// Classes as they grow: per buffer the lowest of its class, and the next one in a ring.
struct growth {
  uint32_t *lowest, *next;
};

static uint32_t list_ring(struct chooser *chooser, const struct growth *growth, uint32_t from,
                          uint32_t count) {
  uint32_t at = from;
  do {
    if (is_included(chooser, at))
      chooser->group[count++] = at;
    at = growth->next[at];
  } while (at != from);
  return count;
}

static void join_rings(struct growth *growth, uint32_t a, uint32_t b) {
  const uint32_t into = growth->lowest[a], from = growth->lowest[b];
  uint32_t at = b;
  do {
    growth->lowest[at] = into;
    at = growth->next[at];
  } while (at != b);
  at = growth->next[into];
  growth->next[into] = growth->next[from];
  growth->next[from] = at;
}

static stow_status start_growth(struct chooser *chooser, stow_memory *memory,
                                struct growth *growth) {
  const uint32_t count = (uint32_t)chooser->problem->buffer_count;
  stow_relations unbound;
  growth->lowest = STOW_TAKE(memory, uint32_t, count);
  growth->next = STOW_TAKE(memory, uint32_t, count);
  if (!growth->lowest || !growth->next ||
      stow_relations_read(chooser->problem, NULL, memory, &unbound) != STOW_OK)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t lowest = unbound.class_of[i];
    growth->lowest[i] = lowest;
    growth->next[i] = lowest == i ? i : growth->next[lowest];
    growth->next[lowest] = i;
  }
  return STOW_OK;
}

// Binds as many pairs as can be, in the order given, for a part of the effort.
static stow_status bind_greedily(struct chooser *chooser) {
  stow_memory memory;
  stow_memory_begin(&memory, &chooser->memory->allocator);
  struct growth growth;
  const stow_status status = start_growth(chooser, &memory, &growth);
  const uint64_t enough = chooser->context->effort + stow_context_left(chooser->context) / 4;
  for (size_t i = 0; status == STOW_OK && i < chooser->choice_count; ++i) {
    const stow_relation *relation = &chooser->problem->relations[chooser->choices[i]];
    const uint32_t a = (uint32_t)relation->first, b = (uint32_t)relation->second;
    bool possible = growth.lowest[a] == growth.lowest[b];
    if (chooser->context->effort > enough || chooser->context->stopped)
      break;
    if (!possible) {
      const uint32_t count = list_ring(chooser, &growth, a, 0);
      possible = may_group(chooser, list_ring(chooser, &growth, b, count));
      if (possible)
        join_rings(&growth, a, b);
    }
    chooser->bonds[chooser->choices[i]] = possible;
  }
  stow_memory_end(&memory);
  return status;
}

static stow_status try_some(struct chooser *chooser) {
  bool better;
  chooser->tries_left = 8;
  stow_status status = try_bonds(chooser, &better);
  if (status == STOW_OK)
    status = bind_greedily(chooser);
  if (status == STOW_OK)
    status = try_bonds(chooser, &better);
  for (size_t i = 0; i < chooser->choice_count && status == STOW_OK; ++i) {
    if (!stow_context_may_work(chooser->context) || is_done(chooser))
      break;
    unsigned char *bond = &chooser->bonds[chooser->choices[i]];
    *bond ^= 1;
    chooser->tries_left = chooser->choice_count - i;
    status = try_bonds(chooser, &better);
    *bond ^= !better;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static stow_status list_choices(struct chooser *chooser) {
  const stow_problem *problem = chooser->problem;
  chooser->choices = STOW_TAKE(chooser->memory, size_t, problem->relation_count);
  chooser->bonds = STOW_TAKE_ZEROED(chooser->memory, unsigned char, problem->relation_count);
  chooser->trial = STOW_TAKE(chooser->memory, uint64_t, problem->buffer_count);
  chooser->group = STOW_TAKE(chooser->memory, uint32_t, problem->buffer_count);
  chooser->sharing = stow_sharing_create(problem, chooser->memory);
  if (!chooser->choices || !chooser->bonds || !chooser->trial || !chooser->group ||
      !chooser->sharing)
    return STOW_NO_MEMORY;
  for (size_t i = 0; i < problem->relation_count; ++i)
    if (problem->relations[i].kind == STOW_MAY_COLOCATE &&
        is_included(chooser, problem->relations[i].first) &&
        is_included(chooser, problem->relations[i].second))
      chooser->choices[chooser->choice_count++] = i;
  return STOW_OK;
}

static stow_status bound_undecided(struct chooser *chooser, uint64_t *out_bound) {
  const stow_selection undecided = {chooser->included, NULL};
  stow_memory memory;
  stow_memory_begin(&memory, &chooser->memory->allocator);
  stow_model model;
  stow_status status = stow_plan_model_build(chooser->problem, &undecided, &memory, &model);
  if (status == STOW_OK)
    status = stow_plan_model_bound(&model, &memory, out_bound, NULL);
  stow_memory_end(&memory);
  return status;
}

static stow_status choose(struct chooser *chooser) {
  stow_solution *best = chooser->best;
  *best = (stow_solution){.possible = true};
  stow_status status = list_choices(chooser);
  if (status == STOW_OK)
    status = bound_undecided(chooser, &best->lower_bound);
  const bool few = chooser->choice_count <= STOW_BONDS_FEW;
  if (status == STOW_OK)
    status = few ? try_all(chooser) : try_some(chooser);
  const bool all = few && chooser->all_settled;
  if (all && !is_done(chooser) && chooser->least_bound > best->lower_bound)
    best->lower_bound = chooser->least_bound;
  if (all && chooser->least_bound == UINT64_MAX) {
    best->possible = false;
    best->lower_bound = 0;
  }
  return status;
}

stow_status stow_plan_solve_with_bonds(const stow_problem *problem, const unsigned char *included,
                                       uint64_t capacity, stow_context *context,
                                       uint64_t *out_offsets, stow_solution *out_solution) {
  if (!stow_plan_count_optional(problem)) {
    const stow_selection selection = {included, NULL};
    return stow_plan_solve(problem, &selection, capacity, context, out_offsets, out_solution);
  }
  stow_memory memory;
  stow_memory_begin(&memory, context->options->allocator);
  struct chooser chooser = {.problem = problem,
                            .included = included,
                            .capacity = capacity,
                            .context = context,
                            .memory = &memory,
                            .out = out_offsets,
                            .best = out_solution,
                            .least_bound = UINT64_MAX,
                            .all_settled = true};
  const stow_status status = choose(&chooser);
  stow_memory_end(&memory);
  return status;
}
