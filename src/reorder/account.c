//===- account.c - what order-for-memory did, for remarks and reports -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires blocks with their best order. Turns them into remarks, with the ops that no order may
// move, and into rows of the report.
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include "ir/reason.h"

#include <inttypes.h>

#define PASS "order-for-memory"

static const stow_reason_row reasons[] = {
#define STOW_REORDER_REASON(ENUM, CODE, CLAUSE, ADVICE) {CODE, CLAUSE, ADVICE, 0},
#include "reorder/reasons.def"
};

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void tell_kept(stow_reorder_account *to, const stow_reorder_kept *kept) {
  const stow_reason_row *why = &reasons[kept->reason];
  MlirStringRef own = stow_ir_op_name(kept->op);
  char *culprit = stow_ir_copy_string(stow_ir_op_name(kept->culprit));
  stow_text text = {0};
  stow_text_printf(&text, "%.*s keeps its place: ", (int)own.length, own.data);
  stow_text_fill(&text, why->clause, culprit);
  free(culprit);
  stow_remarks_add(&to->remarks, kept->op,
                   (stow_remark){.kind = STOW_REMARK_MISSED,
                                 .category = PASS,
                                 .name = "kept",
                                 .reason = why->code,
                                 .suggestion = why->advice},
                   stow_text_take(&text));
}

static void tell_block(stow_reorder_account *to, MlirOperation around, const stow_order *order) {
  const bool proven = order->bound == order->peak;
  stow_text text = {0};
  if (order->peak < order->given)
    stow_text_printf(&text,
                     "%" PRIu64 " bytes alive at the worst moment of the block, not %" PRIu64,
                     order->peak, order->given);
  else
    stow_text_printf(&text, "%" PRIu64 " bytes alive at the worst moment of the block as before",
                     order->peak);
  if (proven)
    stow_text_printf(&text, "; no order has fewer");
  else
    stow_text_printf(&text, "; an order with %" PRIu64 " is not ruled out", order->bound);
  stow_remarks_add(
      &to->remarks, around,
      (stow_remark){.kind = order->peak < order->given ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
                    .category = PASS,
                    .name = "block",
                    .reason = proven ? NULL : "effort",
                    .suggestion = proven ? NULL : "raise effort"},
      stow_text_take(&text));
}

static void add_remarks(stow_reorder_account *to, const stow_reorder_block *b,
                        const stow_order *order) {
  MlirOperation around = mlirBlockGetParentOperation(b->block);
  if (!stow_remarks_enabled(mlirOperationGetContext(around)))
    return;
  for (size_t i = 0; i < b->kept.count; ++i)
    tell_kept(to, &b->kept.at[i]);
  tell_block(to, around, order);
}

void stow_reorder_describe(stow_reorder_account *to, const stow_reorder_block *b,
                           const stow_order *order) {
  MlirLocation location = mlirOperationGetLocation(mlirBlockGetParentOperation(b->block));
  to->reordered += order->peak < order->given;
  add_remarks(to, b, order);
  STOW_PUSH(to->blocks, (stow_report_order){.location = stow_ir_location_text(location),
                                            .ops = b->nodes.count,
                                            .buffers = b->buffers.count,
                                            .kept = b->kept.count,
                                            .before = order->given,
                                            .post_order = order->post_order,
                                            .after = order->peak,
                                            .bound = order->bound});
}

void stow_reorder_account_free(stow_reorder_account *account) {
  stow_remarks_settle(&account->remarks, (MlirOperation){NULL}, false);
  for (size_t i = 0; i < account->blocks.count; ++i)
    free((char *)account->blocks.at[i].location);
  free(account->blocks.at);
  *account = (stow_reorder_account){0};
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

stow_report_files stow_reorder_files(MlirOperation module,
                                     const stow_order_for_memory_options *options) {
  return (stow_report_files){.module = module,
                             .pass = "order-for-memory",
                             .formats = &stow_report_orders_formats,
                             .reports = options->reports,
                             .report_count = options->report_count};
}
