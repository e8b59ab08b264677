//===- account.c - what order-for-memory did, for remarks and reports -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "reorder/reorder.h"

#include <inttypes.h>

typedef struct row {
  const char *code, *clause, *advice;
} row;

static const row reasons[] = {
#define STOW_REORDER_REASON(ENUM, CODE, CLAUSE, ADVICE) {CODE, CLAUSE, ADVICE},
#include "reorder/reasons.def"
};

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void add(stow_reorder_account *to, MlirOperation op, stow_remark remark, char *text) {
  remark.location = mlirOperationGetLocation(op);
  remark.category = "order-for-memory";
  remark.text = text;
  STOW_PUSH(to->remarks, remark);
}

static void tell_kept(stow_reorder_account *to, const stow_reorder_kept *kept) {
  const row *why = &reasons[kept->reason];
  MlirStringRef own = stow_op_name(kept->op);
  char *culprit = stow_copy_string(stow_op_name(kept->culprit));
  stow_text text = {0};
  stow_text_printf(&text, "%.*s keeps its place: ", (int)own.length, own.data);
  stow_text_fill(&text, why->clause, culprit);
  free(culprit);
  add(to, kept->op,
      (stow_remark){.kind = STOW_REMARK_MISSED,
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
  add(to, around,
      (stow_remark){.kind = order->peak < order->given ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
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
  STOW_PUSH(to->blocks, (stow_report_order){.location = stow_location_text(location),
                                            .ops = b->nodes.count,
                                            .buffers = b->buffers.count,
                                            .kept = b->kept.count,
                                            .before = order->given,
                                            .post_order = order->post_order,
                                            .after = order->peak,
                                            .bound = order->bound});
}

static void emit_function(const stow_reorder_account *account, MlirOperation function,
                          stow_planned before, stow_planned after) {
  const bool worth = stow_is_gain(after, before);
  char *text = stow_gain_text("blocks in another order", account->reordered, after, before);
  const stow_remark remark = {.kind = worth ? STOW_REMARK_PASSED : STOW_REMARK_MISSED,
                              .location = mlirOperationGetLocation(function),
                              .category = "order-for-memory",
                              .name = worth ? "function" : "undone",
                              .function = stow_function_name(function),
                              .text = text};
  stow_remark_emit(&remark);
  free(text);
}

void stow_reorder_emit(const stow_reorder_account *account, MlirOperation function,
                       stow_planned before, stow_planned after) {
  for (size_t i = 0; i < account->remarks.count; ++i) {
    account->remarks.at[i].function = stow_function_name(function);
    stow_remark_emit(&account->remarks.at[i]);
  }
  if (account->reordered > 0)
    emit_function(account, function, before, after);
}

void stow_reorder_account_free(stow_reorder_account *account) {
  for (size_t i = 0; i < account->remarks.count; ++i)
    free((char *)account->remarks.at[i].text);
  for (size_t i = 0; i < account->blocks.count; ++i)
    free((char *)account->blocks.at[i].location);
  free(account->remarks.at), free(account->blocks.at);
  *account = (stow_reorder_account){0};
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static stow_sink sink_to(stow_text *text) { return (stow_sink){stow_text_collect, text}; }

static void put_text(const void *report, size_t part, stow_text *out) {
  (void)part;
  stow_report_orders_text(report, sink_to(out));
}

static void put_json(const void *report, size_t part, stow_text *out) {
  (void)part;
  stow_report_orders_json(report, sink_to(out));
}

static const stow_report_format formats[] = {{"text", put_text, NULL}, {"json", put_json, NULL}};

stow_report_files stow_reorder_files(MlirOperation module,
                                     const stow_order_for_memory_options *options) {
  return (stow_report_files){.module = module,
                             .pass = "order-for-memory",
                             .formats = formats,
                             .format_count = sizeof formats / sizeof *formats,
                             .reports = options->reports,
                             .report_count = options->report_count};
}
