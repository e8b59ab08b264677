//===- solve.c - planning one arena ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The road: build the model, bound it, run one heuristic or several, improve the
// best plan, search exactly. It ends as soon as the plan is as small as the bound
// or fits the capacity. Plans are kept as offsets of blocks and become offsets of
// buffers at the end.
//
//===----------------------------------------------------------------------===//

#include "solve.h"
#include "bound.h"
#include "climb.h"
#include "exact.h"
#include "fit.h"
#include "gaps.h"
#include "limits.h"
#include "order.h"

#include <assert.h>

struct recipe {
  stow_fit fit;
  stow_block_order order;
};

#define BIG_FIRST STOW_LARGEST, STOW_EARLIEST_BEGIN

static const struct recipe recipes[STOW_STRATEGY_COUNT] = {
    [STOW_FIRST_FIT_SIZE] = {STOW_FIT_FIRST, {{BIG_FIRST}}},
    [STOW_FIRST_FIT_AREA] = {STOW_FIT_FIRST, {{STOW_MOST_AREA, BIG_FIRST}}},
    [STOW_FIRST_FIT_DURATION] = {STOW_FIT_FIRST, {{STOW_LONGEST, BIG_FIRST}}},
    [STOW_FIRST_FIT_START] = {STOW_FIT_FIRST, {{STOW_EARLIEST_BEGIN, STOW_LARGEST}}},
    [STOW_BEST_FIT_SIZE] = {STOW_FIT_BEST, {{BIG_FIRST}}},
    [STOW_BEST_FIT_AREA] = {STOW_FIT_BEST, {{STOW_MOST_AREA, BIG_FIRST}}},
    [STOW_BEST_FIT_DURATION] = {STOW_FIT_BEST, {{STOW_LONGEST, BIG_FIRST}}},
    [STOW_BEST_FIT_START] = {STOW_FIT_BEST, {{STOW_EARLIEST_BEGIN, STOW_LARGEST}}},
    [STOW_LAYERED] = {STOW_FIT_FIRST, {{STOW_HIGHEST_CLASS, STOW_EARLIEST_BEGIN, STOW_LARGEST}}},
};

// What `auto` tries, by the number of blocks. With the default effort a search finds what the last
// two of `few` find; with little, where the effort is shared between spaces, nothing else does.
static const stow_strategy few[] = {STOW_FIRST_FIT_SIZE, STOW_BEST_FIT_START, STOW_FIRST_FIT_AREA,
                                    STOW_FIRST_FIT_DURATION};
static const stow_strategy many[] = {STOW_BEST_FIT_START, STOW_LAYERED};

struct solver {
  stow_context *context;
  stow_memory *memory;
  uint64_t capacity;
  stow_model model;
  uint64_t *trial, *best; // offsets per block
  bool overflowed;        // a strategy met an offset that does not fit
  uint64_t fit_effort;    // the most that one heuristic has taken
  stow_solution *solution;
};

static bool has_plan(const struct solver *solver) {
  return solver->solution->strategy != STOW_AUTO;
}

static bool is_done(const struct solver *solver) {
  const stow_solution *solution = solver->solution;
  if (!solution->possible || (solver->capacity && solution->lower_bound > solver->capacity))
    return true;
  if (!has_plan(solver))
    return false;
  return solution->arena_size <= solution->lower_bound || solution->arena_size <= solver->capacity;
}

//===----------------------------------------------------------------------===//
// Heuristics
//===----------------------------------------------------------------------===//

static void keep_if_better(struct solver *solver, stow_strategy strategy) {
  const uint64_t arena_size = stow_plan_model_arena(&solver->model, solver->trial);
  stow_solution *solution = solver->solution;
  assert(arena_size >= solution->lower_bound);
  if (has_plan(solver) && arena_size >= solution->arena_size)
    return;
  uint64_t *const kept = solver->best;
  solver->best = solver->trial;
  solver->trial = kept;
  solution->arena_size = solver->context->arena_size = arena_size;
  solution->strategy = strategy;
}

