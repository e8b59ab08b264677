//===- states.h - node by node, all that may be in front ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dynamic program over paths (paths.h). A *state* is the set of memories in front of a node, and
// of those of which the second memory has the value. It decides what comes for the node: what is
// needed there, or for something that comes, and not in front; only how it comes is open, and what
// of all that the node's stage touches is in front of the next node. So of all choices that lead to
// a state, those that cost least are enough.
//
// Calls go no deeper than a state has memories: one for each that comes, and that may stay.
//
// Rates (rates.h) tell what a state costs at least from there on, as each memory's paths are priced
// node by node: what a path costs from the node on, and what rates pay from there. With that a
// state that costs as much as the best choices known is left out.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_STATES_H
#define STOWAGE_BUDGET_STATES_H

#include "budget/rates.h"

// *Requires* settled paths. No choices that are open cost less than *out_bound, or no less than
// *inout_best. If it came to the end, the cheapest of them that cost less than *inout_best are left
// in `choices`, and their cost in *inout_best; where there are none, *out_bound is *inout_best. It
// ends before that with more than `most` states, more effort than to the limit, or too many
// memories. False where memory ran out.
bool stow_budget_states_search(stow_budget_rates *rates, size_t most, uint64_t limit,
                               uint8_t *choices, uint64_t *inout_best, double *out_bound);

#endif // STOWAGE_BUDGET_STATES_H
