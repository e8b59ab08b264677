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

static void put_key(stow_sink sink, const char *before, const char *key) {
  stow_put(sink, before);
  stow_put(sink, "\"");
  stow_put(sink, key);
  stow_put(sink, "\": ");
}

// Members after the first of an object that stands on one line.
static void put_text(stow_sink sink, const char *key, const char *text) {
  put_key(sink, ", ", key);
  stow_put_json_string(sink, text);
}

static void put_text_if_any(stow_sink sink, const char *key, const char *text) {
  if (text)
    put_text(sink, key, text);
}

static void put_signed(stow_sink sink, const char *key, int64_t value) {
  put_key(sink, ", ", key);
  stow_put_signed(sink, value);
}

static void put_unsigned(stow_sink sink, const char *key, uint64_t value) {
  put_key(sink, ", ", key);
  stow_put_unsigned(sink, value);
}

static void put_bool(stow_sink sink, const char *key, bool value) {
  put_key(sink, ", ", key);
  stow_put(sink, value ? "true" : "false");
}

// What separates the items of an array, each on a line of its own.
static void put_line(stow_sink sink, size_t index, const char *indent) {
  stow_put(sink, index ? ",\n" : "\n");
  stow_put(sink, indent);
}

static void put_name(stow_sink sink, const char *name) {
  put_key(sink, "{", "name");
  stow_put_json_string(sink, name);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static void put_op(stow_sink sink, const stow_report_op *op) {
  put_name(sink, op->name);
  put_text(sink, "location", op->location);
  put_text_if_any(sink, "layer", op->layer);
  put_text(sink, "turn", op->turn);
  put_signed(sink, "iterations", op->iterations);
  if (strcmp(op->turn, "steps") == 0) {
    put_signed(sink, "rate", op->rate);
    put_signed(sink, "period", op->period);
    put_signed(sink, "delay", op->delay);
  }
  stow_put(sink, "}");
}

static void put_touch(stow_sink sink, const stow_report_touch *touch) {
  put_key(sink, "{", "op");
  stow_put_unsigned(sink, touch->op);
  put_bool(sink, "writes", touch->writes);
  put_bool(sink, "whole", touch->whole);
  if (!touch->whole) {
    put_signed(sink, "stride", touch->stride);
    put_signed(sink, "low", touch->low);
    put_signed(sink, "high", touch->high);
  }
  stow_put(sink, "}");
}

static void put_window(stow_sink sink, const stow_report_rows *buffer) {
  put_key(sink, ", ", "window");
  put_key(sink, "{", "period");
  stow_put_signed(sink, buffer->period);
  put_signed(sink, "phase", buffer->phase);
  put_signed(sink, "advance", buffer->advance);
  put_signed(sink, "base", buffer->base);
  put_signed(sink, "moved", buffer->moved);
  stow_put(sink, "}");
}

static void put_buffer(stow_sink sink, const stow_report_rows *buffer) {
  put_name(sink, buffer->name);
  put_text(sink, "type", buffer->type);
  put_text(sink, "location", buffer->location);
  put_unsigned(sink, "bytes", buffer->bytes);
  put_unsigned(sink, "kept_bytes", buffer->kept_bytes);
  put_signed(sink, "rows", buffer->rows);
  put_signed(sink, "kept", buffer->kept);
  put_text(sink, "storage", buffer->storage);
  if (strcmp(buffer->storage, "whole") != 0)
    put_window(sink, buffer);
  if (buffer->over) {
    put_text(sink, "over", buffer->over);
    put_signed(sink, "apart", buffer->apart);
  }
  put_key(sink, ", ", "touches");
  stow_put(sink, "[");
  for (size_t i = 0; i < buffer->touch_count; i++) {
    put_line(sink, i, "            ");
    put_touch(sink, &buffer->touches[i]);
  }
  stow_put(sink, "]}");
}

static void put_stream(stow_sink sink, const stow_report_stream *stream) {
  put_key(sink, "{", "steps");
  stow_put_signed(sink, stream->steps);
  put_unsigned(sink, "bytes", stream->bytes);
  put_unsigned(sink, "kept_bytes", stream->kept_bytes);
  put_unsigned(sink, "moved_bytes", stream->moved_bytes);
  put_key(sink, ",\n        ", "ops");
  stow_put(sink, "[");
  for (size_t i = 0; i < stream->op_count; i++) {
    put_line(sink, i, "          ");
    put_op(sink, &stream->ops[i]);
  }
  put_key(sink, "],\n        ", "buffers");
  stow_put(sink, "[");
  for (size_t i = 0; i < stream->buffer_count; i++) {
    put_line(sink, i, "          ");
    put_buffer(sink, &stream->buffers[i]);
  }
  stow_put(sink, "]}");
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void put_whole(stow_sink sink, const stow_report_whole *whole) {
  put_name(sink, whole->name);
  put_text(sink, "type", whole->type);
  put_text(sink, "location", whole->location);
  put_unsigned(sink, "bytes", whole->bytes);
  put_text(sink, "reason", whole->reason);
  put_text(sink, "detail", whole->detail);
  put_text_if_any(sink, "op", whole->op);
  put_text_if_any(sink, "op_location", whole->op_location);
  put_text_if_any(sink, "suggestion", whole->suggestion);
  stow_put(sink, "}");
}

static void put_function(stow_sink sink, const stow_report_streamed *function) {
  put_key(sink, "{", "function");
  stow_put_json_string(sink, function->function);
  put_unsigned(sink, "arena_before", function->before);
  put_unsigned(sink, "arena_after", function->after);
  put_bool(sink, "undone", function->undone);
  put_key(sink, ",\n      ", "streams");
  stow_put(sink, "[");
  for (size_t i = 0; i < function->stream_count; i++) {
    put_line(sink, i, "       ");
    put_stream(sink, &function->streams[i]);
  }
  put_key(sink, "],\n      ", "whole");
  stow_put(sink, "[");
  for (size_t i = 0; i < function->whole_count; i++) {
    put_line(sink, i, "        ");
    put_whole(sink, &function->wholes[i]);
  }
  stow_put(sink, "]}");
}

void stow_report_streams_json(const stow_report_streams *report, stow_sink sink) {
  stow_put(sink, "{\n  \"version\": 1");
  put_key(sink, ",\n  ", "title");
  stow_put_json_string(sink, report->title);
  if (report->note) {
    put_key(sink, ",\n  ", "note");
    stow_put_json_string(sink, report->note);
  }
  put_key(sink, ",\n  ", "functions");
  stow_put(sink, "[");
  for (size_t i = 0; i < report->function_count; i++) {
    put_line(sink, i, "    ");
    put_function(sink, &report->functions[i]);
  }
  stow_put(sink, "]\n}\n");
}
