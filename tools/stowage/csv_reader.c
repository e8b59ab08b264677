//===- csv_reader.c - instances out of CSV --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header says which column means what; then each row makes a buffer. Ids may be used
// before their rows come, so what refers to other buffers is settled at the end.
//
//===----------------------------------------------------------------------===//

#include "readers.h"

#include "csv_row.h"
#include "gap_list.h"
#include "id_set.h"
#include "number.h"
#include "relation_list.h"
#include "spaces.h"
#include "utf8.h"

#include <string.h>
#include <strings.h>

// What a column means. UPPER is one past the last point; END is the last point itself.
typedef enum column_kind {
  ID,
  LOWER,
  UPPER,
  END,
  SIZE,
  ALIGNMENT,
  GAPS,
  HINT,
  OFFSET,
  SPACE,
  SPACES,
  EXCLUSIVE,
  COLOCATED,
  MAY_COLOCATE,
  NAME,
  OP,
  LAYER,
  TYPE,
  LOCATION,
  OP_LOCATION,
  COLUMNS,
} column_kind;

static const struct {
  const char *name;
  column_kind column;
} column_names[] = {
    {"id", ID},
    {"buffer", ID},
    {"buffer_id", ID},
    {"lower", LOWER},
    {"begin", LOWER},
    {"start", LOWER},
    {"upper", UPPER},
    {"end", END},
    {"size", SIZE},
    {"alignment", ALIGNMENT},
    {"gaps", GAPS},
    {"hint", HINT},
    {"offset", OFFSET},
    {"name", NAME},
    {"space", SPACE},
    {"spaces", SPACES},
    {"exclusive", EXCLUSIVE},
    {"colocated", COLOCATED},
    {"may_colocate", MAY_COLOCATE},
    {"op", OP},
    {"layer", LAYER},
    {"type", TYPE},
    {"location", LOCATION},
    {"op_location", OP_LOCATION},
};

enum { ABSENT = TOOL_FIELDS };

typedef struct csv_reader {
  tool_csv_row row;
  size_t place[COLUMNS]; // of a column among the fields, or ABSENT
  size_t width;          // fields per row
  tool_id_set ids;
  tool_gap_list gaps; // of the current row
  tool_relation_list relations;
  tool_instance *instance;
  tool_error *error;
} csv_reader;

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

static const char *field_text(const csv_reader *reader, size_t field) {
  return reader->row.text + reader->row.fields[field].start;
}

static tool_excerpt quoted_field(const csv_reader *reader, size_t field) {
  return tool_quote(field_text(reader, field), reader->row.fields[field].size);
}

static column_kind column_of(const csv_reader *reader, size_t field) {
  const size_t size = reader->row.fields[field].size;
  for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
    if (strlen(column_names[i].name) == size &&
        !strncasecmp(column_names[i].name, field_text(reader, field), size))
      return column_names[i].column;
  return COLUMNS;
}

static bool place_column(csv_reader *reader, size_t field) {
  const column_kind column = column_of(reader, field);
  if (column == COLUMNS)
    return true;
  if (reader->place[column] != ABSENT)
    return tool_fail(reader->error, reader->row.fields[field].position,
                     "column %s says the same as column %zu", quoted_field(reader, field).text,
                     reader->place[column] + 1);
  reader->place[column] = field;
  return true;
}

// What stands between the columns where commas should; 0 where it is not that.
static char other_separator(const csv_reader *reader) {
  const tool_csv_field *const field = &reader->row.fields[0];
  const char *const text = field_text(reader, 0);
  for (size_t i = 0; i < field->size && reader->width == 1; i++)
    if (text[i] == ';' || text[i] == '\t' || text[i] == '|')
      return text[i];
  return 0;
}

static bool require(const csv_reader *reader, bool present, const char *names) {
  const char separator = other_separator(reader);
  if (!present && separator)
    return tool_fail(reader->error, reader->row.fields[0].position,
                     "expected ',' between the columns, found %s",
                     separator == '\t' ? "a tab" : tool_quote(&separator, 1).text);
  return present || tool_fail(reader->error, reader->row.fields[0].position,
                              "the header has no column %s", names);
}

static bool require_columns(const csv_reader *reader) {
  const size_t *const place = reader->place;
  const bool upper = place[UPPER] != ABSENT, end = place[END] != ABSENT;
  if (upper && end)
    return tool_fail(reader->error, reader->row.fields[place[END]].position,
                     "the header has both 'upper' (one past the last point) and 'end' (the last "
                     "point); expected one of them");
  return require(reader, place[ID] != ABSENT, "'id' ('buffer', 'buffer_id')") &&
         require(reader, place[LOWER] != ABSENT, "'lower' ('begin', 'start')") &&
         require(reader, upper || end, "'upper' (or 'end', inclusive)") &&
         require(reader, place[SIZE] != ABSENT, "'size'");
}