static bool can_scan(const stow_model *model) { return model->simple && !model->has_fixed; }

// The first plan must come to an end, the others may be stopped.
static stow_status place_blocks(struct solver *solver, stow_strategy strategy, stow_memory *memory,
                                stow_fitting *out_fitting, uint64_t *out_effort) {
  const struct recipe *recipe = &recipes[strategy];
  const stow_model *model = &solver->model;
  stow_context *context = has_plan(solver) ? solver->context : NULL;
  uint32_t *order = STOW_TAKE(memory, uint32_t, model->block_count);
  if (!order)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < model->block_count; ++i)
    order[i] = i;
  const stow_status status =
      stow_plan_order_blocks(model, &recipe->order, memory, order, model->block_count);
  if (status != STOW_OK)
    return status;
  if (strategy == STOW_BEST_FIT_START && can_scan(model))
    return stow_plan_scan_blocks(model, order, model->block_count, memory, solver->trial);
  if (strategy == STOW_LAYERED && can_scan(model))
    return stow_plan_fit_layers(model, order, context, memory, solver->trial, out_fitting,
                                out_effort);
  return stow_plan_fit_blocks(model, recipe->fit, order, model->block_count, context, memory,
                              solver->trial, out_fitting, out_effort);
}

static stow_status run_heuristic(struct solver *solver, stow_strategy strategy) {
  stow_memory memory;
  stow_memory_begin(&memory, &solver->memory->allocator);
  uint64_t effort = 0;
  stow_fitting fitting = STOW_FITTED;
  const stow_status status = place_blocks(solver, strategy, &memory, &fitting, &effort);
  stow_memory_end(&memory);
  stow_context_spend(solver->context, effort);
  solver->fit_effort = effort > solver->fit_effort ? effort : solver->fit_effort;
  if (status == STOW_OVERFLOW)
    solver->overflowed = true;
  else if (status == STOW_OK && fitting == STOW_FITTED)
    keep_if_better(solver, strategy);
  solver->solution->possible &= fitting != STOW_FIT_IMPOSSIBLE;
  return status == STOW_NO_MEMORY ? status : STOW_OK;
}

static stow_status run_heuristics(struct solver *solver, const stow_strategy *strategies,
                                  size_t count) {
  stow_status status = STOW_OK;
  for (size_t i = 0; i < count && status == STOW_OK && !is_done(solver); ++i)
    if (!has_plan(solver) || !solver->context->stopped)
      status = run_heuristic(solver, strategies[i]);
  return status;
}

static stow_status run_auto_heuristics(struct solver *solver) {
  const size_t count = sizeof few / sizeof *few;
  if (solver->model.block_count <= STOW_SOLVE_FEW_BLOCKS)
    return run_heuristics(solver, few, count);
  if (solver->model.block_count < STOW_SOLVE_MANY_BLOCKS)
    return run_heuristics(solver, few, count - 1);
  return can_scan(&solver->model) ? run_heuristics(solver, many, sizeof many / sizeof *many)
                                  : run_heuristics(solver, few, 1);
}

//===----------------------------------------------------------------------===//
// Improvement and search
//===----------------------------------------------------------------------===//

static bool may_improve(const struct solver *solver) {
  return has_plan(solver) && !is_done(solver) && stow_context_may_work(solver->context);
}

static stow_status climb_from(stow_strategy strategy, uint64_t max_effort, stow_climb *climb) {
  climb->left = max_effort;
  if (strategy == STOW_PEAK)
    return stow_climb_from_peak(climb);
  stow_status status = stow_climb_by_squeaky_wheel(climb);
  if (climb->model->banks.bank_size) // the others do not know of them
    return status;
  climb->left = climb->model->gaps ? max_effort / 2 : 0;
  if (status == STOW_OK && stow_climb_may_go_on(climb))
    status = stow_climb_on_the_level(climb);
  climb->left = max_effort / 2;
  if (status != STOW_OK || !stow_climb_may_go_on(climb))
    return status;
  return stow_climb_by_repair(climb);
}

