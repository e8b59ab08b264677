//===- holes.h - a search that guesses what stays empty -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where little of the capacity stays empty, the search along a skyline (valleys.h) is
// lost among the ways to spread it, while problems without slack are easy for it. So
// this one guesses which rectangles stay empty, and looks for a plan that has them as
// further items. A plan with them is one without; that there is none proves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_HOLES_H
#define STOWAGE_PLAN_HOLES_H

#include "search.h"

// Whether there are so many items, and so little stays empty within the capacity, but something,
// that guesses are worth their steps. The graph suits valleys.h.
bool stow_holes_suit(const stow_plan_graph *graph, uint64_t capacity,
                     const stow_allocator *allocator);

// Looks for a plan with one guess, which depends on `seed`, as stow_valleys_run does but for ranks,
// which it makes itself. FITS or OPEN, the latter where memory is short, too.
stow_verdict stow_holes_run(const stow_plan_graph *graph, const stow_search_task *task,
                            uint64_t seed, const stow_allocator *allocator, uint64_t *out_offsets,
                            uint64_t *out_effort);

#endif // STOWAGE_PLAN_HOLES_H
