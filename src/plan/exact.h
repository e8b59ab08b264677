//===- exact.h - improving a plan until it is proven optimal --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_EXACT_H
#define STOWAGE_PLAN_EXACT_H

#include "context.h"
#include "model.h"

// A plan of a model and what is known of it.
typedef struct stow_incumbent {
  uint64_t *offsets; // per block
  uint64_t arena_size;
  uint64_t lower_bound;
  bool improved;   // by stow_plan_improve_exactly
  bool impossible; // no plan fits the capacity: proven
} stow_incumbent;

// Searches for better plans within the context's effort: until the plan is proven optimal, or,
// given a capacity other than 0, until it fits or is proven impossible.
stow_status stow_plan_improve_exactly(const stow_model *model, uint64_t capacity,
                                      stow_context *context, stow_memory *memory,
                                      stow_incumbent *inout_incumbent);

#endif // STOWAGE_PLAN_EXACT_H
