//===- views.h - views of one arena that share no byte --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *view* is a memref.view of an arena: bytes from `begin` up to `end`, as formulas. Both are the
// same whenever the function looks at them: the arena is an argument or made in the first block,
// which runs once, and the two are numbers or the view is made there, too. Two views are told apart
// where one is proven to end before the other begins. That says nothing of lives: views that share
// a byte at different times are never told apart, so what is told holds for all accesses of the
// function, in any order.
//
// Only views that one loop accesses are compared, loops inside of it left out: a loop is where LLVM
// would have to check.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DISTINCT_VIEWS_H
#define STOWAGE_DISTINCT_VIEWS_H

#include "ir/extents.h"

typedef struct stow_distinct_view {
  MlirOperation op;
  MlirValue arena;
  stow_formula begin, end;
  STOW_ARRAY(int32_t) others; // views of the arena that share no byte with it
} stow_distinct_view;

// A memref.load or memref.store of a view, in a loop.
typedef struct stow_view_access {
  MlirOperation op;
  int32_t view, loop; // the innermost, by number
} stow_view_access;

typedef struct stow_distinct {
  MlirOperation function;
  STOW_ARRAY(stow_distinct_view) views;  // in program order
  STOW_ARRAY(stow_view_access) accesses; // by loop
} stow_distinct;

// Freed with stow_distinct_free.
stow_distinct stow_distinct_read(MlirOperation function);
void stow_distinct_free(stow_distinct *distinct);

#endif // STOWAGE_DISTINCT_VIEWS_H