// A climb takes a few heuristics' worth of effort to get anywhere.
static stow_status run_climb(struct solver *solver, stow_strategy strategy, uint64_t max_effort) {
  stow_solution *solution = solver->solution;
  if (!may_improve(solver) || max_effort / 3 < solver->fit_effort)
    return STOW_OK;
  stow_memory memory;
  stow_memory_begin(&memory, &solver->memory->allocator);
  const uint64_t goal =
      solver->capacity > solution->lower_bound ? solver->capacity : solution->lower_bound;
  stow_climb climb;
  stow_status status = stow_climb_begin(&solver->model, goal, solution->arena_size, solver->context,
                                        &memory, solver->best, &climb);
  if (status == STOW_OK)
    status = climb_from(strategy, max_effort, &climb);
  stow_memory_end(&memory);
  assert(solution->lower_bound <= climb.best_size && climb.best_size <= solution->arena_size);
  if (climb.best_size < solution->arena_size)
    solution->strategy = strategy;
  solution->arena_size = solver->context->arena_size = climb.best_size;
  return status;
}

static stow_status run_exact(struct solver *solver, uint64_t max_effort) {
  stow_solution *solution = solver->solution;
  stow_context *context = solver->context;
  if (!may_improve(solver) || solver->model.banks.bank_size) // which a search does not know
    return STOW_OK;
  stow_memory memory;
  stow_memory_begin(&memory, &solver->memory->allocator);
  stow_incumbent incumbent = {.offsets = solver->best,
                              .arena_size = solution->arena_size,
                              .lower_bound = solution->lower_bound};
  const uint64_t whole_effort = context->max_effort, own = context->effort + max_effort;
  context->max_effort = own;
  const stow_status status =
      stow_plan_improve_exactly(&solver->model, solver->capacity, context, &memory, &incumbent);
  context->max_effort = whole_effort + (context->max_effort - own);
  stow_memory_end(&memory);
  assert(incumbent.arena_size <= solution->arena_size);
  assert(solution->lower_bound <= incumbent.lower_bound);
  assert(incumbent.lower_bound <= incumbent.arena_size);
  solution->arena_size = incumbent.arena_size;
  solution->lower_bound = incumbent.lower_bound;
  solution->possible &= !incumbent.impossible;
  if (incumbent.improved)
    solution->strategy = STOW_EXACT;
  return status;
}

static stow_status improve(struct solver *solver, stow_strategy strategy, uint64_t max_effort) {
  return strategy == STOW_EXACT ? run_exact(solver, max_effort)
                                : run_climb(solver, strategy, max_effort);
}

// What a problem is: of few blocks or of many; of few, with less effort than a search's first
// attempt may take, which would leave nothing.
enum { FEW = 1, MANY = 2, LITTLE_EFFORT = 4, ANY = FEW | MANY };

// Small problems are searched before they are improved, and get most of the effort for it; large
// ones are improved. Where the effort is little, the fastest climb has a part of it before. A
// search begins anew each time and seldom ends with what is left, so climbs may have that first.
static const struct {
  stow_strategy strategy;
  unsigned problems;
  uint64_t parts, of; // of the effort that is left
} improvements[] = {
    {STOW_PEAK, LITTLE_EFFORT, 1, 3}, {STOW_PEAK, MANY, 1, 2},  {STOW_EXACT, FEW, 7, 8},
    {STOW_PEAK, FEW, 1, 2},           {STOW_REPAIR, ANY, 1, 2}, {STOW_PEAK, ANY, 1, 1},
    {STOW_REPAIR, ANY, 1, 1},         {STOW_EXACT, ANY, 1, 1},
};

