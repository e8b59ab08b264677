//===- run.c - the planner under the tool's limits ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run.h"

#include "clock.h"
#include "interrupt.h"
#include "put.h"
#include "scale.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_SHOWN = 1000000, SHOWN_EVERY = 200000 }; // microseconds

// What the progress callback knows.
typedef struct watch {
  uint64_t begin, limit; // microseconds; limit 0: none
  uint64_t next_shown;   // UINT64_MAX: never
  bool shown;
} watch;

bool tool_run_open(size_t buffer_count, tool_plan_run *out_run) {
  *out_run = (tool_plan_run){.offsets = calloc(buffer_count + 1, sizeof *out_run->offsets),
                             .spaces = calloc(buffer_count + 1, sizeof *out_run->spaces),
                             .culprits = calloc(buffer_count + 1, 1)};
  const bool done = out_run->offsets && out_run->spaces && out_run->culprits;
  if (!done)
    tool_run_release(out_run);
  return done;
}

void tool_run_release(tool_plan_run *run) {
  free(run->offsets);
  free(run->spaces);
  free(run->culprits);
  *run = (tool_plan_run){0};
}

static void show(const stow_progress *progress) {
  const uint64_t bound = progress->lower_bound, best = progress->arena_size;
  const bool limited = progress->max_effort != STOW_UNLIMITED_EFFORT;
  const size_t columns = tool_terminal_columns(stderr);
  char line[256];
  const int size =
      snprintf(line, sizeof line, "best %s, bound %s, gap %s %%, effort %s%s",
               best ? stow_report_cell_size(best).text : "none", stow_report_cell_size(bound).text,
               best > bound ? stow_report_cell_percent(best - bound, bound).text : "0.00",
               limited ? stow_report_cell_percent(progress->effort, progress->max_effort).text
                       : stow_report_cell_unsigned(progress->effort).text,
               limited ? " %" : " steps");
  fprintf(stderr, "\r\x1b[K%.*s", columns > 1 ? (int)columns - 1 : size, line);
  fflush(stderr);
}

static int on_progress(void *user, const stow_progress *progress) {
  watch *const state = user;
  const uint64_t passed = tool_microseconds() - state->begin;
  if (passed >= state->next_shown) {
    show(progress);
    state->shown = true;
    state->next_shown = passed + SHOWN_EVERY;
  }
  return tool_interrupted() || (state->limit && passed >= state->limit);
}

uint64_t tool_time_limit(const tool_options *options) {
  return options->time_limit ? options->time_limit : options->timeout;
}

static stow_status verify(const stow_problem *problem, const tool_plan_run *run) {
  stow_fault fault;
  const stow_status status =
      problem->space_count > 1 ? stow_verify_spaces(problem, run->offsets, run->spaces, &fault)
                               : stow_verify(problem, run->offsets, run->result.arena_size, &fault);
  return status == STOW_OK && fault.kind != STOW_FAULT_NONE ? STOW_INVALID : status;
}

static stow_plan_options limits_of(const tool_options *options, const stow_problem *problem,
                                   tool_plan_run *run, watch *state) {
  return (stow_plan_options){
      .struct_size = sizeof(stow_plan_options),
      .strategy = options->strategy,
      .capacity = options->capacity,
      .max_effort =
          options->effort || !tool_time_limit(options) ? options->effort : STOW_UNLIMITED_EFFORT,
      .threads = options->threads < 256 ? (unsigned)options->threads : 256,
      .progress = on_progress,
      .progress_user = state,
      .out_spaces = problem->space_count ? run->spaces : NULL,
      .out_culprits = options->explain ? run->culprits : NULL,
  };
}

// The smallest arena that can be found, where that is smaller than the plan at hand. It has an end
// only where the effort or the time has.
static stow_status minimize(const stow_problem *problem, const stow_plan_options *limits,
                            const watch *state, tool_plan_run *run) {
  tool_plan_run other;
  if (!tool_run_open(problem->buffer_count, &other))
    return STOW_NO_MEMORY;
  stow_plan_options options = *limits;
  options.capacity = 0;
  options.out_culprits = NULL;
  options.out_spaces = options.out_spaces ? other.spaces : NULL;
  if (!state->limit && options.max_effort == STOW_UNLIMITED_EFFORT)
    options.max_effort = 0;
  const stow_status status = stow_plan(problem, &options, other.offsets, &other.result);
  const stow_plan_result *const result = &other.result;
  const bool better = status == STOW_OK && stow_report_is_plan(result->outcome) &&
                      result->arena_size <= run->result.arena_size;
  run->result.stopped |= result->stopped;
  if (better) {
    const tool_plan_run worse = *run;
    *run = other;
    other = worse;
  }
  tool_run_release(&other);
  return status;
}

// Where both a capacity and the smallest arena are asked for, the capacity comes first.
static stow_status plan(const stow_problem *problem, const stow_plan_options *limits,
                        bool minimizes, const watch *state, tool_plan_run *run) {
  const stow_status status = stow_plan(problem, limits, run->offsets, &run->result);
  const bool more = minimizes && limits->capacity && problem->space_count <= 1 &&
                    run->result.outcome == STOW_FEASIBLE && !run->result.stopped;
  return status == STOW_OK && more ? minimize(problem, limits, state, run) : status;
}

stow_status tool_run_planner(const tool_instance *instance, const tool_options *options,
                             tool_plan_run *run) {
  const stow_problem problem = tool_instance_problem(instance, !options->ignore_offsets);
  const bool quiet = options->quiet || !tool_is_terminal(stderr);
  watch state = {.begin = tool_microseconds(),
                 .limit = tool_time_limit(options),
                 .next_shown = quiet ? UINT64_MAX : FIRST_SHOWN};
  const stow_plan_options limits = limits_of(options, &problem, run, &state);
  const stow_status status = plan(&problem, &limits, options->minimize_capacity, &state, run);
  if (state.shown)
    fputs("\r\x1b[K", stderr);
  return status == STOW_OK && stow_report_is_plan(run->result.outcome) ? verify(&problem, run)
                                                                       : status;
}
