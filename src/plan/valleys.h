//===- valleys.h - exact search along a skyline ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same question as search.h, for tight problems. See valleys.c for how.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_VALLEYS_H
#define STOWAGE_PLAN_VALLEYS_H

#include "search.h"

typedef struct stow_valleys stow_valleys;

// Whether the graph is one that this search is for: each item one range of cliques, free, and a
// neighbour of all it meets there.
bool stow_valleys_suit(const stow_plan_graph *graph);

// A search over `graph`, which must outlive it. NULL where memory is short.
stow_valleys *stow_valleys_create(const stow_plan_graph *graph, stow_memory *memory);

// Runs a task from the start, as stow_search_run; `seed` decides between equals.
stow_verdict stow_valleys_run(stow_valleys *valleys, const stow_search_task *task, uint64_t seed,
                              uint64_t *out_offsets, uint64_t *out_effort);

#endif // STOWAGE_PLAN_VALLEYS_H
