//===- streams_json.c - streams of rows as one JSON object ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per op, buffer and touch of rows, as in the JSON of arenas.
//
//===----------------------------------------------------------------------===//

#include "streams.h"

#include "put.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static void put_op(stow_sink sink, const stow_report_op *op) {
  stow_report_put_json_text(sink, "{", "name", op->name);
  stow_report_put_json_text(sink, ", ", "location", op->location);
  stow_report_put_json_text_if_any(sink, ", ", "layer", op->layer);
  stow_report_put_json_text(sink, ", ", "stage", op->stage);
  stow_report_put_json_signed(sink, ", ", "iterations", op->iterations);
  if (strcmp(op->stage, "steps") == 0) {
    stow_report_put_json_signed(sink, ", ", "rate", op->rate);
    stow_report_put_json_signed(sink, ", ", "period", op->period);
    stow_report_put_json_signed(sink, ", ", "delay", op->delay);
  }
  stow_report_put(sink, "}");
}

static void put_touch(stow_sink sink, const stow_report_touch *touch) {
  stow_report_put_json_unsigned(sink, "{", "op", touch->op);
  stow_report_put_json_bool(sink, ", ", "writes", touch->writes);
  stow_report_put_json_bool(sink, ", ", "whole", touch->whole);
  if (!touch->whole) {
    stow_report_put_json_signed(sink, ", ", "stride", touch->stride);
    stow_report_put_json_signed(sink, ", ", "low", touch->low);
    stow_report_put_json_signed(sink, ", ", "high", touch->high);
  }
  stow_report_put(sink, "}");
}

static void put_window(stow_sink sink, const stow_report_rows *buffer) {
  stow_report_put_json_key(sink, ", ", "window");
  stow_report_put_json_signed(sink, "{", "period", buffer->period);
  stow_report_put_json_signed(sink, ", ", "phase", buffer->phase);
  stow_report_put_json_signed(sink, ", ", "advance", buffer->advance);
  stow_report_put_json_signed(sink, ", ", "base", buffer->base);
  stow_report_put_json_signed(sink, ", ", "moved", buffer->moved);
  stow_report_put(sink, "}");
}

static void put_buffer(stow_sink sink, const stow_report_rows *buffer) {
  stow_report_put_json_text(sink, "{", "name", buffer->name);
  stow_report_put_json_text(sink, ", ", "type", buffer->type);
  stow_report_put_json_text(sink, ", ", "location", buffer->location);
  stow_report_put_json_unsigned(sink, ", ", "bytes", buffer->bytes);
  stow_report_put_json_unsigned(sink, ", ", "kept_bytes", buffer->kept_bytes);
  stow_report_put_json_signed(sink, ", ", "rows", buffer->rows);
  stow_report_put_json_signed(sink, ", ", "kept", buffer->kept);
  stow_report_put_json_text(sink, ", ", "storage", buffer->storage);
  if (strcmp(buffer->storage, "whole") != 0)
    put_window(sink, buffer);
  if (buffer->over) {
    stow_report_put_json_text(sink, ", ", "over", buffer->over);
    stow_report_put_json_signed(sink, ", ", "distance", buffer->distance);
  }
  STOW_PUT_JSON_LIST(sink, ", ", "touches", "            ", buffer->touches, buffer->touch_count,
                     put_touch);
  stow_report_put(sink, "}");
}

static void put_stream(stow_sink sink, const stow_report_stream *stream) {
  stow_report_put_json_signed(sink, "{", "steps", stream->steps);
  stow_report_put_json_unsigned(sink, ", ", "bytes", stream->bytes);
  stow_report_put_json_unsigned(sink, ", ", "kept_bytes", stream->kept_bytes);
  stow_report_put_json_unsigned(sink, ", ", "moved_bytes", stream->moved_bytes);
  STOW_PUT_JSON_LIST(sink, ",\n        ", "ops", "          ", stream->ops, stream->op_count,
                     put_op);
  STOW_PUT_JSON_LIST(sink, ",\n        ", "buffers", "          ", stream->buffers,
                     stream->buffer_count, put_buffer);
  stow_report_put(sink, "}");
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void put_whole(stow_sink sink, const stow_report_whole *whole) {
  stow_report_put_json_text(sink, "{", "name", whole->name);
  stow_report_put_json_text(sink, ", ", "type", whole->type);
  stow_report_put_json_text(sink, ", ", "location", whole->location);
  stow_report_put_json_unsigned(sink, ", ", "bytes", whole->bytes);
  stow_report_put_json_text(sink, ", ", "reason", whole->reason);
  stow_report_put_json_text(sink, ", ", "detail", whole->detail);
  stow_report_put_json_text_if_any(sink, ", ", "op", whole->op);
  stow_report_put_json_text_if_any(sink, ", ", "op_location", whole->op_location);
  stow_report_put_json_text_if_any(sink, ", ", "suggestion", whole->suggestion);
  stow_report_put(sink, "}");
}

static void put_function(stow_sink sink, const stow_report_streamed *function) {
  stow_report_put_json_text(sink, "{", "function", function->function);
  stow_report_put_json_unsigned(sink, ", ", "arena_before", function->before);
  stow_report_put_json_unsigned(sink, ", ", "arena_after", function->after);
  stow_report_put_json_bool(sink, ", ", "undone", function->undone);
  STOW_PUT_JSON_LIST(sink, ",\n      ", "streams", "       ", function->streams,
                     function->stream_count, put_stream);
  STOW_PUT_JSON_LIST(sink, ",\n      ", "whole", "        ", function->wholes,
                     function->whole_count, put_whole);
  stow_report_put(sink, "}");
}

void stow_report_streams_json(const stow_report_streams *report, stow_sink sink) {
  stow_report_put_json_head(sink, report->title, report->note);
  STOW_PUT_JSON_LIST(sink, ",\n  ", "functions", "    ", report->functions, report->function_count,
                     put_function);
  stow_report_put(sink, "\n}\n");
}
