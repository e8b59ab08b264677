//===- limits.h - what markers may cost -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_LIMITS_H
#define STOWAGE_LIFETIME_LIMITS_H

enum {
  STOW_LIFETIME_MOST_ROUNDS = 64,  // of widening an area; beyond, the buffer has no markers
  STOW_LIFETIME_FARTHEST_END = 64, // markers behind a start that are read for its end
};

#endif // STOWAGE_LIFETIME_LIMITS_H
