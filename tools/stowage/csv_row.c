//===- csv_row.c - one row of a CSV file at a time ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "csv_row.h"

#include "array.h"

#include <stdlib.h>

void tool_csv_row_release(tool_csv_row *row) {
  free(row->text);
  *row = (tool_csv_row){0};
}

static bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool ends_field(int c) { return c == ',' || c == '\n' || c == TOOL_END; }

static void skip_blanks(tool_stream *stream) {
  while (is_blank(tool_peek(stream)))
    tool_next(stream);
}

static bool is_text(int c) { return c >= 0x20 || is_blank(c) || c == '\n'; }

// Steps over the next byte into the field.
static bool take(tool_csv_row *row, tool_csv_field *field, tool_stream *stream, tool_error *error) {
  const tool_position position = stream->position;
  const int c = tool_next(stream);
  if (!is_text(c))
    return tool_fail(error, position, "byte 0x%02x: this is not a text file", (unsigned)c);
  if (field->size == TOOL_FIELD_LIMIT)
    return tool_fail(error, field->position, "a field of more than %d bytes", TOOL_FIELD_LIMIT);
  if (!tool_reserve((void **)&row->text, &row->text_capacity, row->text_size + 1, 1))
    return tool_fail_memory(error);
  row->text[row->text_size++] = (char)c;
  field->size++;
  return true;
}

static bool read_quoted(tool_csv_row *row, tool_csv_field *field, tool_stream *stream,
                        tool_error *error) {
  tool_next(stream);
  for (;;) {
    if (tool_peek(stream) == TOOL_END)
      return tool_fail(error, field->position, "a quoted field that never ends");
    if (tool_peek(stream) != '"') {
      if (!take(row, field, stream, error))
        return false;
      continue;
    }
    tool_next(stream);
    if (tool_peek(stream) != '"')
      break;
    if (!take(row, field, stream, error))
      return false;
  }
  skip_blanks(stream);
  return ends_field(tool_peek(stream)) ||
         tool_fail(error, stream->position, "expected ',' or the end of the line after a quote");
}

static bool read_plain(tool_csv_row *row, tool_csv_field *field, tool_stream *stream,
                       tool_error *error) {
  while (!ends_field(tool_peek(stream)))
    if (!take(row, field, stream, error))
      return false;
  while (field->size && is_blank(row->text[field->start + field->size - 1]))
    field->size--;
  return true;
}

static bool read_field(tool_csv_row *row, tool_stream *stream, tool_error *error) {
  if (row->count == TOOL_FIELDS)
    return tool_fail(error, stream->position, "a row of more than %d fields", TOOL_FIELDS);
  skip_blanks(stream);
  tool_csv_field *const field = &row->fields[row->count++];
  *field = (tool_csv_field){.start = row->text_size, .position = stream->position};
  return (tool_peek(stream) == '"' ? read_quoted : read_plain)(row, field, stream, error);
}

static void skip_blank_lines(tool_stream *stream) {
  while (is_blank(tool_peek(stream)) || tool_peek(stream) == '\n')
    tool_next(stream);
}

bool tool_csv_row_read(tool_csv_row *row, tool_stream *stream, tool_error *out_error) {
  row->count = row->text_size = 0;
  skip_blank_lines(stream);
  if (tool_peek(stream) == TOOL_END)
    return tool_stream_check(stream, out_error);
  do {
    if (row->count)
      tool_next(stream); // the comma
    if (!read_field(row, stream, out_error))
      return false;
  } while (tool_peek(stream) == ',');
  tool_next(stream);
  return tool_stream_check(stream, out_error);
}
