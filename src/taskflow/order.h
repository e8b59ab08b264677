//===- order.h - whether a change of loops keeps the order of conflicting accesses ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_ORDER_H
#define STOWAGE_TASKFLOW_ORDER_H

#include "bridge/affine.h"
#include "taskflow/loops.h"

//===----------------------------------------------------------------------===//
// nest.c: the loops and the memory accesses of a part of a body
//===----------------------------------------------------------------------===//
//
// A *part* is a run of ops in a block: the writer's, or the reader's. Its *spine* is
// the chain of loops that each are the only affine.for directly in the one before.
// The loops of its *band*, the spine's first, hold nothing but the next one and carry
// no values, so that their order can be changed.

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

stow_loop_nest stow_taskflow_nest_of(stow_part part);
void stow_taskflow_nest_free(stow_loop_nest *nest);

// Whether two items may conflict: a byte may be in both, and one writes it.
bool stow_taskflow_items_conflict(const stow_loop_item *a, const stow_loop_item *b,
                                  bool distinct_arguments);

// Whether MLIR can tell whether two items name one cell.
bool stow_taskflow_items_comparable(const stow_loop_item *a, const stow_loop_item *b);

//===----------------------------------------------------------------------===//
// order.c: whether a change of loops keeps the order of conflicting accesses
//===----------------------------------------------------------------------===//

// How the loops of a writer and of a reader become common ones. The orders are permutations of the
// spines' indices; the first `depth` loops of both, in these orders, are shared.
typedef struct stow_alignment {
  size_t depth;
  size_t *writer_order, *reader_order;
  stow_loop_pair *shared; // one per common loop, from the outermost
} stow_alignment;

// Shares no loops at first; the loops of the spines that are not shared come last.
stow_alignment stow_alignment_create(size_t writer_loops, size_t reader_loops);
void stow_alignment_share(stow_alignment *alignment, size_t writer_loop, size_t reader_loop,
                          stow_loop_pair loops);
void stow_alignment_complete(stow_alignment *alignment, size_t writer_loops, size_t reader_loops);
void stow_alignment_free(stow_alignment *alignment);

// Two accesses whose order would change, or whose memory may be the same.
typedef struct stow_conflict {
  const stow_loop_item *first, *second;
  bool aliased; // they name different buffers
} stow_conflict;

// Whether the loops of a nest may run in another order.
bool stow_taskflow_permutation_is_legal(const stow_loop_nest *nest, const size_t *order,
                                        bool distinct_arguments, stow_conflict *out_conflict);

// Whether each access of the writer still comes before each conflicting one of the reader when
// their loops are shared as `alignment` says.
bool stow_taskflow_sharing_is_legal(const stow_loop_nest *writer, const stow_loop_nest *reader,
                                    const stow_alignment *alignment, bool distinct_arguments,
                                    stow_conflict *out_conflict);

// How many of the first loops an order moves: 0 for the identity.
size_t stow_taskflow_order_extent(const size_t *order, size_t count);

#endif // STOWAGE_TASKFLOW_ORDER_H
