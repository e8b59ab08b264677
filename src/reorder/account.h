//===- account.h - what order-for-memory did, for remarks and reports -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REORDER_ACCOUNT_H
#define STOWAGE_REORDER_ACCOUNT_H

#include "ir/planned.h"
#include "orders.h"
#include "reorder/reorder.h"
#include "stowage/passes.h"

// What became of a function.
typedef struct stow_reorder_account {
  STOW_ARRAY(stow_report_order) blocks;
  STOW_ARRAY(stow_remark) remarks; // texts are owned
  size_t reordered;                // blocks
} stow_reorder_account;

// Adds a block and the order that was found for it. Remarks only where somebody listens.
void stow_reorder_describe(stow_reorder_account *to, const stow_reorder_block *block,
                           const stow_order *order);

// Emits the remarks of a function that needed and needs so much.
void stow_reorder_emit(const stow_reorder_account *account, MlirOperation function,
                       stow_planned before, stow_planned after);
void stow_reorder_account_free(stow_reorder_account *account);

// False, with a located error, where an option is wrong or a file cannot be written.
bool stow_reorder_can_report(MlirOperation module, const stow_order_for_memory_options *options);
bool stow_reorder_write_report(MlirOperation module, const stow_order_for_memory_options *options,
                               const stow_report_orders *report);

#endif // STOWAGE_REORDER_ACCOUNT_H
