//===- streams.h - networks executed row by row, described ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What report.h is to a planned memory, this is to a schedule of rows: one model that
// stream-rows fills, and its renderings. The words are those of stowage/stream.h: ops of
// a stream run in steps, buffers keep some rows. Strings are the caller's and never NULL
// unless said.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_STREAMS_H
#define STOWAGE_REPORT_STREAMS_H

#include "report.h"

typedef struct stow_report_op {
  const char *name;            // "linalg.matmul"
  const char *location;        // or ""
  const char *layer;           // the name its location has from a frontend, or NULL
  const char *stage;           // "steps", or "before" or "after" them as a whole
  int64_t iterations;          // of the loop it is split along; 0: it cannot be split
  int64_t rate, period, delay; // iterations [rate * k, + rate) in step period * k + delay
} stow_report_op;

// Rows that an op of the stream touches: stride * i + low to stride * i + high in iteration i.
typedef struct stow_report_touch {
  size_t op;
  bool writes, whole; // whole: any row, in any iteration
  int64_t stride, low, high;
} stow_report_touch;

// A buffer of a stream. In step t its window begins at row
// advance * floor((t - phase) / period) + base; a ring has the last `kept` rows that were written.
typedef struct stow_report_rows {
  const char *name, *type, *location;
  const char *storage; // "step", "shift", "ring", as in stow_stream_storage; "whole": no window
  uint64_t bytes, kept_bytes;
  int64_t rows, kept, moved; // moved: rows, each time the window advances
  int64_t period, phase, advance, base;
  const stow_report_touch *touches;
  size_t touch_count;
  const char *over; // the buffer over whose dead rows it lies, in memory that both share; or NULL
  int64_t distance; // so many bytes behind the beginning of that one
} stow_report_rows;

typedef struct stow_report_stream {
  int64_t steps;
  const stow_report_op *ops; // in program order
  size_t op_count;
  const stow_report_rows *buffers; // in program order
  size_t buffer_count;
  uint64_t bytes, kept_bytes; // of the buffers with a window, before and after
  uint64_t moved_bytes;       // in all steps
} stow_report_stream;

// A buffer that stayed whole.
typedef struct stow_report_whole {
  const char *name, *type, *location;
  uint64_t bytes;
  const char *reason;           // a short code: "all-rows"
  const char *detail;           // the reason as a clause
  const char *op, *op_location; // the op that needs it so; or NULL
  const char *suggestion;       // or NULL
} stow_report_whole;

typedef struct stow_report_streamed {
  const char *function;
  uint64_t before, after; // bytes of its arenas
  bool undone;            // the streams made no arena smaller: the function is as it was
  const stow_report_stream *streams;
  size_t stream_count;
  const stow_report_whole *wholes; // largest first
  size_t whole_count;
} stow_report_streamed;

typedef struct stow_report_streams {
  const char *title;
  const stow_report_streamed *functions;
  size_t function_count;
  const char *note;             // why nothing was done, or NULL
  const char *map, *map_before; // of the page: the reports, as JSON, of the memory that is planned
                                // with the streams and without; or NULL
} stow_report_streams;

void stow_report_streams_text(const stow_report_streams *report, stow_sink sink);

// Everything, as one JSON object with a "version" field.
void stow_report_streams_json(const stow_report_streams *report, stow_sink sink);

// The page of the memory map with a picture of each stream: its buffers' rows against steps.
void stow_report_streams_html(const stow_report_streams *report, stow_sink sink);

//===----------------------------------------------------------------------===//
// streams_bands.c: streams of rows as bands on the page
//===----------------------------------------------------------------------===//

// An element with a line for each buffer of one stream of the function, that of the first open.
// The page has its style;
// `id` begins the ids in it.
void stow_report_put_stream_bands(stow_sink sink, const stow_report_streamed *function,
                                  size_t stream, const char *id);

//===----------------------------------------------------------------------===//
// streams_rows.c: the rows of a stream's buffers, step by step
//===----------------------------------------------------------------------===//
//
// What a schedule says of steps [from, to) taken together.

// Rows [low, high). Empty where low == high.
typedef struct stow_row_span {
  int64_t low, high;
} stow_row_span;

// From the lowest row that is written, or is read and not written, to the highest.
stow_row_span stow_report_streamed_written(const stow_report_stream *stream,
                                           const stow_report_rows *buffer, int64_t from,
                                           int64_t to);
stow_row_span stow_report_streamed_read(const stow_report_stream *stream,
                                        const stow_report_rows *buffer, int64_t from, int64_t to);

// The rows that are kept: touched, or written before and touched later.
stow_row_span stow_report_streamed_held(const stow_report_stream *stream,
                                        const stow_report_rows *buffer, int64_t from, int64_t to);

// The step in which a buffer is first touched.
int64_t stow_report_streamed_delay(const stow_report_stream *stream,
                                   const stow_report_rows *buffer);

// Whether ops in the steps distinguish its rows.
bool stow_report_streamed_has_rows(const stow_report_stream *stream,
                                   const stow_report_rows *buffer);

#endif // STOWAGE_REPORT_STREAMS_H
