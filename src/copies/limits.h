//===- limits.h - what a search may cost ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work that would grow faster than the function. Where one is reached, a copy stays.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COPIES_LIMITS_H
#define STOWAGE_COPIES_LIMITS_H

// Trials.
enum {
  STOW_COPIES_MOST_ADDED = 40,       // rounds, where the first trial costs bytes
  STOW_COPIES_MOST_TAKEN = 7,        // rounds, where it does not
  STOW_COPIES_TRIAL_EFFORT = 500000, // uses of buffers that one trial looks at
  STOW_COPIES_MOST_WAITS = 16,       // rounds in which callers wait for callees to rewrite less
};

// Ops.
enum {
  STOW_COPIES_MOST_LIFTED = 64,   // that one value depends on, and that are moved for it
  STOW_COPIES_MOST_BETWEEN = 512, // between a move and its last reader
};

#endif // STOWAGE_COPIES_LIMITS_H
