//===- order.h - whether a change of loops keeps the order of conflicting accesses ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_ORDER_H
#define STOWAGE_TASKFLOW_ORDER_H

#include "bridge/affine.h"
#include "taskflow/nest.h"

// How the loops of a writer and of a reader become common ones. The orders are permutations of the
// spines' indices; the first `depth` loops of both, in these orders, are shared.
typedef struct stow_alignment {
  size_t depth;
  size_t *writer_order, *reader_order;
  stow_loop_pair *shared; // one per common loop, from the outermost
} stow_alignment;

void stow_alignment_free(stow_alignment *alignment);

// Two accesses whose order would change, or whose memory may be the same.
typedef struct stow_conflict {
  const stow_loop_item *first, *second;
  bool aliased; // they name different buffers
} stow_conflict;

// Whether the loops of a nest may run in another order.
bool stow_permutation_is_legal(const stow_loop_nest *nest, const size_t *order,
                               bool distinct_arguments, stow_conflict *out_conflict);

// Whether each access of the writer still comes before each conflicting one of the reader when
// their loops are shared as `alignment` says.
bool stow_sharing_is_legal(const stow_loop_nest *writer, const stow_loop_nest *reader,
                           const stow_alignment *alignment, bool distinct_arguments,
                           stow_conflict *out_conflict);

// How many of the first loops an order moves: 0 for the identity.
size_t stow_order_extent(const size_t *order, size_t count);

#endif // STOWAGE_TASKFLOW_ORDER_H
