//===- pairs.h - how much is shared ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_PAIRS_H
#define STOWAGE_ARENA_PAIRS_H

#include "stowage/plan.h"

// The number of pairs of buffers that have bytes in common. O(n log n): of all pairs, those are
// left of which one ends before the other begins.
uint64_t stow_count_sharing(const stow_buffer *buffers, const uint64_t *offsets, size_t count);

#endif // STOWAGE_ARENA_PAIRS_H
