//===- limits.h - how far ownership goes ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work that would grow faster than the function. Where one is reached, more is cloned,
// or a buffer is freed later.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_OWN_LIMITS_H
#define STOWAGE_DEALLOC_OWN_LIMITS_H

enum {
  STOW_OWN_MOST_TRIES = 64, // in one region, so that the time stays linear
  STOW_OWN_MOST_GUESSES =
      16,                   // of what functions do that call each other, each proven by all of them
  STOW_OWN_MOST_ROUNDS = 8, // a round reads what the one before added as the program's own ops
};

#endif // STOWAGE_DEALLOC_OWN_LIMITS_H
