//===- prove.h - that no choices cost less --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound on all choices that fit (rates.h), and where there are few memories, all sets of them
// that may be in front of each node (states.h). If these are too many, and of few nodes, branch and
// bound over what is open of their paths (paths.h): whether a memory is in front of a node, or
// comes for it. Where it is known of all that may come whether and how it does, the choices are
// known: a walk says whether they fit, and what they cost.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_PROVE_H
#define STOWAGE_BUDGET_PROVE_H

#include "budget/walk.h"

// More than any choices cost: for each node, all may be computed and spilled once more.
uint64_t stow_budget_above_all(const stow_budget_problem *problem);

// *Requires* that the walk is that of no choices, that no memory may be placed, and that `best` is
// the cost of choices that fit, or more than any cost. No choices that fit cost less than
// *out_bound. That is `best` where none do. If some that do were found, `choices`, else as it was,
// and *inout_best are these. Counts its effort, of which it takes about `effort`. False where
// memory ran out.
bool stow_budget_prove(stow_budget_walk *walk, uint64_t capacity, uint64_t effort, uint8_t *choices,
                       uint64_t *inout_best, uint64_t *out_bound);

#endif // STOWAGE_BUDGET_PROVE_H
