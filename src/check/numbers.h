//===- numbers.h - numbers for what is known at run time only -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where arenas of dynamic shape lie, and what lies in them, is checked at concrete sizes: a
// *sample*. A *leaf* is an integer, or a dimension of a memref, that no op known here computes from
// others; it gets a number, within what stowage.dims states of arguments and what is asserted. All
// else is computed from leaves, as it would be at run time.
//
// It shares nothing with the formulas that a plan was made from.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_NUMBERS_H
#define STOWAGE_CHECK_NUMBERS_H

#include "bridge/bridge.h"
#include "ir/support.h"

typedef struct stow_check_number {
  bool known; // nothing overflowed on the way
  int64_t number;
  MlirValue last;  // the leaf behind it that is known last, or null: a constant
  MlirValue bound; // the same, with loops as far as their ends: their numbers are of one iteration
  uint64_t leaves; // behind it, as bits; the last bit stands for all that have no bit
} stow_check_number;

typedef struct stow_check_leaf {
  MlirValue value;
  int64_t dimension; // of a memref, or -1
  int64_t number;
} stow_check_leaf;

// What is asserted of a leaf: it is one number with all of its class, within limits.
typedef struct stow_check_asserted {
  MlirValue value;
  int64_t dimension;
  uint64_t class;
  int64_t least, most;
} stow_check_asserted;

typedef struct stow_check_numbers {
  uint64_t sample;
  MlirOperation function;
  stow_dominance *dominance;
  stow_map of_values; // by integer: an index of `all`
  stow_map of_shapes; // by memref: the index of its first dimension
  STOW_ARRAY(stow_check_number) all;
  STOW_ARRAY(stow_check_leaf) leaves;
  STOW_ARRAY(stow_check_asserted) asserted;
  uint64_t asked; // the leaves behind the numbers that were asked for
  bool fit;       // no view is put where no number tells
} stow_check_numbers;

// Freed with stow_check_numbers_free.
void stow_check_numbers_find(stow_check_numbers *numbers, MlirOperation function, uint64_t sample);
void stow_check_numbers_free(stow_check_numbers *numbers);

// Finds what assertions say of leaves; and that of one, or NULL (asserted.c).
void stow_check_find_asserted(stow_check_numbers *numbers);
const stow_check_asserted *stow_check_asserted_of(const stow_check_numbers *numbers,
                                                  MlirValue value, int64_t dimension);

// Any number from 0 on for a leaf in a sample, and the number of one that is about to be listed:
// within what is stated (leaves.c).
int64_t stow_check_any_number(uint64_t sample, uint64_t leaf);
int64_t stow_check_leaf_number(const stow_check_numbers *numbers, MlirValue value,
                               int64_t dimension);

// The number of an integer, where it is one number as long as `parent` is there: known no later.
// Where it has to do with none, `parent` is null.
bool stow_check_number_of(stow_check_numbers *numbers, MlirValue value, MlirValue parent,
                          int64_t *out);

// Elements of a memref without a layout; false where no number tells, or it is none that could
// be.
bool stow_check_elements_of(stow_check_numbers *numbers, MlirValue memref, MlirValue parent,
                            int64_t *out);

// Whether the sample makes a branch or a loop around an op not run in the iterations that it chose,
// as is known as long as `parent` is there.
bool stow_check_is_skipped(stow_check_numbers *numbers, MlirOperation op, MlirValue parent);

// The leaves that were asked for and are known at an op, as text: ", with %arg0 = 5". Freed by the
// caller.
char *stow_check_numbers_text(const stow_check_numbers *numbers, MlirOperation at);

#endif // STOWAGE_CHECK_NUMBERS_H
