//===- spaces.c - planning several memories -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once it is settled which buffer goes where, every space is a problem of its
// own. So an *assignment* gives each group of buffers that must start together a
// space, and the search is for the assignment whose arenas cost least.
//
// The first assignment is made by overflow: cheapest space first, each takes the
// largest groups that still fit its capacity by first fit, the rest goes on to
// the next. Where there are few assignments all of them are tried, those left out
// whose bounds alone cost too much; and where each of them is solved or left out,
// the cheapest is proven so.
//
//===----------------------------------------------------------------------===//

#include "spaces.h"
#include "bonds.h"
#include "bound.h"
#include "occupancy.h"
#include "order.h"

#include <string.h>

// Assignments tried at most.
static const uint64_t few_assignments = 70000;

struct spacer {
  const stow_problem *problem;
  stow_context *context;
  stow_memory *memory;
  uint32_t *group_of; // per buffer
  uint64_t *allowed;  // per group, spaces it may go to
  uint32_t *assigned; // per group
  uint32_t group_count;
  unsigned char *included; // per buffer, for one space at a time
  stow_space_plan trial;
  stow_space_plan *best;
  uint64_t tries_left;
  uint64_t least_bound; // of the assignments tried
};

static uint64_t all_spaces(const stow_problem *problem) {
  return problem->space_count < 64 ? (UINT64_C(1) << problem->space_count) - 1 : UINT64_MAX;
}

static bool add_cost(const stow_space *space, uint64_t size, uint64_t *inout_cost) {
  uint64_t cost;
  return !__builtin_mul_overflow(space->cost, size, &cost) &&
         !__builtin_add_overflow(*inout_cost, cost, inout_cost);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static stow_status make_groups(struct spacer *spacer) {
  const stow_problem *problem = spacer->problem;
  stow_relations relations;
  if (stow_relations_read(problem, NULL, spacer->memory, &relations) != STOW_OK)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < problem->buffer_count; ++i) {
    const uint32_t lowest = relations.class_of ? relations.class_of[i] : i;
    const uint64_t allowed = problem->allowed_spaces ? problem->allowed_spaces[i] : UINT64_MAX;
    if (lowest == i)
      spacer->allowed[spacer->group_count++] = all_spaces(problem);
    spacer->group_of[i] = lowest == i ? spacer->group_count - 1 : spacer->group_of[lowest];
    spacer->allowed[spacer->group_of[i]] &= allowed;
  }
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    spacer->best->possible &= spacer->allowed[i] != 0;
  return STOW_OK;
}

static uint64_t count_assignments(const struct spacer *spacer) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < spacer->group_count && count <= few_assignments; ++i)
    count *= (uint64_t)__builtin_popcountll(spacer->allowed[i]);
  return count;
}

//===----------------------------------------------------------------------===//
// One assignment
//===----------------------------------------------------------------------===//

static uint32_t include_space(struct spacer *spacer, uint32_t space) {
  uint32_t count = 0;
  for (size_t i = 0; i < spacer->problem->buffer_count; ++i)
    count += spacer->included[i] = spacer->assigned[spacer->group_of[i]] == space;
  return count;
}

// What the assignment costs at least, or UINT64_MAX where it cannot be.
static stow_status bound_assignment(struct spacer *spacer, uint64_t *out_cost) {
  stow_status status = STOW_OK;
  *out_cost = 0;
  for (uint32_t s = 0; s < spacer->problem->space_count && status == STOW_OK; ++s) {
    if (!include_space(spacer, s))
      continue;
    stow_memory memory;
    stow_memory_begin(&memory, &spacer->memory->allocator);
    const stow_selection selection = {spacer->included, NULL};
    stow_model model;
    uint64_t bound = 0;
    status = stow_model_build(spacer->problem, &selection, &memory, &model);
    if (status == STOW_OK)
      status = stow_model_bound(&model, &memory, &bound, NULL);
    stow_memory_end(&memory);
    const stow_space *space = &spacer->problem->spaces[s];
    if (status == STOW_OVERFLOW || (space->capacity && bound > space->capacity) ||
        !add_cost(space, bound, out_cost)) {
      *out_cost = UINT64_MAX;
      return status == STOW_OVERFLOW ? STOW_OK : status;
    }
  }
  return status;
}

static stow_status solve_space(struct spacer *spacer, uint32_t s, uint64_t *inout_bound,
                               bool *out_fits) {
  const stow_space *space = &spacer->problem->spaces[s];
  stow_solution solution = {.possible = true};
  spacer->trial.sizes[s] = 0;
  if (!include_space(spacer, s))
    return STOW_OK;
  const stow_status status = stow_solve_with_bonds(
      spacer->problem, spacer->included, 0, spacer->context, spacer->trial.offsets, &solution);
  if (status != STOW_OK && status != STOW_OVERFLOW)
    return status;
  const bool too_large = space->capacity && solution.lower_bound > space->capacity;
  if (!solution.possible || too_large || !add_cost(space, solution.lower_bound, inout_bound))
    *inout_bound = UINT64_MAX;
  *out_fits &= status == STOW_OK && solution.strategy != STOW_AUTO &&
               (!space->capacity || solution.arena_size <= space->capacity) &&
               add_cost(space, solution.arena_size, &spacer->trial.cost);
  spacer->trial.sizes[s] = solution.arena_size;
  if (solution.strategy != STOW_AUTO)
    spacer->trial.strategy = solution.strategy;
  return STOW_OK;
}

