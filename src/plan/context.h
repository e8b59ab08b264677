//===- context.h - what one call of the planner may spend and has found ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_CONTEXT_H
#define STOWAGE_PLAN_CONTEXT_H

#include "problem.h"

typedef struct stow_context {
  const stow_plan_options *options;
  uint64_t effort, max_effort; // steps, spent and allowed in this attempt
  bool unlimited;              // other attempts follow
  uint64_t arena_size;         // of the best plan, 0 without one; for the progress callback
  uint64_t lower_bound;        // the same
  bool stopped;                // by the callback
} stow_context;

// Adds to the effort spent, and lets the callback look. Returns whether work may go on.
bool stow_context_spend(stow_context *context, uint64_t effort);

// Whether work may go on.
bool stow_context_may_work(const stow_context *context);

// Lets the callback look while `pending` steps are not yet accounted for. Returns true to stop.
bool stow_context_poll(stow_context *context, uint64_t pending);

uint64_t stow_context_left(const stow_context *context);

unsigned stow_context_rules(const stow_context *context);

#endif // STOWAGE_PLAN_CONTEXT_H
