//===- sweep.h - a search for plans along time ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for a plan within a capacity of which little stays empty, for problems that
// valleys.h suits. It finds plans that searches by offset do not, and proves nothing.
// See sweep.c for how.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SWEEP_H
#define STOWAGE_PLAN_SWEEP_H

#include "search.h"

// Looks for a plan; `seed` decides what is random, and ranks are not needed. FITS or OPEN. OPEN at
// once if too much stays empty, alignments matter or memory is short.
stow_verdict stow_plan_sweep_run(const stow_plan_graph *graph, const stow_search_task *task,
                                 uint64_t seed, const stow_allocator *allocator,
                                 uint64_t *out_offsets, uint64_t *out_effort);

#endif // STOWAGE_PLAN_SWEEP_H
