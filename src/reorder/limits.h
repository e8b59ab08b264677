//===- limits.h - what dependences and orders may cost -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REORDER_LIMITS_H
#define STOWAGE_REORDER_LIMITS_H

enum {
  STOW_REORDER_MOST_HARD =
      8, // blocks of a module may use up their effort; where there are more, all get less
  STOW_REORDER_MOST_PARTS =
      64, // of some memory that nodes wrote; beyond, what follows is behind all
};

#endif // STOWAGE_REORDER_LIMITS_H
