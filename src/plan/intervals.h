//===- intervals.h - a bound from what is alive in an interval -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_INTERVALS_H
#define STOWAGE_PLAN_INTERVALS_H

#include "context.h"
#include "graph.h"

typedef struct stow_intervals {
  const stow_model *model;
  const stow_plan_graph *graph;
  stow_context *context;
  stow_memory *memory;
  uint64_t unit;       // of all floors
  uint32_t most_items; // of the intervals looked at next
} stow_intervals;

// Raises `*inout_low`, a multiple of the unit below which no plan of the graph ends, until it
// reaches `high` or no interval shows more. One question takes at most a 16th of `max_effort`. The
// status is STOW_OK or STOW_NO_MEMORY; what was shown before holds with either.
stow_status stow_intervals_raise(stow_intervals *intervals, uint64_t high, uint64_t max_effort,
                                 uint64_t *inout_low);

#endif // STOWAGE_PLAN_INTERVALS_H
