//===- nest.h - the loops and the memory accesses of a part of a body ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *part* is a run of ops in a block: the writer's, or the reader's. Its *spine* is
// the chain of loops that each are the only affine.for directly in the one before.
// The loops of its *band*, the spine's first, hold nothing but the next one and carry
// no values, so that their order can be changed.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_NEST_H
#define STOWAGE_TASKFLOW_NEST_H

#include "taskflow/loops.h"

typedef struct stow_part {
  MlirOperation begin, end; // [begin, end) in one block
} stow_part;

// An op that touches memory.
typedef struct stow_loop_item {
  MlirOperation op;
  MlirValue memref, root;
  bool exact; // an affine.load or affine.store: its index tells which cell
  bool reads, writes;
} stow_loop_item;

typedef struct stow_loop_nest {
  stow_op_list spine;
  size_t band;
  size_t loop_count;                // all affine.for of the part
  STOW_ARRAY(stow_loop_item) items; // in program order
  MlirOperation unknown;            // an op whose effects are unknown, or null
} stow_loop_nest;

stow_loop_nest stow_nest_of(stow_part part);
void stow_nest_free(stow_loop_nest *nest);

// Whether two items may conflict: a byte may be in both, and one writes it.
bool stow_items_conflict(const stow_loop_item *a, const stow_loop_item *b, bool distinct_arguments);

// Whether MLIR can tell whether two items name one cell.
bool stow_items_comparable(const stow_loop_item *a, const stow_loop_item *b);

#endif // STOWAGE_TASKFLOW_NEST_H
