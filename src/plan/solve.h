//===- solve.h - planning one arena ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   plan.c     reads the problem (problem.c, relations.c); spaces.c makes one per memory (assign.c,
//              fill.c); bonds.c decides which pairs that may colocate do (share.c)
//     solve.c  one arena: bound.c, a heuristic or more, a better order, exact search; ends where
//              the plan meets the bound
//       heuristics     fit.c and order.c, scan.c (best fit along time), layers.c, peak.c
//       better orders  squeaky_wheel.c moves much at once, repair.c one block at a time (climb.h)
//       exact.c        portfolio.c runs valleys.c (runs.c, skyline.c), search.c (partial.c) on a
//                      graph.c, sweep.c (pq_tree.c); windows.c (gaps.c) where byte
//                      windows interlock
//   verify.c   checks a plan by the definition; it shares only the reading of the problem
//
// First fit asks occupancy.c where a block can lie: lists of taken bytes at the nodes of
// section_tree.c, which race.c goes through together; named.c keeps those in the way of some
// buffers only. Where byte windows interlock, neighbours.c asks the gaps of pairs instead.
// Buffers that must lie in different banks are kept apart by banks.c, which first fit asks as well,
// and the orders that are tried with it; searches do not know of banks and do not run there.
// culprits.c explains a capacity that is too small.
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
stow_status stow_plan_solve(const stow_problem *problem, const stow_selection *selection,
                            uint64_t capacity, stow_context *context, uint64_t *out_offsets,
                            stow_solution *out_solution);

#endif // STOWAGE_PLAN_SOLVE_H
