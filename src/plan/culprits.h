//===- culprits.h - a smallest set of buffers that does not fit -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_CULPRITS_H
#define STOWAGE_PLAN_CULPRITS_H

#include "context.h"

// For a problem proven to have no plan, of one space within `capacity` (0: none at all): marks with
// 1 the buffers of a set that has none either. `*out_irreducible` tells whether any of them left
// out is proven to make room.
stow_status stow_plan_find_culprits(const stow_problem *problem, uint64_t capacity,
                                    stow_context *context, unsigned char *out_culprits,
                                    bool *out_irreducible);

#endif // STOWAGE_PLAN_CULPRITS_H
