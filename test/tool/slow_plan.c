//===- slow_plan.c - a planner that takes its time ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for stow_plan in a build of the command, so that what the command does
// while the planner works, such as Ctrl-C, can be tested whatever the planner's speed.
// It lays the buffers end to end at once and then does nothing for ten seconds but
// report its progress.
//
//===----------------------------------------------------------------------===//

#include "stowage/plan.h"

#include <time.h>

enum { STEPS = 1000 };

static uint64_t lay_end_to_end(const stow_problem *problem, uint64_t *offsets) {
  uint64_t at = 0;
  for (size_t i = 0; i < problem->buffer_count; i++) {
    offsets[i] = at;
    at += problem->buffers[i].size;
  }
  return at;
}

stow_status stow_plan(const stow_problem *problem, const stow_plan_options *options,
                      uint64_t *out_offsets, stow_plan_result *out_result) {
  const struct timespec pause = {.tv_nsec = 10000000};
  *out_result = (stow_plan_result){.outcome = STOW_FEASIBLE, .strategy = STOW_FIRST_FIT_SIZE};
  out_result->arena_size = lay_end_to_end(problem, out_offsets);
  const stow_status status = stow_lower_bound(problem, &out_result->lower_bound);
  stow_progress progress = {.max_effort = STEPS,
                            .arena_size = out_result->arena_size,
                            .lower_bound = out_result->lower_bound};
  for (; progress.effort < STEPS && !out_result->stopped; progress.effort++) {
    out_result->stopped = options->progress(options->progress_user, &progress) != 0;
    nanosleep(&pause, NULL);
  }
  return status;
}
