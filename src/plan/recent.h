//===- recent.h - preferring bytes freed last -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_RECENT_H
#define STOWAGE_PLAN_RECENT_H

#include "context.h"
#include "model.h"

// Moves blocks of a plan of a simple model, within an arena of `arena_size` bytes, to places that
// were freed more recently before their begin. Stops where the effort ends.
stow_status stow_prefer_recent(const stow_model *model, uint64_t arena_size, stow_context *context,
                               stow_memory *memory, uint64_t *inout_offsets);

#endif // STOWAGE_PLAN_RECENT_H
