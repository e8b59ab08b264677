//===- plan.c - from a problem to a plan ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The road: read the problem and the options, build the model, bound it, run one
// strategy or several, keep the best plan, judge it. Plans are kept as offsets
// of blocks and become offsets of buffers at the end.
//
//===----------------------------------------------------------------------===//

#include "bound.h"
#include "fit.h"
#include "order.h"

#include <assert.h>
#include <string.h>

struct recipe {
  stow_fit fit;
  stow_order order;
};

static const struct recipe recipes[STOW_STRATEGY_COUNT] = {
    [STOW_FIRST_FIT_SIZE] = {STOW_FIT_FIRST, STOW_ORDER_SIZE},
    [STOW_FIRST_FIT_AREA] = {STOW_FIT_FIRST, STOW_ORDER_AREA},
    [STOW_FIRST_FIT_DURATION] = {STOW_FIT_FIRST, STOW_ORDER_DURATION},
    [STOW_FIRST_FIT_START] = {STOW_FIT_FIRST, STOW_ORDER_START},
    [STOW_BEST_FIT_SIZE] = {STOW_FIT_BEST, STOW_ORDER_SIZE},
    [STOW_BEST_FIT_AREA] = {STOW_FIT_BEST, STOW_ORDER_AREA},
    [STOW_BEST_FIT_DURATION] = {STOW_FIT_BEST, STOW_ORDER_DURATION},
    [STOW_BEST_FIT_START] = {STOW_FIT_BEST, STOW_ORDER_START},
};

// What `auto` tries, the ones that most often meet the bound first.
static const stow_strategy auto_strategies[] = {STOW_FIRST_FIT_SIZE, STOW_FIRST_FIT_AREA,
                                                STOW_FIRST_FIT_DURATION, STOW_BEST_FIT_START};

static const stow_selection all = {NULL, NULL};

struct planner {
  const stow_plan_options *options;
  stow_memory *memory;
  stow_model model;
  uint64_t *trial, *best; // offsets per block
  bool possible;          // false once it is proven that no plan exists
  bool overflowed;        // a strategy met an offset that does not fit
  stow_plan_result result;
};

static bool has_plan(const struct planner *planner) {
  return planner->result.strategy != STOW_AUTO;
}

static uint64_t goal_of(const struct planner *planner) {
  const uint64_t capacity = planner->options->capacity, bound = planner->result.lower_bound;
  return capacity > bound ? capacity : bound;
}

static void keep_if_better(struct planner *planner, stow_strategy strategy) {
  const uint64_t arena_size = stow_model_arena(&planner->model, planner->trial);
  if (has_plan(planner) && arena_size >= planner->result.arena_size)
    return;
  uint64_t *const kept = planner->best;
  planner->best = planner->trial;
  planner->trial = kept;
  planner->result.arena_size = arena_size;
  planner->result.strategy = strategy;
}

static stow_status place_blocks(struct planner *planner, stow_strategy strategy,
                                stow_memory *memory) {
  const struct recipe *recipe = &recipes[strategy];
  uint32_t *order = STOW_TAKE(memory, uint32_t, planner->model.block_count);
  if (!order)
    return STOW_NO_MEMORY;
  const stow_status status = stow_order_blocks(&planner->model, recipe->order, memory, order);
  if (status != STOW_OK)
    return status;
  if (strategy == STOW_BEST_FIT_START && planner->model.simple && !planner->model.has_fixed)
    return stow_scan_blocks(&planner->model, order, memory, planner->trial);
  return stow_fit_blocks(&planner->model, recipe->fit, order, memory, planner->trial,
                         &planner->possible);
}

static stow_status run_strategy(struct planner *planner, stow_strategy strategy) {
  stow_memory memory;
  stow_memory_begin(&memory, planner->options->allocator);
  const stow_status status = place_blocks(planner, strategy, &memory);
  stow_memory_end(&memory);
  if (status == STOW_OVERFLOW)
    planner->overflowed = true;
  else if (status == STOW_OK && planner->possible)
    keep_if_better(planner, strategy);
  return status == STOW_NO_MEMORY ? status : STOW_OK;
}

static bool is_done(const struct planner *planner) {
  return !planner->possible ||
         (has_plan(planner) && planner->result.arena_size <= goal_of(planner));
}

static stow_status run_strategies(struct planner *planner) {
  if (planner->options->strategy != STOW_AUTO)
    return run_strategy(planner, planner->options->strategy);
  stow_status status = STOW_OK;
  const size_t count = sizeof auto_strategies / sizeof *auto_strategies;
  for (size_t i = 0; i < count && status == STOW_OK && !is_done(planner); ++i)
    status = run_strategy(planner, auto_strategies[i]);
  return status;
}

static stow_outcome judge(const struct planner *planner) {
  const stow_plan_result *result = &planner->result;
  const uint64_t capacity = planner->options->capacity;
  if (!planner->possible || (capacity && result->lower_bound > capacity))
    return STOW_INFEASIBLE;
  if (!has_plan(planner) || (capacity && result->arena_size > capacity))
    return STOW_UNKNOWN;
  return result->arena_size == result->lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
}

static void conclude(struct planner *planner, uint64_t *out_offsets, stow_plan_result *out_result) {
  planner->result.outcome = judge(planner);
  *out_result = planner->result;
  if (out_result->outcome == STOW_FEASIBLE || out_result->outcome == STOW_OPTIMAL) {
    stow_model_offsets(&planner->model, &all, planner->best, out_offsets);
    return;
  }
  out_result->arena_size = 0;
  out_result->strategy = STOW_AUTO;
}

static stow_status prepare(struct planner *planner, const stow_problem *problem) {
  stow_status status = stow_model_build(problem, &all, planner->memory, &planner->model);
  if (status != STOW_OK)
    return status;
  planner->possible = !planner->model.contradictory;
  planner->trial = STOW_TAKE(planner->memory, uint64_t, planner->model.block_count);
  planner->best = STOW_TAKE(planner->memory, uint64_t, planner->model.block_count);
  if (!planner->trial || !planner->best)
    return STOW_NO_MEMORY;
  return stow_model_bound(&planner->model, planner->memory, &planner->result.lower_bound);
}

static stow_status plan(struct planner *planner, const stow_problem *problem, uint64_t *out_offsets,
                        stow_plan_result *out_result) {
  stow_status status = prepare(planner, problem);
  if (status == STOW_OK)
    status = run_strategies(planner);
  if (status == STOW_OK && planner->possible && planner->overflowed && !has_plan(planner))
    status = STOW_OVERFLOW;
  if (status == STOW_OK)
    conclude(planner, out_offsets, out_result);
  return status;
}

stow_status stow_plan(const stow_problem *problem, const stow_plan_options *options,
                      uint64_t *out_offsets, stow_plan_result *out_result) {
  if (!out_result)
    return STOW_INVALID;
  memset(out_result, 0, sizeof *out_result);
  stow_problem read_problem;
  stow_plan_options read_options;
  stow_status status = stow_problem_read(problem, &read_problem);
  if (status == STOW_OK)
    status = stow_options_read(options, &read_options);
  if (status == STOW_OK && read_problem.buffer_count && !out_offsets)
    status = STOW_INVALID;
  if (status != STOW_OK)
    return status;
  stow_memory memory;
  stow_memory_begin(&memory, read_options.allocator);
  struct planner planner = {.options = &read_options, .memory = &memory, .possible = true};
  status = plan(&planner, &read_problem, out_offsets, out_result);
  stow_memory_end(&memory);
  return status;
}