static void keep_trial(struct spacer *spacer) {
  const stow_problem *problem = spacer->problem;
  stow_space_plan *best = spacer->best;
  memcpy(best->offsets, spacer->trial.offsets, problem->buffer_count * sizeof *best->offsets);
  memcpy(best->sizes, spacer->trial.sizes, problem->space_count * sizeof *best->sizes);
  for (size_t i = 0; i < problem->buffer_count; ++i)
    best->spaces[i] = spacer->assigned[spacer->group_of[i]];
  best->cost = spacer->context->arena_size = spacer->trial.cost;
  best->strategy = spacer->trial.strategy;
}

static stow_status try_assignment(struct spacer *spacer) {
  uint64_t bound;
  stow_status status = bound_assignment(spacer, &bound);
  spacer->tries_left -= spacer->tries_left > 1;
  if (status != STOW_OK)
    return status;
  if (bound != UINT64_MAX && bound < spacer->best->cost) {
    stow_context *context = spacer->context;
    const uint64_t whole_effort = context->max_effort;
    context->max_effort = context->effort + stow_context_left(context) / spacer->tries_left;
    bool fits = true;
    bound = 0;
    spacer->trial.cost = 0;
    for (uint32_t s = 0; s < spacer->problem->space_count && status == STOW_OK; ++s)
      if (bound != UINT64_MAX)
        status = solve_space(spacer, s, &bound, &fits);
    context->max_effort = whole_effort;
    if (status == STOW_OK && fits && bound != UINT64_MAX && spacer->trial.cost < spacer->best->cost)
      keep_trial(spacer);
  }
  if (bound < spacer->least_bound)
    spacer->least_bound = bound;
  return status;
}

//===----------------------------------------------------------------------===//
// By overflow
//===----------------------------------------------------------------------===//

// The spaces, cheapest first; of equals the earlier one.
static void order_spaces(const stow_problem *problem, uint32_t *spaces) {
  for (uint32_t i = 0; i < problem->space_count; ++i) {
    uint32_t at = i;
    for (; at > 0 && problem->spaces[spaces[at - 1]].cost > problem->spaces[i].cost; --at)
      spaces[at] = spaces[at - 1];
    spaces[at] = i;
  }
}

static bool may_enter(const struct spacer *spacer, uint32_t group, uint32_t space) {
  return (spacer->allowed[group] >> space & 1) != 0;
}

static stow_status place_in_space(struct spacer *spacer, const stow_model *model,
                                  const uint32_t *order, const uint32_t *group_of_block,
                                  uint32_t space, stow_memory *memory) {
  const uint64_t capacity = spacer->problem->spaces[space].capacity;
  stow_occupancy *occupancy = stow_occupancy_create(model, memory);
  stow_status status = occupancy ? STOW_OK : STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count && status == STOW_OK; ++i) {
    const stow_block *block = &model->blocks[order[i]];
    const bool is_fixed = block->fixed != STOW_ANY_OFFSET;
    stow_place place;
    status = stow_occupancy_find(occupancy, block, is_fixed ? block->fixed : 0, &place);
    const bool fits = status == STOW_OK && (!is_fixed || place.offset == block->fixed) &&
                      (!capacity || place.offset + block->size <= capacity);
    status = status == STOW_OVERFLOW ? STOW_OK : status;
    if (!fits)
      continue;
    spacer->assigned[group_of_block[order[i]]] = space;
    status = stow_occupancy_add(occupancy, block, place.offset);
  }
  return status;
}

static stow_status fill_space(struct spacer *spacer, uint32_t space) {
  const stow_problem *problem = spacer->problem;
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    const uint32_t group = spacer->group_of[i];
    spacer->included[i] = spacer->assigned[group] == UINT32_MAX && may_enter(spacer, group, space);
  }
  stow_memory memory;
  stow_memory_begin(&memory, &spacer->memory->allocator);
  const stow_selection selection = {spacer->included, NULL};
  const stow_order largest = {{STOW_MOST_AREA, STOW_LARGEST}};
  stow_model model;
  stow_status status = stow_model_build(problem, &selection, &memory, &model);
  uint32_t *order = STOW_TAKE(&memory, uint32_t, problem->buffer_count);
  uint32_t *group_of_block = STOW_TAKE(&memory, uint32_t, problem->buffer_count);
  if (status == STOW_OK && (!order || !group_of_block))
    status = STOW_NO_MEMORY;
  for (uint32_t i = 0; status == STOW_OK && i < problem->buffer_count; ++i) {
    if (i < model.block_count)
      order[i] = i;
    if (spacer->included[i] && model.block_of[i] != STOW_NO_BLOCK)
      group_of_block[model.block_of[i]] = spacer->group_of[i];
    else if (spacer->included[i])
      spacer->assigned[spacer->group_of[i]] = space;
  }
  if (status == STOW_OK)
    status = stow_order_blocks(&model, &largest, &memory, order, model.block_count);
  if (status == STOW_OK)
    status = place_in_space(spacer, &model, order, group_of_block, space, &memory);
  stow_memory_end(&memory);
  return status;
}

