//===- bonds.h - deciding which pairs that may colocate do ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_BONDS_H
#define STOWAGE_PLAN_BONDS_H

#include "solve.h"

// Plans the included buffers (NULL: all) into one arena, as stow_solve does, and decides about the
// pairs that may colocate.
stow_status stow_solve_with_bonds(const stow_problem *problem, const unsigned char *included,
                                  uint64_t capacity, stow_context *context, uint64_t *out_offsets,
                                  stow_solution *out_solution);

#endif // STOWAGE_PLAN_BONDS_H
