//===- lifetime.h - from where to where an arena exists ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arena on the heap is made and freed in the innermost region that holds all planned lives
// (but never inside a loop), before the first planned alloc and after the last planned life.
// If that region has several blocks, it is made in the first block and freed at all exits.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_LIFETIME_H
#define STOWAGE_ARENA_LIFETIME_H

#include "arena/arena.h"

typedef struct stow_arena_lifetime {
  MlirRegion region;
  MlirOperation before; // the op in front of which it is made
  MlirOperation after;  // the op in front of which it is freed; null: every exit of `region`
} stow_arena_lifetime;

// Of an arena for some members, at least one, in program order.
stow_arena_lifetime stow_arena_lifetime_of(const stow_arenas *arenas, const stow_arena *arena,
                                           const size_t *members, size_t count);

// The positions of the same: from that where it is made, to one past the last where it is there.
typedef struct stow_arena_interval {
  int64_t begin, end;
  int32_t block; // the first of its region
} stow_arena_interval;

stow_arena_interval stow_arena_interval_of(const stow_arenas *arenas, const stow_arena *arena,
                                           const size_t *members, size_t count);

// The op in front of which a result is made that an arena lies in.
MlirOperation stow_arena_lender_place(const stow_arenas *arenas, const stow_arena *arena);

// The op in front of which an arena is made, on the heap or in a result, and whether one is made
// before another wherever this is.
MlirOperation stow_arena_place_of(const stow_arenas *arenas, const stow_arena *arena);
bool stow_arena_is_made_before(MlirOperation place, MlirOperation other);

// The nearest position of an op, from `position` on in steps of 1 or -1.
int64_t stow_arena_position_of(const stow_flow *flow, MlirOperation op, int64_t position, int step);

#endif // STOWAGE_ARENA_LIFETIME_H