static stow_status assign_by_overflow(struct spacer *spacer, bool *out_complete) {
  uint32_t spaces[STOW_MAX_SPACES];
  order_spaces(spacer->problem, spaces);
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    spacer->assigned[i] = UINT32_MAX;
  stow_status status = STOW_OK;
  for (uint32_t i = 0; i < spacer->problem->space_count && status == STOW_OK; ++i)
    status = fill_space(spacer, spaces[i]);
  *out_complete = true;
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    *out_complete &= spacer->assigned[i] != UINT32_MAX;
  return status;
}

//===----------------------------------------------------------------------===//
// All assignments
//===----------------------------------------------------------------------===//

static uint32_t next_allowed(const struct spacer *spacer, uint32_t group, uint32_t from) {
  while (from < spacer->problem->space_count && !may_enter(spacer, group, from))
    ++from;
  return from;
}

// Counts on like an odometer. Returns false after the last assignment.
static bool next_assignment(struct spacer *spacer) {
  for (uint32_t i = 0; i < spacer->group_count; ++i) {
    spacer->assigned[i] = next_allowed(spacer, i, spacer->assigned[i] + 1);
    if (spacer->assigned[i] < spacer->problem->space_count)
      return true;
    spacer->assigned[i] = next_allowed(spacer, i, 0);
  }
  return false;
}

static stow_status try_all(struct spacer *spacer, uint64_t count, bool *out_complete) {
  stow_status status = STOW_OK;
  spacer->tries_left = count + 1;
  spacer->least_bound = UINT64_MAX;
  for (uint32_t i = 0; i < spacer->group_count; ++i)
    spacer->assigned[i] = next_allowed(spacer, i, 0);
  bool more = true;
  while (more && status == STOW_OK && !spacer->context->stopped) {
    status = try_assignment(spacer);
    more = next_assignment(spacer);
  }
  *out_complete = !more;
  return status;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static stow_status prepare(struct spacer *spacer) {
  const size_t count = spacer->problem->buffer_count;
  spacer->group_of = STOW_TAKE(spacer->memory, uint32_t, count);
  spacer->allowed = STOW_TAKE(spacer->memory, uint64_t, count);
  spacer->assigned = STOW_TAKE(spacer->memory, uint32_t, count);
  spacer->included = STOW_TAKE(spacer->memory, unsigned char, count);
  spacer->trial.offsets = STOW_TAKE(spacer->memory, uint64_t, count);
  spacer->trial.sizes = STOW_TAKE(spacer->memory, uint64_t, spacer->problem->space_count);
  if (!spacer->group_of || !spacer->allowed || !spacer->assigned || !spacer->included ||
      !spacer->trial.offsets || !spacer->trial.sizes)
    return STOW_NO_MEMORY;
  return make_groups(spacer);
}

static stow_status solve(struct spacer *spacer) {
  stow_status status = prepare(spacer);
  if (status != STOW_OK || !spacer->best->possible)
    return status;
  const uint64_t count = count_assignments(spacer);
  const bool few = count <= few_assignments;
  bool complete;
  spacer->tries_left = few ? count + 1 : 1;
  status = assign_by_overflow(spacer, &complete);
  if (status == STOW_OK && complete)
    status = try_assignment(spacer);
  if (status != STOW_OK || !few)
    return status;
  status = try_all(spacer, count, &complete);
  if (!complete)
    return status;
  spacer->best->cost_bound =
      spacer->least_bound < spacer->best->cost ? spacer->least_bound : spacer->best->cost;
  spacer->best->possible = spacer->best->cost_bound != UINT64_MAX;
  return status;
}

stow_status stow_solve_spaces(const stow_problem *problem, stow_context *context,
                              stow_space_plan *inout_plan) {
  stow_memory memory;
  stow_memory_begin(&memory, context->options->allocator);
  inout_plan->cost = UINT64_MAX;
  inout_plan->cost_bound = 0;
  inout_plan->possible = true;
  struct spacer spacer = {.problem = problem,
                          .context = context,
                          .memory = &memory,
                          .best = inout_plan,
                          .least_bound = UINT64_MAX};
  const stow_status status = solve(&spacer);
  stow_memory_end(&memory);
  return status;
}
