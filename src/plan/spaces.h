//===- spaces.h - planning several memories -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SPACES_H
#define STOWAGE_PLAN_SPACES_H

#include "solve.h"

typedef struct stow_space_plan {
  uint64_t *offsets;   // per buffer
  uint32_t *spaces;    // per buffer
  uint64_t *sizes;     // per space
  uint64_t cost;       // UINT64_MAX: there is no plan
  uint64_t cost_bound; // no plan costs less
  stow_strategy strategy;
  bool possible; // false: no plan exists
} stow_space_plan;

// Plans the included buffers (NULL: all) of a problem with spaces, as cheaply as can be found, or
// anyhow if `any_plan`. The arrays of `inout_plan` are the caller's.
stow_status stow_solve_spaces(const stow_problem *problem, const unsigned char *included,
                              bool any_plan, stow_context *context, stow_space_plan *inout_plan);

#endif // STOWAGE_PLAN_SPACES_H
