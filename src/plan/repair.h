//===- repair.h - reordering where a plan is too high ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_REPAIR_H
#define STOWAGE_PLAN_REPAIR_H

#include "context.h"
#include "model.h"

// Both look for a plan with a smaller arena than the one given, down to `goal`, spending at most
// `max_effort` of the context's, and write it over the old one where they find any: the first by
// moving all blocks that are too high at once, the second one by one.
stow_status stow_squeak(const stow_model *model, uint64_t goal, uint64_t max_effort,
                        stow_context *context, stow_memory *memory, uint64_t *inout_offsets,
                        uint64_t *inout_arena_size);

stow_status stow_repair(const stow_model *model, uint64_t goal, uint64_t max_effort,
                        stow_context *context, stow_memory *memory, uint64_t *inout_offsets,
                        uint64_t *inout_arena_size);

#endif // STOWAGE_PLAN_REPAIR_H
