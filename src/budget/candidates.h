//===- candidates.h - what may go where there are too many bytes ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BUDGET_CANDIDATES_H
#define STOWAGE_BUDGET_CANDIDATES_H

#include "budget/walk.h"

// A memory that waits at a step with too many bytes, and could come anew for the node that needs it
// next; or one that is alive there, and could lie elsewhere: its node is none.
typedef struct stow_budget_candidate {
  size_t memory, node;
  uint64_t bytes, price;
  uint8_t choice; // the cheapest
} stow_budget_candidate;

// What the search for choices knows.
typedef struct stow_budget_search {
  stow_budget_walk walk;
  uint64_t capacity, max_effort;
  size_t cells;
  uint8_t *best;        // choices: the cheapest that fit, or those that come closest to it
  uint64_t best_cost;   // UINT64_MAX: they do not fit
  uint64_t best_excess; // bytes above the capacity, over all steps
  uint64_t bound;       // no choices that fit cost less
  uint64_t random;      // state; 0: nothing is left to chance
  uint8_t *closed;      // per memory and node: bits of choices that are settled not to be made
  bool spent;           // the effort was used up
  bool narrow;          // the exact search leaves out what helps seldom, and proves nothing
  bool no_memory;       // it ran out
  size_t *waits;        // per epoch: its last touch before the step, plus one
  size_t wait_room;
  size_t *counted, counts; // per memory: the count that it is part of
  size_t *until;           // per memory: the node that it is needed for next, where it waits
  size_t *path;            // memories whose writers are to be looked at
  bool *later; // per memory: it comes anew for the step's node, there or behind the step
} stow_budget_search;

// The first node that a memory which waits at a step can come anew for behind it.
static inline size_t stow_budget_node_behind(const stow_budget_walk *w, size_t step) {
  return w->steps[step].stage + (w->steps[step].step.action == STOW_BUDGET_RUN);
}

static inline uint8_t stow_budget_closed_for(const stow_budget_search *s, size_t memory,
                                             size_t node) {
  return s->closed[stow_budget_cell(&s->walk, memory, node)];
}

// The cheapest choice for a memory before a node that is not `closed`; of price UINT64_MAX: there
// is none.
stow_budget_candidate stow_budget_candidate_of(const stow_budget_search *s, size_t memory,
                                               size_t node, uint8_t closed);

// What may go at a step, the cheapest per byte first; `early`: also what can only come anew for a
// node between the step and the one that needs it next, and each at its least price. The array is
// freed by the caller; NULL: no memory.
stow_budget_candidate *stow_budget_candidates_at(stow_budget_search *s, size_t step, bool early,
                                                 size_t *out_count);

// What candidates from `first` on cost at least so that `bytes` go: a fractional knapsack, in which
// a memory goes in the cheaper of two ways. UINT64_MAX: they have fewer bytes.
uint64_t stow_budget_least_price(stow_budget_search *s, const stow_budget_candidate *list,
                                 size_t first, size_t count, uint64_t bytes);

//===----------------------------------------------------------------------===//
// Early
//===----------------------------------------------------------------------===//
//
// A memory that waits at a step may go although it does not come anew where it is needed next, if
// another choice needs it earlier, behind the step. And what is computed for the step's own node
// may change the order in which others come anew there.

// What those that may go at a step cost at least: as things come anew now, or in another order.
typedef struct stow_budget_early_price {
  uint64_t as_is, reordered;
} stow_budget_early_price;

// What lets some of those that may go at the step come early, or in another order.
stow_budget_candidate *stow_budget_enablers(stow_budget_search *s, size_t step, size_t *out_count,
                                            stow_budget_early_price *out);

#endif // STOWAGE_BUDGET_CANDIDATES_H
