//===- order.h - orders in which blocks are placed ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_ORDER_H
#define STOWAGE_PLAN_ORDER_H

#include "model.h"

// What blocks are compared by. AREA is size x duration, WIDTH the number of sections lived through,
// BOX size x width. A CLASS holds blocks of about one size, the larger the shorter they live:
// within a factor of four of size^4 x duration.
typedef enum stow_key {
  STOW_KEY_NONE,
  STOW_LARGEST,
  STOW_SMALLEST,
  STOW_LONGEST,
  STOW_WIDEST,
  STOW_MOST_AREA,
  STOW_MOST_BOX,
  STOW_HIGHEST_CLASS,
  STOW_EARLIEST_BEGIN,
  STOW_LATEST_BEGIN,
  STOW_LATEST_END,
} stow_key;

enum { STOW_ORDER_KEYS = 3 };

// Up to three keys, one after the other; ties: lower index.
typedef struct stow_block_order {
  stow_key keys[STOW_ORDER_KEYS];
} stow_block_order;

// Sorts `count` blocks of the model, given ascending, into the order.
stow_status stow_plan_order_blocks(const stow_model *model, const stow_block_order *order,
                                   stow_memory *memory, uint32_t *inout_blocks, uint32_t count);

#endif // STOWAGE_PLAN_ORDER_H
