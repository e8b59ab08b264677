//===- plan.c - from a problem to a plan ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what the caller gives, hands it on to the planner of one arena or that of
// several spaces, and turns what comes back into the caller's terms. Nothing is
// written to the caller's arrays before all is known.
//
//===----------------------------------------------------------------------===//

#include "bonds.h"
#include "culprits.h"
#include "limits.h"
#include "spaces.h"

#include <assert.h>
#include <string.h>

static stow_context context_from(const stow_problem *problem, const stow_plan_options *options) {
  const bool unlimited = options->max_effort == STOW_UNLIMITED_EFFORT;
  uint64_t effort = options->max_effort;
  if (!effort || unlimited)
    effort = STOW_PLAN_EFFORT + STOW_PLAN_EFFORT_PER_BUFFER * problem->buffer_count;
  return (stow_context){.options = options, .max_effort = effort, .unlimited = unlimited};
}

struct planner {
  const stow_problem *problem;
  const stow_plan_options *options;
  stow_context context;
  stow_memory memory;
  uint64_t capacity; // of the one arena
  uint64_t *offsets;
  stow_plan_result result;
};

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

// Whether another attempt follows, with more effort. An attempt that ends before its effort would
// end there again.
static bool tries_again(struct planner *planner, bool answered) {
  stow_context *context = &planner->context;
  planner->result.exhausted =
      !answered && !context->stopped && stow_context_left(context) <= context->max_effort / 4;
  if (!planner->result.exhausted || !context->unlimited ||
      context->max_effort > UINT64_MAX / (2 * STOW_PLAN_ATTEMPT_GROWTH))
    return false;
  context->max_effort *= STOW_PLAN_ATTEMPT_GROWTH;
  return true;
}

//===----------------------------------------------------------------------===//
// One arena
//===----------------------------------------------------------------------===//

// The caller's limit and the one space's, whichever is tighter.
static uint64_t capacity_of(const stow_problem *problem, const stow_plan_options *options) {
  const uint64_t own = problem->space_count ? problem->spaces->capacity : 0;
  if (!own || !options->capacity)
    return own ? own : options->capacity;
  return own < options->capacity ? own : options->capacity;
}

static stow_outcome judge(const stow_solution *solution, uint64_t capacity) {
  if (!solution->possible || (capacity && solution->lower_bound > capacity))
    return STOW_INFEASIBLE;
  if (solution->strategy == STOW_AUTO || (capacity && solution->arena_size > capacity))
    return STOW_UNKNOWN;
  return solution->arena_size == solution->lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
}

static bool is_answer(stow_outcome outcome, uint64_t capacity) {
  return outcome == STOW_OPTIMAL || outcome == STOW_INFEASIBLE ||
         (outcome == STOW_FEASIBLE && capacity);
}

static bool is_planned(const stow_plan_result *result) {
  return result->outcome == STOW_FEASIBLE || result->outcome == STOW_OPTIMAL;
}

static stow_status report_arena(struct planner *planner, const stow_solution *solution) {
  stow_plan_result *result = &planner->result;
  const uint64_t cost = planner->problem->space_count ? planner->problem->spaces->cost : 1;
  result->outcome = judge(solution, planner->capacity);
  result->lower_bound = solution->lower_bound;
  if (result->outcome == STOW_UNKNOWN && solution->strategy != STOW_AUTO)
    result->smallest = solution->arena_size;
  if (!is_planned(result))
    return STOW_OK;
  result->arena_size = solution->arena_size;
  result->strategy = solution->strategy;
  return __builtin_mul_overflow(cost, result->arena_size, &result->cost) ? STOW_OVERFLOW : STOW_OK;
}

static stow_status find_culprits(struct planner *planner) {
  bool irreducible;
  if (!planner->options->out_culprits || planner->result.outcome != STOW_INFEASIBLE)
    return STOW_OK;
  const stow_status status =
      stow_plan_find_culprits(planner->problem, planner->capacity, &planner->context,
                              planner->options->out_culprits, &irreducible);
  planner->result.culprits_irreducible = irreducible;
  return status;
}

