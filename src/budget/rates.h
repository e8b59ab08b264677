//===- rates.h - what choices cost at least, memory by memory -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Lagrangian relaxation. Each node has a *rate*, which is paid for each byte that waits there.
// Each *link*, from a memory that may be computed for a node to one that it is computed from, has a
// *toll*: it is paid where the one comes anew for the node, and saved where the other is there. So
// each memory is decided by itself: where it stays and where it comes anew is a shortest path over
// the nodes. The sum of these paths, less the rates of the bytes that there are, is no more than
// what any choices cost that fit:
//
// - with those, the bytes that wait at a node are no more than there are: what is paid for them is
//   no more than what is subtracted;
// - what comes anew for a node finds what it is computed from, which was there or comes anew for
//   the node, too: each toll that is paid is saved;
// - what they do with one memory is a path, and the shortest one costs no more.
//
// Rates and tolls, which are never negative, are improved by subgradients. A memory is followed
// behind its last access, too, as long as something may be computed from it.
//
// The path of a memory: in front of a node it is there or missing. A node that accesses it needs
// it, so there it comes anew where it is missing. In front of others it may come anew, too. Behind
// a node it may stay, which is paid for if the node does not access it, or go, which costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_RATES_H
#define STOWAGE_BUDGET_RATES_H

#include "budget/walk.h"

// *Requires* that the walk is that of no choices, that no memory may be placed, and that `best` is
// the cost of choices that fit. No choices that fit cost less than *out_bound, which is at most
// `best`. Counts its effort, of which it takes about `effort`. False where memory ran out.
bool stow_budget_bound_rates(stow_budget_walk *walk, uint64_t capacity, uint64_t best,
                             uint64_t effort, uint64_t *out_bound);

#endif // STOWAGE_BUDGET_RATES_H
