//===- bonds.h - deciding which pairs that may colocate do ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_BONDS_H
#define STOWAGE_PLAN_BONDS_H

#include "problem.h"
#include "solve.h"

// Plans the included buffers (NULL: all) into one arena, as stow_plan_solve does, and decides about
// the pairs that may colocate.
stow_status stow_plan_solve_with_bonds(const stow_problem *problem, const unsigned char *included,
                                       uint64_t capacity, stow_context *context,
                                       uint64_t *out_offsets, stow_solution *out_solution);

//===----------------------------------------------------------------------===//
// share.c: whether buffers may start at one offset
//===----------------------------------------------------------------------===//
//
// Buffers at one offset share bytes as soon as the same bytes of them live together.
// So a set may start at one offset exactly if of any two of which that holds
// something says that they may overlap: both must start there anyway, or they are
// exclusive, or they may colocate.

typedef struct stow_sharing stow_sharing;

// NULL where memory is short.
stow_sharing *stow_sharing_create(const stow_problem *problem, stow_memory *memory);

// Whether these buffers may start at one offset. `*out_settled` is false where that took too long
// to find out, and then the answer is no. Adds to the effort.
bool stow_plan_may_share(stow_sharing *sharing, const uint32_t *buffers, uint32_t count,
                         uint64_t *inout_effort, bool *out_settled);

#endif // STOWAGE_PLAN_BONDS_H
