//===- windows.h - exact search where byte windows interlock --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the question of search.h for models that are not flat, where of two
// blocks that meet neither need be the lower one.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_WINDOWS_H
#define STOWAGE_PLAN_WINDOWS_H

#include "context.h"
#include "gaps.h"
#include "search.h"

typedef struct stow_windows stow_windows;

// A search over some blocks of a model. `*out_windows` is NULL where they meet too often.
stow_status stow_windows_create(const stow_model *model, const uint32_t *blocks, uint32_t count,
                                stow_memory *memory, stow_windows **out_windows);

// Looks for a plan within `capacity` for at most `max_effort` steps, which it spends from
// `context`. Offsets are written for FITS, one per block.
stow_status stow_windows_run(stow_windows *windows, uint64_t capacity, uint64_t max_effort,
                             stow_context *context, uint64_t *out_offsets,
                             stow_verdict *out_verdict);

#endif // STOWAGE_PLAN_WINDOWS_H
