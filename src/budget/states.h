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
// of all that may stay is in front of the next node. So of all choices that lead to a state, those
// that cost least are enough.
//
// A state stands for each set within it, at its cost: what goes is as if it had gone where it was
// touched last, which costs nothing. So of what may stay, as much stays as has room. And a state is
// left out if another has all of it and costs no more: whatever follows on it follows on the other,
// as no choice is dearer where the second memory has more.
//
// For that, what is touched and there may come anew, too. Let R be all that comes for a node, by
// choices behind a state which cost least, and of these, by those that renew least. Let B be the
// part of R that is known, and G what else of R is there. If G is not empty, one of G is touched
// and of these:
//
// 1. Its sources bring what is not there, maybe through others of G that nothing else touches: if R
//    has more than B and G, something of G is computed from that.
// 2. Otherwise R is B and G. At some step not all that may stay has room, or G could as well stay.
//    It is computed, maybe through such others, from what is in B.
// 3. Or nothing of G is. Then B comes in the same order without G. Some step lacks room in front of
//    the first touch of it: in front of the last of these touches, G must have no room, as behind
//    them nothing else is alive without G than with it.
//
// So these are tried, one after the other. A copy to the second memory that is missing without G
// costs no more later.
//
// Calls go no deeper than a few per memory that comes, and that may stay.
//
// Rates (rates.h) tell what a state costs at least from there on, as each memory's paths are priced
// node by node: what a path costs from the node on, and what rates pay from there. With that a
// state that costs as much as the best choices known is left out.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_STATES_H
#define STOWAGE_BUDGET_STATES_H

#include "budget/rates.h"

// *Requires* settled paths, and rates that were not improved yet if `is_any`: then nothing costs
// anything. No choices that are open cost less than *out_bound, or no less than *inout_best. If it
// came to the end, the cheapest of them that cost less than *inout_best are left in `choices`, and
// their cost in *inout_best; where there are none, *out_bound is *inout_best. It ends before that
// with more than `most` states, more effort than to the limit, or too many memories. False where
// memory ran out.
bool stow_budget_states_search(stow_budget_rates *rates, size_t most, uint64_t limit, bool is_any,
                               uint8_t *choices, uint64_t *inout_best, double *out_bound);

#endif // STOWAGE_BUDGET_STATES_H
