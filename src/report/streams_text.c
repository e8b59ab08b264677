//===- streams_text.c - streams of rows as tables for people --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per function: each stream with its ops and the rows that it keeps, then the buffers that stayed
// whole and why.
//
//===----------------------------------------------------------------------===//

#include "streams.h"

#include "put.h"

#include <string.h>

enum { NUMBER = 12 }; // width of a column

static void put_word(stow_sink sink, const char *text) {
  stow_report_put_right(sink, text, NUMBER);
}

static void put_number(stow_sink sink, int64_t value) {
  put_word(sink, stow_report_cell_signed(value).text);
}

static void put_bytes(stow_sink sink, uint64_t value) {
  put_word(sink, stow_report_cell_unsigned(value).text);
}

static void put_head(stow_sink sink, const char *const names[], size_t count, const char *last) {
  stow_report_put(sink, "  ");
  for (size_t i = 0; i < count; i++)
    put_word(sink, names[i]);
  STOW_PUT(sink, "  ", last, "\n");
}

static void put_counted(stow_sink sink, uint64_t count, const char *noun) {
  STOW_PUT(sink, stow_report_cell_unsigned(count).text, noun, count == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static void put_op(stow_sink sink, const stow_report_op *op) {
  stow_report_put(sink, "  ");
  if (strcmp(op->stage, "steps") == 0) {
    put_number(sink, op->delay);
    put_number(sink, op->period);
    put_number(sink, op->rate);
    put_number(sink, op->iterations);
  } else {
    put_word(sink, op->stage);
    for (unsigned i = 0; i < 3; i++)
      put_word(sink, "-");
  }
  stow_report_put_shown_if_any(sink, "  ", op->name, "");
  stow_report_put_shown_if_any(sink, "  ", op->location, "");
  stow_report_put_shown_if_any(sink, "  ", op->layer, "");
  stow_report_put(sink, "\n");
}

static void put_buffer(stow_sink sink, const stow_report_stream *stream,
                       const stow_report_rows *buffer) {
  stow_report_put(sink, "  ");
  put_number(sink, stow_report_streamed_delay(stream, buffer));
  put_number(sink, buffer->rows);
  put_number(sink, buffer->kept);
  put_bytes(sink, buffer->bytes);
  put_bytes(sink, buffer->kept_bytes);
  put_word(sink, buffer->storage);
  stow_report_put_shown_if_any(sink, "  ", buffer->name, "");
  stow_report_put_shown_if_any(sink, "  ", buffer->type, "");
  stow_report_put_shown_if_any(sink, "  ", buffer->location, "");
  if (buffer->over) {
    stow_report_put_shown_if_any(sink, "  over ", buffer->over, "");
    STOW_PUT(sink, ", ", stow_report_cell_signed(buffer->distance).text,
             buffer->distance == 1 || buffer->distance == -1 ? " byte apart" : " bytes apart");
  }
  stow_report_put(sink, "\n");
}

static size_t count_windows(const stow_report_stream *stream) {
  size_t count = 0;
  for (size_t i = 0; i < stream->buffer_count; i++)
    count += strcmp(stream->buffers[i].storage, "whole") != 0;
  return count;
}

static void put_stream(stow_sink sink, const stow_report_stream *stream, size_t number) {
  static const char *const of_op[] = {"delay", "period", "rate", "iterations"};
  static const char *const of_buffer[] = {"delay", "rows",       "kept",
                                          "bytes", "kept bytes", "storage"};
  STOW_PUT(sink, "\n  stream ", stow_report_cell_unsigned(number).text, ": ");
  put_counted(sink, (uint64_t)stream->steps, " step");
  stow_report_put(sink, ", ");
  put_counted(sink, count_windows(stream), " buffer");
  STOW_PUT(sink, " of ", stow_report_cell_unsigned(stream->bytes).text, " bytes in ",
           stow_report_cell_unsigned(stream->kept_bytes).text, ", ");
  put_counted(sink, stream->moved_bytes, " byte");
  stow_report_put(sink, " moved\n");
  put_head(sink, of_op, 4, "op");
  for (size_t i = 0; i < stream->op_count; i++)
    put_op(sink, &stream->ops[i]);
  put_head(sink, of_buffer, 6, "buffer");
  for (size_t i = 0; i < stream->buffer_count; i++)
    put_buffer(sink, stream, &stream->buffers[i]);
}

//===----------------------------------------------------------------------===//
// What stayed whole
//===----------------------------------------------------------------------===//

static void put_whole(stow_sink sink, const stow_report_whole *whole) {
  stow_report_put_shown_if_any(sink, "    ", whole->name, "");
  stow_report_put(sink, ", ");
  put_counted(sink, whole->bytes, " byte");
  stow_report_put_shown_if_any(sink, ", ", whole->type, "");
  stow_report_put_shown_if_any(sink, ", ", whole->location, "");
  STOW_PUT(sink, "\n      ", whole->reason);
  stow_report_put_shown_if_any(sink, ": ", whole->detail, "");
  stow_report_put_shown_if_any(sink, ": ", whole->op, "");
  stow_report_put_shown_if_any(sink, " at ", whole->op_location, "");
  stow_report_put_shown_if_any(sink, "\n      to change that: ", whole->suggestion, "");
  stow_report_put(sink, "\n");
}

static void put_wholes(stow_sink sink, const stow_report_streamed *function) {
  if (function->whole_count == 0)
    return;
  stow_report_put(sink, "\n  whole, largest first\n");
  for (size_t i = 0; i < function->whole_count; i++)
    put_whole(sink, &function->wholes[i]);
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

static void put_function(stow_sink sink, const stow_report_streamed *function) {
  stow_report_put_shown_if_any(sink, "\n", function->function, "");
  STOW_PUT(sink, "\n  arenas: ", stow_report_cell_unsigned(function->before).text,
           " bytes before, ", stow_report_cell_unsigned(function->after).text,
           function->undone ? " with the streams below: undone\n" : " after\n");
  for (size_t i = 0; i < function->stream_count; i++)
    put_stream(sink, &function->streams[i], i + 1);
  put_wholes(sink, function);
}

void stow_report_streams_text(const stow_report_streams *report, stow_sink sink) {
  size_t streams = 0;
  for (size_t i = 0; i < report->function_count; i++)
    streams += report->functions[i].undone ? 0 : report->functions[i].stream_count;
  STOW_PUT(sink, report->title, ": ");
  put_counted(sink, streams, " stream");
  stow_report_put(sink, "\n");
  stow_report_put_shown_if_any(sink, "  ", report->note, "\n");
  for (size_t i = 0; i < report->function_count; i++)
    put_function(sink, &report->functions[i]);
}
