//===- orders.c - ops in another order, as text and as JSON ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "orders.h"

#include "put.h"

enum { NUMBER = 13 }; // width of a column

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void put_cell(stow_sink sink, uint64_t value) {
  stow_report_put_right(sink, stow_report_cell_unsigned(value).text, NUMBER);
}

static void put_head(stow_sink sink) {
  static const char *const names[] = {"ops",        "buffers", "as written",
                                      "post-order", "found",   "bound"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    stow_report_put_right(sink, names[i], NUMBER);
  stow_report_put(sink, "  block\n");
}

static void put_block(stow_sink sink, const stow_report_order *block) {
  put_cell(sink, block->ops);
  put_cell(sink, block->buffers);
  put_cell(sink, block->before);
  put_cell(sink, block->post_order);
  put_cell(sink, block->after);
  put_cell(sink, block->bound);
  stow_report_put(sink, "  ");
  stow_report_put_all_shown(sink, block->location);
  stow_report_put(sink, "\n");
}

static void put_bytes(stow_sink sink, const char *before, uint64_t bytes) {
  STOW_PUT(sink, before, stow_report_cell_unsigned(bytes).text);
}

static void put_function(stow_sink sink, const stow_report_ordered *function) {
  stow_report_put(sink, "function ");
  stow_report_put_all_shown(sink, function->function);
  put_bytes(sink, ": arenas of ", function->after);
  put_bytes(sink, " bytes, not ", function->before);
  stow_report_put(sink, function->undone ? ": undone\n" : "\n");
  if (function->block_count > 0)
    put_head(sink);
  for (size_t i = 0; i < function->block_count; ++i)
    put_block(sink, &function->blocks[i]);
}

void stow_report_orders_text(const stow_report_orders *report, stow_sink sink) {
  STOW_PUT(sink, report->title, "\n");
  for (size_t i = 0; i < report->function_count; ++i)
    put_function(sink, &report->functions[i]);
  stow_report_put_shown_if_any(sink, "", report->note, "\n");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void put_block_json(stow_sink sink, const stow_report_order *block) {
  stow_report_put_json_text(sink, "{", "location", block->location);
  stow_report_put_json_unsigned(sink, ", ", "ops", block->ops);
  stow_report_put_json_unsigned(sink, ", ", "buffers", block->buffers);
  stow_report_put_json_unsigned(sink, ", ", "kept", block->kept);
  stow_report_put_json_unsigned(sink, ", ", "before", block->before);
  stow_report_put_json_unsigned(sink, ", ", "post_order", block->post_order);
  stow_report_put_json_unsigned(sink, ", ", "after", block->after);
  stow_report_put_json_unsigned(sink, ", ", "bound", block->bound);
  stow_report_put(sink, "}");
}

static void put_function_json(stow_sink sink, const stow_report_ordered *function) {
  stow_report_put_json_text(sink, "{", "function", function->function);
  stow_report_put_json_unsigned(sink, ", ", "arena_before", function->before);
  stow_report_put_json_unsigned(sink, ", ", "arena_after", function->after);
  stow_report_put_json_bool(sink, ", ", "undone", function->undone);
  STOW_PUT_JSON_LIST(sink, ",\n     ", "blocks", "       ", function->blocks, function->block_count,
                     put_block_json);
  stow_report_put(sink, "}");
}

void stow_report_orders_json(const stow_report_orders *report, stow_sink sink) {
  stow_report_put_json_head(sink, report->title, report->note);
  STOW_PUT_JSON_LIST(sink, ",\n  ", "functions", "    ", report->functions, report->function_count,
                     put_function_json);
  stow_report_put(sink, "\n}\n");
}
