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
// Bonds carry over, from a-b and b-c to a-c: where a and c live together and are
// no such pair themselves, no plan has both bonds.
//
// Few pairs are tried in all combinations, and the least bound of all is a bound
// of the whole. Of many, none and as many as possible are tried, and then one
// more or less at a time, as far as the effort reaches.
//
//===----------------------------------------------------------------------===//

#include "bonds.h"
#include "bound.h"

enum { FEW_BONDS = 10 };

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
};

static bool is_included(const struct chooser *chooser, size_t buffer) {
  return !chooser->included || chooser->included[buffer];
}

static bool has_plan(const stow_solution *solution) { return solution->strategy != STOW_AUTO; }

//===----------------------------------------------------------------------===//
// Which sets are possible
//===----------------------------------------------------------------------===//

static bool meet(const stow_piece *a, const stow_piece *b) {
  return a->begin < b->end && b->begin < a->end;
}

static stow_piece piece_at(const stow_problem *problem, size_t buffer, size_t index) {
  const stow_buffer *b = &problem->buffers[buffer];
  if (!stow_problem_piece_count(problem, buffer))
    return (stow_piece){b->begin, b->end, 0, 0};
  return problem->pieces[problem->piece_starts[buffer] + index];
}

static bool live_together(const stow_problem *problem, size_t a, size_t b) {
  const size_t count_a = stow_problem_piece_count(problem, a);
  const size_t count_b = stow_problem_piece_count(problem, b);
  if (!problem->buffers[a].size || !problem->buffers[b].size)
    return false;
  for (size_t i = 0; i < (count_a ? count_a : 1); ++i)
    for (size_t k = 0; k < (count_b ? count_b : 1); ++k) {
      const stow_piece x = piece_at(problem, a, i), y = piece_at(problem, b, k);
      if (meet(&x, &y))
        return true;
    }
  return false;
}

static bool may_colocate(const stow_problem *problem, size_t a, size_t b) {
  for (size_t i = 0; i < problem->relation_count; ++i) {
    const stow_relation *relation = &problem->relations[i];
    if (relation->kind == STOW_MAY_COLOCATE && ((relation->first == a && relation->second == b) ||
                                                (relation->first == b && relation->second == a)))
      return true;
  }
  return false;
}

// Whether two buffers that the bonds put at one offset may be there.
static bool may_share(const stow_problem *problem, const stow_relations *bound,
                      const stow_relations *unbound, uint32_t a, uint32_t b) {
  return unbound->class_of[a] == unbound->class_of[b] || stow_are_exclusive(bound, a, b) ||
         !live_together(problem, a, b) || may_colocate(problem, a, b);
}

// Looks at every pair of buffers of a class that the bonds have joined from several.
static stow_status check_bonds(struct chooser *chooser, bool *out_possible) {
  stow_memory memory;
  stow_memory_begin(&memory, &chooser->memory->allocator);
  stow_relations bound, unbound;
  stow_status status = stow_relations_read(chooser->problem, chooser->bonds, &memory, &bound);
  if (status == STOW_OK)
    status = stow_relations_read(chooser->problem, NULL, &memory, &unbound);
  *out_possible = true;
  const uint32_t count = (uint32_t)chooser->problem->buffer_count;
  uint32_t *previous = STOW_TAKE(&memory, uint32_t, count);
  uint32_t *last = STOW_TAKE(&memory, uint32_t, count);
  if (status != STOW_OK || !previous || !last) {
    stow_memory_end(&memory);
    return STOW_NO_MEMORY;
  }
  for (uint32_t i = 0; i < count; ++i)
    last[i] = UINT32_MAX;
  for (uint32_t i = 0; i < count && *out_possible; ++i) {
    const uint32_t class = bound.class_of[i];
    previous[i] = last[class];
    last[class] = i;
    for (uint32_t k = previous[i]; k != UINT32_MAX && *out_possible; k = previous[k])
      *out_possible = !is_included(chooser, i) || !is_included(chooser, k) ||
                      may_share(chooser->problem, &bound, &unbound, i, k);
  }
  stow_memory_end(&memory);
  return STOW_OK;
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
  status = stow_solve(chooser->problem, &selection, chooser->capacity, context, chooser->trial,
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

// Binds as many pairs as can be, in the order given.
static stow_status bind_greedily(struct chooser *chooser) {
  stow_status status = STOW_OK;
  for (size_t i = 0; i < chooser->choice_count && status == STOW_OK; ++i) {
    bool possible;
    chooser->bonds[chooser->choices[i]] = 1;
    status = check_bonds(chooser, &possible);
    chooser->bonds[chooser->choices[i]] = possible;
  }
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
  if (!chooser->choices || !chooser->bonds || !chooser->trial)
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
  stow_status status = stow_model_build(chooser->problem, &undecided, &memory, &model);
  if (status == STOW_OK)
    status = stow_model_bound(&model, &memory, out_bound, NULL);
  stow_memory_end(&memory);
  return status;
}

static stow_status choose(struct chooser *chooser) {
  stow_solution *best = chooser->best;
  *best = (stow_solution){.possible = true};
  stow_status status = list_choices(chooser);
  if (status == STOW_OK)
    status = bound_undecided(chooser, &best->lower_bound);
  const bool few = chooser->choice_count <= FEW_BONDS;
  if (status == STOW_OK)
    status = few ? try_all(chooser) : try_some(chooser);
  if (few && !is_done(chooser) && chooser->least_bound > best->lower_bound)
    best->lower_bound = chooser->least_bound;
  if (few && chooser->least_bound == UINT64_MAX) {
    best->possible = false;
    best->lower_bound = 0;
  }
  return status;
}

stow_status stow_solve_with_bonds(const stow_problem *problem, const unsigned char *included,
                                  uint64_t capacity, stow_context *context, uint64_t *out_offsets,
                                  stow_solution *out_solution) {
  if (!stow_count_optional(problem)) {
    const stow_selection selection = {included, NULL};
    return stow_solve(problem, &selection, capacity, context, out_offsets, out_solution);
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
                            .least_bound = UINT64_MAX};
  const stow_status status = choose(&chooser);
  stow_memory_end(&memory);
  return status;
}
