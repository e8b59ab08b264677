//===- csv_row.h - one row of a CSV file at a time ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields are separated by commas; one that begins with a quote ends at the next
// quote that is not doubled, and may hold commas and line ends. Blanks around a
// field do not belong to it. A row's memory is bounded whatever the file is: a field
// longer than TOOL_FIELD_LIMIT or a row of more than TOOL_FIELDS fields is an error
// with its place, and so is a byte no text has.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_CSV_ROW_H
#define STOWAGE_TOOL_CSV_ROW_H

#include "stream.h"

enum { TOOL_FIELDS = 64, TOOL_FIELD_LIMIT = 1 << 20 };

typedef struct tool_csv_field {
  size_t start, size; // in the row's text
  tool_position position;
} tool_csv_field;

// Zero-initialised is ready for the first row.
typedef struct tool_csv_row {
  size_t count; // fields
  tool_csv_field fields[TOOL_FIELDS];
  char *text;
  size_t text_size, text_capacity;
} tool_csv_row;

void tool_csv_row_release(tool_csv_row *row);

// Reads the next row that is not blank. At the end of the input `row->count` is 0.
bool tool_csv_row_read(tool_csv_row *row, tool_stream *stream, tool_error *out_error);

#endif // STOWAGE_TOOL_CSV_ROW_H
