//===- streams_rows.c - the rows of a stream's buffers, step by step ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a stream as its report has it. Computes which rows of a buffer are written, read and
// held in a step, by the ops' delays and strides.
//
//===----------------------------------------------------------------------===//

#include "streams.h"

#include <assert.h>
#include <string.h>

static const stow_row_span none = {0, 0};

static bool is_empty(stow_row_span span) { return span.low >= span.high; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static stow_row_span hull(stow_row_span a, stow_row_span b) {
  if (is_empty(a) || is_empty(b))
    return is_empty(a) ? b : a;
  return (stow_row_span){least(a.low, b.low), most(a.high, b.high)};
}

static bool runs_in_steps(const stow_report_op *op) { return strcmp(op->stage, "steps") == 0; }

// How often an op has run before a step begins.
static int64_t times_before(const stow_report_op *op, int64_t step) {
  return step <= op->delay ? 0 : (step - op->delay - 1) / op->period + 1;
}

// Iterations that an op makes.
static stow_row_span iterations_in(const stow_report_op *op, int64_t from, int64_t to) {
  if (!runs_in_steps(op))
    return none;
  return (stow_row_span){least(op->iterations, op->rate * times_before(op, from)),
                         least(op->iterations, op->rate * times_before(op, to))};
}

static stow_row_span rows_of(const stow_report_stream *stream, const stow_report_rows *buffer,
                             const stow_report_touch *touch, int64_t from, int64_t to) {
  const stow_row_span made = iterations_in(&stream->ops[touch->op], from, to);
  if (is_empty(made))
    return none;
  if (touch->whole)
    return (stow_row_span){0, buffer->rows};
  return (stow_row_span){most(0, touch->stride * made.low + touch->low),
                         least(buffer->rows, touch->stride * (made.high - 1) + touch->high + 1)};
}

static stow_row_span rows_by(const stow_report_stream *stream, const stow_report_rows *buffer,
                             bool writes, int64_t from, int64_t to) {
  stow_row_span all = none;
  for (size_t i = 0; i < buffer->touch_count; i++)
    if (buffer->touches[i].writes == writes)
      all = hull(all, rows_of(stream, buffer, &buffer->touches[i], from, to));
  assert(is_empty(all) || (all.low >= 0 && all.high <= buffer->rows));
  return all;
}

stow_row_span stow_report_streamed_written(const stow_report_stream *stream,
                                           const stow_report_rows *buffer, int64_t from,
                                           int64_t to) {
  return rows_by(stream, buffer, true, from, to);
}

stow_row_span stow_report_streamed_read(const stow_report_stream *stream,
                                        const stow_report_rows *buffer, int64_t from, int64_t to) {
  return rows_by(stream, buffer, false, from, to);
}

static stow_row_span touched(const stow_report_stream *stream, const stow_report_rows *buffer,
                             int64_t from, int64_t to) {
  return hull(rows_by(stream, buffer, true, from, to), rows_by(stream, buffer, false, from, to));
}

stow_row_span stow_report_streamed_held(const stow_report_stream *stream,
                                        const stow_report_rows *buffer, int64_t from, int64_t to) {
  const stow_row_span before = rows_by(stream, buffer, true, 0, to);
  const stow_row_span later = touched(stream, buffer, from, stream->steps);
  const stow_row_span now = touched(stream, buffer, from, to);
  if (is_empty(before) || is_empty(later) || later.low >= before.high)
    return now;
  return hull(now, (stow_row_span){later.low, before.high});
}

int64_t stow_report_streamed_delay(const stow_report_stream *stream,
                                   const stow_report_rows *buffer) {
  int64_t delay = INT64_MAX;
  for (size_t i = 0; i < buffer->touch_count; i++) {
    const stow_report_op *const op = &stream->ops[buffer->touches[i].op];
    if (runs_in_steps(op))
      delay = least(delay, op->delay);
  }
  return delay == INT64_MAX ? 0 : delay;
}

bool stow_report_streamed_has_rows(const stow_report_stream *stream,
                                   const stow_report_rows *buffer) {
  for (size_t i = 0; i < buffer->touch_count; i++)
    if (!buffer->touches[i].whole && buffer->touches[i].stride > 0 &&
        runs_in_steps(&stream->ops[buffer->touches[i].op]))
      return true;
  return false;
}
