//===- assign.h - all ways to divide groups among spaces ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_ASSIGN_H
#define STOWAGE_PLAN_ASSIGN_H

#include "bound.h"
#include "context.h"

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
stow_status stow_assign(const stow_assignment *task, stow_context *context, stow_memory *memory,
                        bool *out_complete);

#endif // STOWAGE_PLAN_ASSIGN_H
