//===- order.h - orders in which blocks are placed ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_ORDER_H
#define STOWAGE_PLAN_ORDER_H

#include "model.h"

typedef enum stow_order {
  STOW_ORDER_SIZE,     // largest first
  STOW_ORDER_AREA,     // largest size x duration first
  STOW_ORDER_DURATION, // longest first
  STOW_ORDER_START,    // earliest begin first
} stow_order;

// Writes the blocks' indices in that order; ties: larger size, then earlier begin, then lower
// index.
stow_status stow_order_blocks(const stow_model *model, stow_order order, stow_memory *memory,
                              uint32_t *out_blocks);

#endif // STOWAGE_PLAN_ORDER_H
