//===- csv.c - the planning problem of an arena as CSV --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row per planned buffer, in the columns that `stowage plan` reads.
//
//===----------------------------------------------------------------------===//

#include "put.h"

static uint64_t alignment_of(const stow_buffer *buffer) {
  return buffer->alignment ? buffer->alignment : 1;
}

static void put_text(stow_sink sink, const char *text) {
  stow_report_put(sink, ",");
  stow_report_put_csv_field(sink, text ? text : "");
}

static void put_row(stow_sink sink, size_t id, const stow_report_buffer *row) {
  STOW_PUT(sink, stow_report_cell_unsigned(id).text, ",",
           stow_report_cell_signed(row->buffer.begin).text, ",",
           stow_report_cell_signed(row->buffer.end).text, ",",
           stow_report_cell_unsigned(row->buffer.size).text, ",",
           stow_report_cell_unsigned(alignment_of(&row->buffer)).text);
  put_text(sink, row->name);
  put_text(sink, row->op);
  put_text(sink, row->layer);
  put_text(sink, row->type);
  put_text(sink, row->location);
  put_text(sink, row->op_location);
  stow_report_put(sink, "\n");
}

void stow_report_csv(const stow_report_arena *arena, stow_sink sink) {
  stow_report_put(sink, "id,lower,upper,size,alignment,name,op,layer,type,location,op_location\n");
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (!arena->buffers[i].reason)
      put_row(sink, i, &arena->buffers[i]);
}
