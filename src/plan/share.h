//===- share.h - whether buffers may start at one offset ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers at one offset share bytes as soon as the same bytes of them live together.
// So a set may start at one offset exactly if of any two of which that holds
// something says that they may overlap: both must start there anyway, or they are
// exclusive, or they may colocate.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_SHARE_H
#define STOWAGE_PLAN_SHARE_H

#include "relations.h"

typedef struct stow_sharing stow_sharing;

// NULL where memory is short.
stow_sharing *stow_sharing_create(const stow_problem *problem, stow_memory *memory);

// Whether these buffers may start at one offset. `*out_settled` is false where that took too long
// to find out, and then the answer is no. Adds to the effort.
bool stow_may_share(stow_sharing *sharing, const uint32_t *buffers, uint32_t count,
                    uint64_t *inout_effort, bool *out_settled);

#endif // STOWAGE_PLAN_SHARE_H
