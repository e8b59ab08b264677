//===- csv.c - the planning problem of an arena as CSV --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "put.h"

static uint64_t alignment_of(const stow_buffer *buffer) {
  return buffer->alignment ? buffer->alignment : 1;
}

static void put_row(stow_sink sink, size_t id, const stow_report_buffer *row, bool with_offsets) {
  stow_put_unsigned(sink, id);
  stow_put(sink, ",");
  stow_put_signed(sink, row->buffer.begin);
  stow_put(sink, ",");
  stow_put_signed(sink, row->buffer.end);
  stow_put(sink, ",");
  stow_put_unsigned(sink, row->buffer.size);
  stow_put(sink, ",");
  stow_put_unsigned(sink, alignment_of(&row->buffer));
  if (with_offsets) {
    stow_put(sink, ",");
    stow_put_unsigned(sink, row->offset);
  }
  stow_put(sink, ",");
  stow_put_csv_field(sink, row->name);
  stow_put(sink, "\n");
}

void stow_report_csv(const stow_report_arena *arena, bool with_offsets, stow_sink sink) {
  stow_put(sink, "id,lower,upper,size,alignment,");
  stow_put(sink, with_offsets ? "offset,name\n" : "name\n");
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (!arena->buffers[i].reason)
      put_row(sink, i, &arena->buffers[i], with_offsets);
}