// Plans and bounds that earlier attempts found stay.
static void keep_better(struct planner *planner, const stow_solution *solution,
                        const uint64_t *offsets, stow_solution *inout_best) {
  const uint64_t bound = inout_best->lower_bound;
  if (solution->strategy != STOW_AUTO &&
      (inout_best->strategy == STOW_AUTO || solution->arena_size < inout_best->arena_size)) {
    memcpy(planner->offsets, offsets, planner->problem->buffer_count * sizeof *offsets);
    inout_best->arena_size = solution->arena_size;
    inout_best->strategy = solution->strategy;
  }
  inout_best->possible = solution->possible;
  inout_best->lower_bound = bound > solution->lower_bound ? bound : solution->lower_bound;
}

static stow_status solve_arena(struct planner *planner, stow_solution *out_best) {
  *out_best = (stow_solution){.possible = true};
  uint64_t *offsets = STOW_TAKE(&planner->memory, uint64_t, planner->problem->buffer_count);
  if (!offsets)
    return STOW_NO_MEMORY;
  stow_outcome outcome;
  do {
    stow_solution solution;
    const stow_status status = stow_plan_solve_with_bonds(planner->problem, NULL, planner->capacity,
                                                          &planner->context, offsets, &solution);
    if (status != STOW_OK)
      return status;
    keep_better(planner, &solution, offsets, out_best);
    outcome = judge(out_best, planner->capacity);
  } while (tries_again(planner, is_answer(outcome, planner->capacity)));
  stow_memory_drop(&planner->memory, offsets);
  return STOW_OK;
}

static stow_status plan_arena(struct planner *planner) {
  stow_solution solution;
  planner->capacity = capacity_of(planner->problem, planner->options);
  stow_status status = solve_arena(planner, &solution);
  if (status == STOW_OK)
    status = report_arena(planner, &solution);
  return status == STOW_OK ? find_culprits(planner) : status;
}

static void write_arena(const struct planner *planner) {
  const stow_plan_options *options = planner->options;
  if (options->out_spaces)
    memset(options->out_spaces, 0, planner->problem->buffer_count * sizeof *options->out_spaces);
  if (options->out_space_sizes)
    options->out_space_sizes[0] = planner->result.arena_size;
}

//===----------------------------------------------------------------------===//
// Several spaces
//===----------------------------------------------------------------------===//

static void report_spaces(struct planner *planner, const stow_space_plan *plan) {
  stow_plan_result *result = &planner->result;
  if (!plan->possible) {
    result->outcome = STOW_INFEASIBLE;
    return;
  }
  result->lower_bound = plan->cost_bound;
  if (plan->cost == UINT64_MAX)
    return;
  result->outcome = plan->cost == plan->cost_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
  result->strategy = plan->strategy;
  result->cost = plan->cost;
  for (size_t i = 0; i < planner->problem->space_count; ++i)
    result->arena_size += plan->sizes[i];
}

static void write_spaces(const struct planner *planner, const stow_space_plan *plan) {
  const stow_plan_options *options = planner->options;
  memcpy(options->out_spaces, plan->spaces,
         planner->problem->buffer_count * sizeof *options->out_spaces);
  if (options->out_space_sizes)
    memcpy(options->out_space_sizes, plan->sizes,
           planner->problem->space_count * sizeof *options->out_space_sizes);
}

static stow_status make_space_plan(struct planner *planner, stow_space_plan *out_plan) {
  const stow_problem *problem = planner->problem;
  *out_plan = (stow_space_plan){
      .offsets = STOW_TAKE_ZEROED(&planner->memory, uint64_t, problem->buffer_count),
      .spaces = STOW_TAKE(&planner->memory, uint32_t, problem->buffer_count),
      .sizes = STOW_TAKE_ZEROED(&planner->memory, uint64_t, problem->space_count),
      .cost = UINT64_MAX};
  return out_plan->offsets && out_plan->spaces && out_plan->sizes ? STOW_OK : STOW_NO_MEMORY;
}

static void keep_cheaper(stow_space_plan *plan, stow_space_plan *inout_best) {
  const uint64_t bound =
      plan->cost_bound > inout_best->cost_bound ? plan->cost_bound : inout_best->cost_bound;
  if (plan->cost < inout_best->cost) {
    const stow_space_plan swapped = *inout_best;
    *inout_best = *plan;
    *plan = swapped;
  }
  inout_best->cost_bound = bound;
}

