//===- order.h - the blocks of a region in an order time agrees with ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes an order of the blocks of a region. Lives are ranges of positions in one linear order,
// so the blocks must be laid in an order in which control only moves forward, except along
// edges known as back edges. Such an order exists for any control flow graph:
// the strongly connected components in topological order, and inside each
// component, once the edges into its headers (the blocks where it can be entered)
// are set aside, the same again. Each component is a *loop*: a contiguous range
// of the order, nested in the loop it was found in. This holds for irreducible
// graphs too; they just have loops with several headers.
//
// Invariant: for every edge a -> b between reachable blocks, b comes after a, or
// b is a header of a loop that contains a.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_ORDER_H
#define STOWAGE_IR_ORDER_H

#include "ir/support.h"

typedef struct stow_ordered_block {
  MlirBlock block;
  int32_t loop;   // innermost loop that contains it, or -1
  bool header;    // of that loop
  bool reachable; // from the region's entry; unreachable blocks come last
} stow_ordered_block;

typedef struct stow_block_loop {
  int32_t parent;     // or -1; a parent has a smaller index
  size_t first, last; // positions in the order, inclusive
} stow_block_loop;

typedef struct stow_region_order {
  stow_ordered_block *blocks;
  size_t block_count;
  STOW_ARRAY(stow_block_loop) loops;
} stow_region_order;

// O((blocks + edges) x depth of loops). Freed with stow_region_order_free.
stow_region_order stow_ir_region_blocks(MlirRegion region);
void stow_region_order_free(stow_region_order *order);

#endif // STOWAGE_IR_ORDER_H