static bool read_header(csv_reader *reader, tool_stream *stream) {
  for (size_t i = 0; i < COLUMNS; i++)
    reader->place[i] = ABSENT;
  if (!tool_csv_row_read(&reader->row, stream, reader->error))
    return false;
  if (!reader->row.count)
    return tool_fail(reader->error, (tool_position){1, 1},
                     "expected a header such as id,lower,upper,size; the input is empty");
  reader->width = reader->row.count;
  for (size_t i = 0; i < reader->width; i++)
    if (!place_column(reader, i))
      return false;
  return require_columns(reader);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static bool fail_field(const csv_reader *reader, column_kind column, const char *expected) {
  const size_t field = reader->place[column];
  return tool_fail(reader->error, reader->row.fields[field].position, "expected %s, found %s",
                   expected, quoted_field(reader, field).text);
}

static bool read_point(const csv_reader *reader, column_kind column, int64_t *out_point) {
  const size_t field = reader->place[column], size = reader->row.fields[field].size;
  bool fits;
  const size_t used = tool_scan_signed(field_text(reader, field), size, out_point, &fits);
  if (!size || used != size)
    return fail_field(reader, column, "an integer, a program point");
  return fits || fail_field(reader, column, "a program point that fits 64 bits");
}

static bool read_unsigned(const csv_reader *reader, column_kind column, const char *expected,
                          uint64_t *out_value) {
  const size_t field = reader->place[column], size = reader->row.fields[field].size;
  bool fits;
  const size_t used = tool_scan_unsigned(field_text(reader, field), size, out_value, &fits);
  if (!size || used != size)
    return fail_field(reader, column, expected);
  return fits || fail_field(reader, column, "a number that fits 64 bits");
}

static bool is_given(const csv_reader *reader, column_kind column) {
  return reader->place[column] != ABSENT && reader->row.fields[reader->place[column]].size;
}

static bool read_life(const csv_reader *reader, stow_buffer *buffer) {
  const bool inclusive = reader->place[END] != ABSENT;
  const column_kind end = inclusive ? END : UPPER;
  if (!read_point(reader, LOWER, &buffer->begin) || !read_point(reader, end, &buffer->end))
    return false;
  if (inclusive && __builtin_add_overflow(buffer->end, 1, &buffer->end))
    return fail_field(reader, end, "a last point below the largest 64-bit integer");
  return buffer->begin < buffer->end ||
         fail_field(reader, end,
                    inclusive ? "a last point not before the first" : "an end after the begin");
}

static bool read_alignment(const csv_reader *reader, stow_buffer *buffer) {
  buffer->alignment = 1;
  if (!is_given(reader, ALIGNMENT))
    return true;
  if (!read_unsigned(reader, ALIGNMENT, "an alignment in bytes", &buffer->alignment))
    return false;
  if (!buffer->alignment)
    buffer->alignment = 1;
  return !(buffer->alignment & (buffer->alignment - 1)) ||
         fail_field(reader, ALIGNMENT, "a power of two");
}

static bool is_minus_one(const csv_reader *reader, column_kind column) {
  const size_t field = reader->place[column];
  return reader->row.fields[field].size == 2 && !memcmp(field_text(reader, field), "-1", 2);
}

// Of an offset or a hint: nothing and -1 are none.
static bool read_offset(const csv_reader *reader, column_kind column, uint64_t *out_offset) {
  *out_offset = STOW_ANY_OFFSET;
  if (!is_given(reader, column) || is_minus_one(reader, column))
    return true;
  if (!read_unsigned(reader, column, "an offset in bytes, or -1 for none", out_offset))
    return false;
  return *out_offset != STOW_ANY_OFFSET || fail_field(reader, column, "a smaller offset");
}

static bool read_label(const csv_reader *reader, column_kind column, size_t *out_text) {
  *out_text = 0;
  if (!is_given(reader, column))
    return true;
  const size_t field = reader->place[column];
  if (!tool_is_utf8(field_text(reader, field), reader->row.fields[field].size))
    return fail_field(reader, column, "text in UTF-8");
  return tool_instance_text(reader->instance, field_text(reader, field),
                            reader->row.fields[field].size, out_text) ||
         tool_fail_memory(reader->error);
}

static bool read_labels(const csv_reader *reader, tool_labels *labels) {
  if (!is_given(reader, ID))
    return fail_field(reader, ID, "an id");
  return read_label(reader, ID, &labels->id) && read_label(reader, NAME, &labels->name) &&
         read_label(reader, OP, &labels->op) && read_label(reader, LAYER, &labels->layer) &&
         read_label(reader, TYPE, &labels->type) &&
         read_label(reader, LOCATION, &labels->location) &&
         read_label(reader, OP_LOCATION, &labels->op_location);
}

static bool add_row(csv_reader *reader, tool_entry *entry) {
  size_t first;
  entry->pieces = reader->gaps.pieces;
  entry->piece_count = reader->gaps.piece_count;
  if (!tool_instance_add(reader->instance, entry) ||
      !tool_id_set_add(&reader->ids, reader->instance, reader->instance->count - 1, &first))
    return tool_fail_memory(reader->error);
  return first + 1 == reader->instance->count ||
         tool_fail(reader->error, reader->row.fields[reader->place[ID]].position,
                   "id %s is taken by buffer %zu; expected one that no other row has",
                   quoted_field(reader, reader->place[ID]).text, first + 1);
}

//===----------------------------------------------------------------------===//
// Gaps: "10-20 30-40@0:64", inclusive where the life is
//===----------------------------------------------------------------------===//

// What is left of a gaps field while it is read.
typedef struct gap_text {
  const char *at, *end;
} gap_text;

static bool take_char(gap_text *text, char c) {
  const bool there = text->at < text->end && *text->at == c;
  text->at += there;
  return there;
}

static bool take_point(gap_text *text, int64_t *out_point) {
  bool fits;
  const size_t used = tool_scan_signed(text->at, (size_t)(text->end - text->at), out_point, &fits);
  text->at += used;
  return used && fits;
}

static bool take_bytes(gap_text *text, uint64_t *out_bytes) {
  bool fits;
  const size_t used =
      tool_scan_unsigned(text->at, (size_t)(text->end - text->at), out_bytes, &fits);
  text->at += used;
  return used && fits;
}

static bool take_gap(gap_text *text, bool inclusive, tool_gap *gap) {
  if (!take_point(text, &gap->begin) || !take_char(text, '-') || !take_point(text, &gap->end))
    return false;
  if (inclusive && __builtin_add_overflow(gap->end, 1, &gap->end))
    return false;
  if (take_char(text, '@') &&
      (!take_bytes(text, &gap->low) || !take_char(text, ':') || !take_bytes(text, &gap->high)))
    return false;
  return gap->begin <= gap->end && gap->low <= gap->high;
}

static bool read_gap_text(csv_reader *reader, const stow_buffer *buffer) {
  const tool_csv_field *const field = &reader->row.fields[reader->place[GAPS]];
  gap_text text = {reader->row.text + field->start, reader->row.text + field->start + field->size};
  for (;;) {
    while (take_char(&text, ' '))
      continue;
    if (text.at == text.end)
      return true;
    tool_gap gap = {0};
    if (!take_gap(&text, reader->place[END] != ABSENT, &gap) || gap.high > buffer->size ||
        (text.at < text.end && *text.at != ' '))
      return fail_field(reader, GAPS, "gaps such as '10-20 30-40@0:64' inside the buffer");
    if (!tool_gap_list_add(&reader->gaps, &gap))
      return tool_fail_memory(reader->error);
  }
}

static bool read_gaps(csv_reader *reader, const stow_buffer *buffer) {
  tool_gap_list *const gaps = &reader->gaps;
  tool_gap_list_clear(gaps);
  if (!is_given(reader, GAPS))
    return true;
  if (!read_gap_text(reader, buffer))
    return false;
  if (tool_gap_list_reaches_past(gaps, buffer))
    tool_instance_warn(reader->instance, TOOL_GAPS_CUT,
                       reader->row.fields[reader->place[GAPS]].position);
  if (!tool_gap_list_settle(gaps, buffer))
    return fail_field(reader, GAPS, "gaps that do not overlap");
  if (!tool_gap_list_make_pieces(gaps, buffer))
    return tool_fail_memory(reader->error);
  if (gaps->count && !gaps->piece_count)
    return fail_field(reader, GAPS, "gaps that leave some of the life");
  tool_gap_list_join_pieces(gaps, buffer);
  return true;
}

//===----------------------------------------------------------------------===//
// Lists of names with blanks between them: other buffers, spaces
//===----------------------------------------------------------------------===//

// What is done with each name. False: an error has been filled in.
typedef bool each_name(csv_reader *reader, column_kind column, const char *name, size_t size,
                       void *into);

static bool read_names(csv_reader *reader, column_kind column, each_name *each, void *into) {
  if (!is_given(reader, column))
    return true;
  const tool_csv_field *const field = &reader->row.fields[reader->place[column]];
  const char *at = reader->row.text + field->start, *const end = at + field->size;
  while (at < end) {
    const char *const blank = memchr(at, ' ', (size_t)(end - at));
    const size_t size = (size_t)((blank ? blank : end) - at);
    if (size && !each(reader, column, at, size, into))
      return false;
    at += size + (blank != NULL);
  }
  return true;
}

static bool add_relation(csv_reader *reader, column_kind column, const char *name, size_t size,
                         void *into) {
  static const stow_relation_kind kinds[] = {STOW_EXCLUSIVE, STOW_COLOCATED, STOW_MAY_COLOCATE};
  (void)into;
  return tool_relation_list_add(&reader->relations, reader->instance, kinds[column - EXCLUSIVE],
                                name, size, reader->row.fields[reader->place[column]].position) ||
         tool_fail_memory(reader->error);
}

static bool add_space(csv_reader *reader, column_kind column, const char *name, size_t size,
                      void *into) {
  uint64_t *const spaces = into;
  size_t space;
  if (!tool_is_utf8(name, size))
    return fail_field(reader, column, "text in UTF-8");
  switch (tool_find_or_add_space(reader->instance, name, size, &space)) {
  case TOOL_SPACE_NO_MEMORY:
    return tool_fail_memory(reader->error);
  case TOOL_SPACE_TOO_MANY:
    return fail_field(reader, column, "at most 64 different spaces");
  case TOOL_SPACE_FOUND:
    break;
  }
  *spaces |= (uint64_t)1 << space;
  return true;
}

static bool read_space(csv_reader *reader, uint32_t *out_space) {
  uint64_t spaces = 0;
  *out_space = 0;
  if (!read_names(reader, SPACE, add_space, &spaces))
    return false;
  if (spaces & (spaces - 1))
    return fail_field(reader, SPACE, "one space");
  while (spaces >> *out_space > 1)
    ++*out_space;
  return true;
}

static bool read_lists(csv_reader *reader, tool_entry *entry) {
  if (is_given(reader, SPACE) && entry->offset == STOW_ANY_OFFSET)
    tool_instance_warn(reader->instance, TOOL_SPACE_ALONE,
                       reader->row.fields[reader->place[SPACE]].position);
  return read_space(reader, &entry->space) &&
         read_names(reader, SPACES, add_space, &entry->allowed) &&
         read_names(reader, EXCLUSIVE, add_relation, NULL) &&
         read_names(reader, COLOCATED, add_relation, NULL) &&
         read_names(reader, MAY_COLOCATE, add_relation, NULL);
}

//===----------------------------------------------------------------------===//
// All rows
//===----------------------------------------------------------------------===//

static bool check_width(const csv_reader *reader) {
  const size_t last = reader->row.count < reader->width ? reader->row.count : reader->width + 1;
  return reader->row.count == reader->width ||
         tool_fail(reader->error, reader->row.fields[last - 1].position,
                   "expected %zu fields as in the header, found %zu", reader->width,
                   reader->row.count);
}

static bool read_row(csv_reader *reader) {
  tool_entry entry = {0};
  return check_width(reader) && read_life(reader, &entry.buffer) &&
         read_unsigned(reader, SIZE, "a size in bytes", &entry.buffer.size) &&
         read_alignment(reader, &entry.buffer) && read_gaps(reader, &entry.buffer) &&
         read_offset(reader, OFFSET, &entry.offset) && read_offset(reader, HINT, &entry.hint) &&
         read_labels(reader, &entry.labels) && read_lists(reader, &entry) &&
         add_row(reader, &entry);
}

static bool read_rows(csv_reader *reader, tool_stream *stream) {
  for (;;) {
    if (!tool_csv_row_read(&reader->row, stream, reader->error))
      return false;
    if (!reader->row.count)
      return true;
    if (!read_row(reader))
      return false;
  }
}

bool tool_read_csv(tool_stream *stream, tool_instance *instance, tool_error *out_error) {
  csv_reader reader = {.instance = instance, .error = out_error};
  tool_skip_byte_order_mark(stream);
  const bool done = read_header(&reader, stream) && read_rows(&reader, stream) &&
                    tool_relation_list_settle(&reader.relations, &reader.ids, instance, out_error);
  tool_csv_row_release(&reader.row);
  tool_id_set_release(&reader.ids);
  tool_gap_list_release(&reader.gaps);
  tool_relation_list_release(&reader.relations);
  return done;
}
