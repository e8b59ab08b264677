//===- orders.h - ops in another order, described -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What report.h is to a planned memory, this is to the orders that order-for-memory finds.
// Strings are the caller's and never NULL unless said.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_ORDERS_H
#define STOWAGE_REPORT_ORDERS_H

#include "report.h"

// Bytes are those of planned buffers that are alive at once, at the worst moment in the block.
typedef struct stow_report_order {
  const char *location; // of the op around the block, or ""
  size_t ops, buffers;  // that the order is about
  size_t kept;          // ops that no other passes
  uint64_t before;      // as the block was
  uint64_t post_order;  // in reverse post-order from its results
  uint64_t after;       // in the order that was found
  uint64_t bound;       // no order has fewer; equal to `after`: proven
} stow_report_order;

typedef struct stow_report_ordered {
  const char *function;
  uint64_t before, after; // bytes of its arenas
  bool undone;            // the orders made no arena smaller: the function is as it was
  const stow_report_order *blocks;
  size_t block_count;
} stow_report_ordered;

typedef struct stow_report_orders {
  const char *title;
  const stow_report_ordered *functions;
  size_t function_count;
  const char *note; // why nothing was done, or NULL
} stow_report_orders;

void stow_report_orders_text(const stow_report_orders *report, stow_sink sink);

// Everything, as one JSON object with a "version" field.
void stow_report_orders_json(const stow_report_orders *report, stow_sink sink);

#endif // STOWAGE_REPORT_ORDERS_H
