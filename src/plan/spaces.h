//===- spaces.h - planning several memories -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SPACES_H
#define STOWAGE_PLAN_SPACES_H

#include "bound.h"
#include "context.h"
#include "memory.h"
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
stow_status stow_plan_solve_spaces(const stow_problem *problem, const unsigned char *included,
                                   bool any_plan, stow_context *context,
                                   stow_space_plan *inout_plan);

//===----------------------------------------------------------------------===//
// assign.c: all ways to divide groups among spaces
//===----------------------------------------------------------------------===//

typedef struct stow_assignment {
  const stow_problem *problem;
  const stow_model *model; // of all that is to be assigned
  const stow_heights *heights;
  uint32_t group_count;
  const uint32_t *block_of; // per group, its block in the model or STOW_NO_BLOCK
  const uint64_t *allowed;  // per group, spaces it may go to
  const uint32_t *spaces;   // in order of cost
  uint32_t *assigned;       // per group: written
  // Called for every complete assignment whose loads cost less than `*best_cost`, which it may
  // lower. False ends the search.
  bool (*visit)(void *user);
  void *user;
  const uint64_t *best_cost;
} stow_assignment;

// What any assignment costs at least; UINT64_MAX: there is none.
stow_status stow_assignment_bound(const stow_assignment *task, stow_memory *memory,
                                  uint64_t *out_bound);

// Visits assignments, depth first. `*out_complete` tells whether all were visited or shown to cost
// no less than the best. Ends early where effort does; a first assignment is looked for in any
// case.
stow_status stow_plan_assign(const stow_assignment *task, stow_context *context,
                             stow_memory *memory, bool *out_complete);

//===----------------------------------------------------------------------===//
// fill.c: filling one memory by first fit
//===----------------------------------------------------------------------===//

typedef struct stow_filling {
  const stow_problem *problem;
  uint32_t space;
  const uint32_t *wanted;   // the buffers that may go there, ascending; a group's all, or none
  uint32_t wanted_count;    //
  const uint32_t *group_of; // per buffer
  const uint64_t *first;    // per group: those of the largest number go first; NULL: all alike
  uint32_t *assigned;       // per group: becomes `space` where it fits
  uint64_t *offsets;        // per buffer: of those that do
  uint64_t arena_size;      // what they take
} stow_filling;

// Places the largest groups first, of those that `first` has as equal; each as low as it can lie.
// Who does not fit below the space's capacity, stays out.
stow_status stow_plan_fill_space(stow_filling *filling, const stow_allocator *allocator);

#endif // STOWAGE_PLAN_SPACES_H
