//===- solve.h - planning one arena ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SOLVE_H
#define STOWAGE_PLAN_SOLVE_H

#include "context.h"
#include "model.h"

// What is known about one arena.
typedef struct stow_solution {
  uint64_t arena_size, lower_bound;
  stow_strategy strategy; // that made the plan; STOW_AUTO: there is no plan
  bool possible;          // false: no plan exists, or none fits the capacity
} stow_solution;

// Plans the selected part of a problem into one arena, within `capacity` if it is not 0, by the
// context's strategy and effort. Writes the offsets of the selected buffers where there is a plan;
// its arena may exceed the capacity. STOW_OVERFLOW where every plan tried left 64 bits.
stow_status stow_solve(const stow_problem *problem, const stow_selection *selection,
                       uint64_t capacity, stow_context *context, uint64_t *out_offsets,
                       stow_solution *out_solution);

#endif // STOWAGE_PLAN_SOLVE_H
