//===- run.h - the planner under the tool's limits ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_RUN_H
#define STOWAGE_TOOL_RUN_H

#include "instance.h"
#include "options.h"

// A plan in the making: arrays with an entry per buffer, and what came of it.
typedef struct tool_plan_run {
  uint64_t *offsets;
  uint32_t *spaces;
  unsigned char *culprits; // 1 for the buffers of a set that cannot be placed; see plan.h
  stow_plan_result result;
} tool_plan_run;

// On false, out of memory and nothing to release.
bool tool_run_open(size_t buffer_count, tool_plan_run *out_run);
void tool_run_release(tool_plan_run *run);

// Microseconds, or 0: none.
uint64_t tool_time_limit(const tool_options *options);

// Plans `instance` as the options say, and has the plan verified whatever made it. Stops at the
// options' time limit and on an interrupt; shows progress on a terminal unless told to be quiet.
stow_status tool_run_planner(const tool_instance *instance, const tool_options *options,
                             tool_plan_run *run);

#endif // STOWAGE_TOOL_RUN_H