static stow_status solve_spaces(struct planner *planner, stow_space_plan *out_best) {
  stow_space_plan plan;
  if (make_space_plan(planner, out_best) != STOW_OK || make_space_plan(planner, &plan) != STOW_OK)
    return STOW_NO_MEMORY;
  bool answered;
  do {
    const stow_status status =
        stow_plan_solve_spaces(planner->problem, NULL, false, &planner->context, &plan);
    if (status != STOW_OK)
      return status;
    out_best->possible = plan.possible;
    keep_cheaper(&plan, out_best);
    answered = !out_best->possible || out_best->cost <= out_best->cost_bound;
  } while (tries_again(planner, answered));
  planner->offsets = out_best->offsets;
  return STOW_OK;
}

static stow_status plan_spaces(struct planner *planner) {
  stow_space_plan plan;
  const stow_status status = solve_spaces(planner, &plan);
  if (status != STOW_OK)
    return status;
  report_spaces(planner, &plan);
  if (is_planned(&planner->result))
    write_spaces(planner, &plan);
  return find_culprits(planner);
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

static stow_status plan(struct planner *planner, uint64_t *out_offsets) {
  const stow_problem *problem = planner->problem;
  const bool several = problem->space_count > 1;
  planner->offsets = STOW_TAKE_ZEROED(&planner->memory, uint64_t, problem->buffer_count);
  if (!planner->offsets)
    return STOW_NO_MEMORY;
  const stow_status status = several ? plan_spaces(planner) : plan_arena(planner);
  planner->result.effort = planner->context.effort;
  planner->result.stopped = planner->context.stopped;
  if (status != STOW_OK || !is_planned(&planner->result))
    return status;
  if (!several)
    write_arena(planner);
  if (problem->buffer_count)
    memcpy(out_offsets, planner->offsets, problem->buffer_count * sizeof *out_offsets);
  return status;
}

#ifndef NDEBUG
// What the interface promises of a plan.
static bool keeps_promise(const struct planner *planner) {
  stow_problem problem = *planner->problem;
  problem.struct_size = sizeof problem; // the caller's may be larger
  const stow_plan_options *options = planner->options;
  const stow_plan_result *result = &planner->result;
  const bool several = problem.space_count > 1;
  stow_fault fault;
  if (!is_planned(result))
    return result->strategy == STOW_AUTO && result->arena_size == 0;
  const stow_status status =
      several ? stow_verify_spaces(&problem, planner->offsets, options->out_spaces, &fault)
              : stow_verify(&problem, planner->offsets, result->arena_size, &fault);
  const uint64_t size = several ? result->cost : result->arena_size;
  return (status == STOW_NO_MEMORY || (status == STOW_OK && fault.kind == STOW_FAULT_NONE)) &&
         result->strategy != STOW_AUTO && result->lower_bound <= size &&
         (result->outcome == STOW_OPTIMAL) == (result->lower_bound == size) &&
         (several || !planner->capacity || result->arena_size <= planner->capacity);
}
#endif

static bool has_outputs(const stow_problem *problem, const stow_plan_options *options,
                        const uint64_t *offsets) {
  return !problem->buffer_count || (offsets && (problem->space_count < 2 || options->out_spaces));
}

stow_status stow_plan(const stow_problem *problem, const stow_plan_options *options,
                      uint64_t *out_offsets, stow_plan_result *out_result) {
  if (!out_result)
    return STOW_INVALID;
  memset(out_result, 0, sizeof *out_result);
  stow_problem read_problem;
  stow_plan_options read_options;
  stow_status status = stow_plan_options_read(options, &read_options);
  if (status == STOW_OK)
    status = stow_plan_problem_read(problem, &read_problem, read_options.out_fault);
  if (status == STOW_OK && !has_outputs(&read_problem, &read_options, out_offsets))
    status = STOW_INVALID;
  if (status != STOW_OK)
    return status;
  struct planner planner = {.problem = &read_problem,
                            .options = &read_options,
                            .context = context_from(&read_problem, &read_options)};
  stow_memory_begin(&planner.memory, read_options.allocator);
  status = plan(&planner, out_offsets);
  assert(status != STOW_OK || keeps_promise(&planner));
  stow_memory_end(&planner.memory);
  if (status == STOW_OK)
    *out_result = planner.result;
  return status;
}
