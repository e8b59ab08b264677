//===- streams_rows.h - the rows of a stream's buffers, step by step ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule says of steps [from, to) taken together.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_STREAMS_ROWS_H
#define STOWAGE_REPORT_STREAMS_ROWS_H

#include "streams.h"

// Rows [low, high). Empty where low == high.
typedef struct stow_row_span {
  int64_t low, high;
} stow_row_span;

// From the lowest row that is written, or is read and not written, to the highest.
stow_row_span stow_streamed_written(const stow_report_stream *stream,
                                    const stow_report_rows *buffer, int64_t from, int64_t to);
stow_row_span stow_streamed_read(const stow_report_stream *stream, const stow_report_rows *buffer,
                                 int64_t from, int64_t to);

// The rows that are kept: touched, or written before and touched later.
stow_row_span stow_streamed_held(const stow_report_stream *stream, const stow_report_rows *buffer,
                                 int64_t from, int64_t to);

// The step in which a buffer is first touched.
int64_t stow_streamed_delay(const stow_report_stream *stream, const stow_report_rows *buffer);

// Whether ops in the steps tell its rows apart.
bool stow_streamed_has_rows(const stow_report_stream *stream, const stow_report_rows *buffer);

#endif // STOWAGE_REPORT_STREAMS_ROWS_H
