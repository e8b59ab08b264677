//===- search.h - exact search for a plan that fits -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers one question: is there a plan whose arena has at most `capacity` bytes?
// The answer yes comes with the plan, the answer no is a proof, and between them
// the search may run out of the effort it was given. See search.c for how.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SEARCH_H
#define STOWAGE_PLAN_SEARCH_H

#include "graph.h"

#include <stdatomic.h>

typedef enum stow_verdict {
  STOW_VERDICT_OPEN, // out of effort, or stopped
  STOW_VERDICT_FITS,
  STOW_VERDICT_IMPOSSIBLE,
} stow_verdict;

typedef struct stow_search stow_search;

typedef struct stow_search_task {
  uint64_t capacity;      // at least the size of every item
  uint64_t max_effort;    // steps
  const uint32_t *ranks;  // per item, a permutation: of equal offsets the lower is tried first
  bool by_load;           // rank by the largest load met, anew after every split, then by `ranks`
  unsigned rules;         // STOW_RULE_* that are on
  const atomic_int *stop; // becomes non-zero when an answer is no longer wanted; may be NULL
  bool (*poll)(void *user, uint64_t effort); // asked now and then; true stops. May be NULL
  void *poll_user;
} stow_search_task;

// A search over `graph`, which must outlive it. NULL where memory is short. It allocates nothing
// after this.
stow_search *stow_search_create(const stow_plan_graph *graph, stow_memory *memory);

// Runs a task from the start. `*out_effort` is what it took. Offsets are written for FITS.
stow_verdict stow_search_run(stow_search *search, const stow_search_task *task,
                             uint64_t *out_offsets, uint64_t *out_effort);

#endif // STOWAGE_PLAN_SEARCH_H
