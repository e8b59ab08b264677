//===- relate.h - whether two names can be the same, or meet --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two values that exist at one moment were chosen on one path. So whether they can be one view,
// or two views with bytes in common, is decided along paths, as if phis were undone: first that
// of the younger value, edge by edge; phis of one block together, along the same edge. Views from
// exclusive branches never meet.
//
// A view made anew in each iteration and the one of the iteration before are two views.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_RELATE_H
#define STOWAGE_CHECK_RELATE_H

#include "check/program.h"

enum {
  STOW_CHECK_SAME = 1,  // they may be one view, or one be cut from the other
  STOW_CHECK_APART = 2, // they may be two views with bytes in common
};

typedef struct stow_check_relations {
  const stow_check_program *program;
  stow_map known; // by pair
  uint64_t *steps;
} stow_check_relations;

// `apart_in_time`: one of them is from an earlier iteration of a loop than the other.
unsigned stow_check_relate(stow_check_relations *relations, int32_t a, int32_t b,
                           bool apart_in_time);

#endif // STOWAGE_CHECK_RELATE_H
