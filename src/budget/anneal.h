//===- anneal.h - cheaper choices, one at a time --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulated annealing. A move takes a choice back, makes one for a memory that waits where there
// are too many bytes, or both; a choice may bring what it is computed from along. Bytes above the
// capacity have a price, which rises while there are some and falls while there are none, so that
// the search goes back and forth between choices that fit and those that do not. What is dearer is
// accepted by chance, the less the more of the effort is used up.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_ANNEAL_H
#define STOWAGE_BUDGET_ANNEAL_H

#include "budget/walk.h"

// *Requires* that no memory may be placed. Begins with the choices of the table, and leaves the
// cheapest there that fit, if they cost less than *inout_cost, which is then their cost. Counts its
// effort, of which it takes about `effort`, in the walk. False where memory ran out.
bool stow_budget_anneal(stow_budget_walk *walk, uint64_t capacity, uint64_t effort, uint64_t seed,
                        uint8_t *choices, uint64_t *inout_cost);

#endif // STOWAGE_BUDGET_ANNEAL_H