static unsigned problem_of(const struct solver *solver, uint64_t effort) {
  if (solver->model.block_count > STOW_SOLVE_FEW_BLOCKS)
    return MANY;
  return effort < STOW_SOLVE_SEARCH_EFFORT ? FEW | LITTLE_EFFORT : FEW;
}

static stow_status run_auto(struct solver *solver) {
  const unsigned problem = problem_of(solver, stow_context_left(solver->context));
  stow_status status = STOW_OK;
  for (size_t i = 0; i < sizeof improvements / sizeof *improvements && status == STOW_OK; ++i) {
    const uint64_t part = stow_context_left(solver->context) / improvements[i].of;
    if (improvements[i].problems & problem)
      status = improve(solver, improvements[i].strategy, improvements[i].parts * part);
  }
  return status;
}

static stow_status run_strategies(struct solver *solver) {
  const stow_strategy strategy = solver->context->options->strategy;
  if (strategy != STOW_AUTO && strategy < STOW_PEAK)
    return run_heuristic(solver, strategy);
  const stow_status status = run_auto_heuristics(solver);
  if (status != STOW_OK)
    return status;
  if (strategy == STOW_AUTO)
    return run_auto(solver);
  return improve(solver, strategy, stow_context_left(solver->context));
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

// Where byte windows interlock, first fit asks pairs of blocks, which are fewer than their spans.
static stow_status find_gaps(struct solver *solver) {
  stow_gaps *gaps = STOW_TAKE(solver->memory, stow_gaps, 1);
  bool are_few = false;
  if (!gaps)
    return STOW_NO_MEMORY;
  const stow_status status = solver->model.flat
                                 ? STOW_OK
                                 : stow_gaps_make(&solver->model, NULL, solver->model.block_count,
                                                  solver->memory, gaps, &are_few);
  solver->model.gaps = are_few ? gaps : NULL;
  return status;
}

static stow_status prepare(struct solver *solver, const stow_problem *problem,
                           const stow_selection *selection) {
  stow_status status = stow_plan_model_build(problem, selection, solver->memory, &solver->model);
  if (status != STOW_OK)
    return status;
  solver->solution->possible = !solver->model.contradictory;
  solver->trial = STOW_TAKE(solver->memory, uint64_t, solver->model.block_count);
  solver->best = STOW_TAKE(solver->memory, uint64_t, solver->model.block_count);
  if (!solver->trial || !solver->best)
    return STOW_NO_MEMORY;
  status =
      stow_plan_model_bound(&solver->model, solver->memory, &solver->solution->lower_bound, NULL);
  if (status == STOW_OK)
    status = find_gaps(solver);
  solver->context->lower_bound = solver->solution->lower_bound;
  return status;
}

static stow_status solve(struct solver *solver, const stow_problem *problem,
                         const stow_selection *selection, uint64_t *out_offsets) {
  stow_status status = prepare(solver, problem, selection);
  if (status == STOW_OK && solver->solution->possible)
    status = run_strategies(solver);
  if (status == STOW_OK && solver->solution->possible && !has_plan(solver) && solver->overflowed)
    status = STOW_OVERFLOW;
  if (status == STOW_OK && has_plan(solver))
    stow_plan_model_offsets(&solver->model, selection, solver->best, out_offsets);
  return status;
}

stow_status stow_plan_solve(const stow_problem *problem, const stow_selection *selection,
                            uint64_t capacity, stow_context *context, uint64_t *out_offsets,
                            stow_solution *out_solution) {
  *out_solution = (stow_solution){.possible = true};
  stow_memory memory;
  stow_memory_begin(&memory, context->options->allocator);
  struct solver solver = {
      .context = context, .memory = &memory, .capacity = capacity, .solution = out_solution};
  const stow_status status = solve(&solver, problem, selection, out_offsets);
  stow_memory_end(&memory);
  return status;
}
