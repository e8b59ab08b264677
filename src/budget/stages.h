//===- stages.h - what choices cost at least, node by node ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A relaxation, solved node by node. What waits at a node may be missing there, which costs what it
// costs at least to renew it; so many bytes are missing at each node that the others fit. At the
// node that needs a missing memory it comes anew, and so does what is missing of what it is
// computed from: if that is to be missing behind this node, too, it costs once more. Sources that
// no node needs any more cost nothing, but where something is computed from them they take room.
//
// A *state* is what is missing before a node. All states are followed that may still cost less than
// the best choices known, by a bound on the rest: each node has a *rate*, which is paid for the
// bytes that must be missing there, and a memory is missing where that costs less than the rates
// that it spares (a Lagrangian relaxation). If there are too many, the most expensive are left out,
// and the result is no more than their bound.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_STAGES_H
#define STOWAGE_BUDGET_STAGES_H

#include "budget/walk.h"

// *Requires* that the walk is that of no choices, that no memory may be placed, and that `best` is
// the cost of choices that fit. No choices that fit cost less than *out_bound, which
// is at most `best`. Counts its effort, of which it takes about `effort`. False where memory ran
// out.
bool stow_budget_bound_stages(stow_budget_walk *walk, uint64_t capacity, uint64_t best,
                              uint64_t effort, uint64_t *out_bound);

#endif // STOWAGE_BUDGET_STAGES_H
