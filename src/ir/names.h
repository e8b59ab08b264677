//===- names.h - values that are the same memory ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *name* is a value together with the views that are made of it and of nothing
// else: wherever they exist they are the same memory, so they are live together. A
// value that control or a choice gives one of several buffers (an argument of a
// block, the result of an scf.if or a select) is a name of its own. At any moment it
// stands for exactly one buffer; which one, may differ from run to run. (A token of work
// that uses several buffers is the exception: it stands for them all.)
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_NAMES_H
#define STOWAGE_IR_NAMES_H

#include "ir/life.h"

// An op that touches the memory behind a name, or an edge that forwards the name.
typedef struct stow_name_mention {
  int64_t begin, end; // positions; in an atomic nest, all of the op
  bool touches;       // and does not only forward the name
  bool overwrites;    // all of it, without a look at what was there
  bool leaves;        // control forwards it to another segment
} stow_name_mention;

typedef struct stow_names {
  int32_t *of_value;           // the first value of each value's name
  int32_t *first;              // by that value: where its mentions are; one more
  stow_name_mention *mentions; // of one name by their beginnings
} stow_names;

// O(n log n) in the flow. An edge to a value that nothing touches is no
// mention. Freed with stow_names_free.
stow_names stow_names_of(const stow_flow *flow, const stow_life *lives);
void stow_names_free(stow_names *names);

#endif // STOWAGE_IR_NAMES_H
