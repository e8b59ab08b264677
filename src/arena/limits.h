//===- limits.h - what planning may cost ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work that would grow faster than the module. Where one is reached, an arena is larger
// or a buffer stays alone.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_LIMITS_H
#define STOWAGE_ARENA_LIMITS_H

// Rounds.
enum {
  STOW_COLLECT_MOST_ROUNDS = 8, // between its two rules; real programs need two
  STOW_HOIST_MOST_ROUNDS = 16,  // loops in loops; those further out keep an arena per iteration
  STOW_BOUND_MOST_ROUNDS = 3,   // split, left alone, and once more for what these brought in
  STOW_BANKS_MOST_TRIES = 64,   // plans of one arena with buffers in different banks
};

// Of a GPU's shared memory: of all that have such banks. Only what a plan prefers depends on them.
enum { STOW_SHARED_BANKS = 32, STOW_SHARED_BANK_BYTES = 4 };

// Values that tell where a store is.
enum { STOW_ANEW_MOST_VALUES = 256 };

// Elements of mbarriers in a kernel, and ops that turn a bit.
enum { STOW_MBARRIERS_MOST = 64, STOW_PARITY_MOST_STEPS = 64 };

// Buffers.
enum {
  STOW_PARTNERS_MOST_COMPARED = 256,     // with gaps; of more, each is taken to have a partner
  STOW_PLAN_ARENAS_MOST_BY_SIZE = 40000, // that `auto` surely begins to plan by size
};

// With which the heap of a function with dynamic arenas is gone through: fewer where it has many
// positions, of which all cases together have so many, unless these would be too few.
enum { STOW_CASES = 128, STOW_CASES_LEAST = 12, STOW_CASES_MOST_POSITIONS = 1 << 22 };

// Sets that one arena is split into, or tried as: more where the positions of all cases, gone
// through for each, are not too many.
enum { STOW_SPLIT_LEAST_STEPS = 256, STOW_SPLIT_MOST_POSITIONS = 1 << 26 };

#endif // STOWAGE_ARENA_LIMITS_H
