//===- csv_writer.c - instances into CSV ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "csv_writer.h"

#include "put.h"
#include "relation_list.h"

#include <string.h>

// The optional columns that are written.
typedef struct row_columns {
  bool alignment, hint, gaps, space, spaces, name, op, layer, type, location, op_location;
  bool relations[TOOL_RELATION_KINDS];
  bool quoted_lists; // a name in one of the lists could not stand there without
} row_columns;

static const char *related_id(const tool_instance *instance, size_t relation) {
  return tool_instance_id(instance, instance->relations[relation].second);
}

static const char *space_name(const tool_instance *instance, size_t space) {
  return tool_instance_string(instance, instance->space_names[space]);
}

static row_columns choose_columns(const tool_instance *instance, const uint64_t *offsets) {
  row_columns columns = {.hint = tool_instance_has_hints(instance),
                         .gaps = instance->piece_count != 0,
                         .space = offsets && instance->space_count > 1};
  for (size_t i = 0; i < instance->count; i++) {
    const tool_labels *const labels = &instance->labels[i];
    columns.alignment |= instance->buffers[i].alignment > 1;
    columns.spaces |= instance->space_count && instance->allowed[i] != UINT64_MAX;
    columns.name |= labels->name != 0;
    columns.op |= labels->op != 0;
    columns.layer |= labels->layer != 0;
    columns.type |= labels->type != 0;
    columns.location |= labels->location != 0;
    columns.op_location |= labels->op_location != 0;
  }
  for (size_t i = 0; i < instance->relation_count; i++) {
    columns.relations[instance->relations[i].kind] = true;
    columns.quoted_lists |= stow_report_csv_needs_quotes(related_id(instance, i));
  }
  for (size_t i = 0; i < instance->space_count; i++)
    columns.quoted_lists |= stow_report_csv_needs_quotes(space_name(instance, i));
  return columns;
}

static void put_field(stow_sink sink, const char *text) {
  stow_report_put(sink, ",");
  stow_report_put_csv_field(sink, text);
}

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

static void put_gap(int64_t begin, int64_t end, const char **separator, stow_sink sink) {
  stow_report_put(sink, *separator);
  stow_report_put_signed(sink, begin);
  stow_report_put(sink, "-");
  stow_report_put_signed(sink, end);
  *separator = " ";
}

static void put_window(const stow_piece *piece, const char **separator, stow_sink sink) {
  put_gap(piece->begin, piece->end, separator, sink);
  stow_report_put(sink, "@");
  stow_report_put_unsigned(sink, piece->low);
  stow_report_put(sink, ":");
  stow_report_put_unsigned(sink, piece->high);
}

// What lies between pieces, and pieces that are only a part of the buffer.
static void put_gaps(const tool_instance *instance, size_t index, stow_sink sink) {
  const stow_piece *pieces;
  const size_t count = tool_instance_pieces(instance, index, &pieces);
  const stow_buffer *const life = &instance->buffers[index];
  const char *separator = "";
  int64_t covered = life->begin;
  stow_report_put(sink, ",");
  for (size_t i = 0; i < count; i++) {
    if (covered < pieces[i].begin)
      put_gap(covered, pieces[i].begin, &separator, sink);
    if (pieces[i].high && (pieces[i].low || pieces[i].high < life->size))
      put_window(&pieces[i], &separator, sink);
    covered = pieces[i].end;
  }
  if (count && covered < life->end)
    put_gap(covered, life->end, &separator, sink);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

// A list of names is one field, with blanks between them.
typedef struct name_list {
  stow_sink sink;
  const char *quote, *separator;
} name_list;

static name_list open_list(stow_sink sink, const row_columns *columns) {
  const name_list list = {sink, columns->quoted_lists ? "\"" : "", ""};
  stow_report_put(sink, ",");
  stow_report_put(sink, list.quote);
  return list;
}

static void put_name(name_list *list, const char *name) {
  stow_report_put(list->sink, list->separator);
  (*list->quote ? stow_report_put_csv_in_quotes : stow_report_put)(list->sink, name);
  list->separator = " ";
}

static void close_list(const name_list *list) { stow_report_put(list->sink, list->quote); }

static bool is_listable(const char *name) { return *name && !strchr(name, ' '); }

const char *tool_csv_misfit(const tool_instance *instance) {
  for (size_t i = 0; i < instance->relation_count; i++)
    if (!is_listable(related_id(instance, i)))
      return related_id(instance, i);
  for (size_t i = 0; i < instance->space_count; i++)
    if (!is_listable(space_name(instance, i)))
      return space_name(instance, i);
  return NULL;
}

static void put_spaces(const tool_instance *instance, size_t index, const row_columns *columns,
                       stow_sink sink) {
  name_list list = open_list(sink, columns);
  for (size_t i = 0; i < instance->space_count && instance->allowed[index] != UINT64_MAX; i++)
    if (instance->allowed[index] >> i & 1)
      put_name(&list, space_name(instance, i));
  close_list(&list);
}

// `*at` is the buffer's first relation, of those sorted by their first buffers; it becomes the next
// buffer's.
static void put_relations(const tool_instance *instance, size_t index, const row_columns *columns,
                          size_t *at, stow_sink sink) {
  size_t end = *at;
  while (end < instance->relation_count && instance->relations[end].first == index)
    end++;
  for (size_t kind = 0; kind < TOOL_RELATION_KINDS; kind++) {
    if (!columns->relations[kind])
      continue;
    name_list list = open_list(sink, columns);
    for (size_t i = *at; i < end; i++)
      if (instance->relations[i].kind == (stow_relation_kind)kind)
        put_name(&list, related_id(instance, i));
    close_list(&list);
  }
  *at = end;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static void put_label(const tool_instance *instance, bool shown, size_t text, stow_sink sink) {
  if (shown)
    put_field(sink, tool_instance_string(instance, text));
}

static void put_labels(const tool_instance *instance, size_t index, const row_columns *columns,
                       stow_sink sink) {
  const tool_labels *const labels = &instance->labels[index];
  put_label(instance, columns->name, labels->name, sink);
  put_label(instance, columns->op, labels->op, sink);
  put_label(instance, columns->layer, labels->layer, sink);
  put_label(instance, columns->type, labels->type, sink);
  put_label(instance, columns->location, labels->location, sink);
  put_label(instance, columns->op_location, labels->op_location, sink);
}

static void put_row(const tool_instance *instance, size_t index, const row_columns *columns,
                    const uint64_t *offsets, const uint32_t *spaces, stow_sink sink) {
  const stow_buffer *const buffer = &instance->buffers[index];
  stow_report_put_csv_field(sink, tool_instance_id(instance, index));
  put_field(sink, stow_report_cell_signed(buffer->begin).text);
  put_field(sink, stow_report_cell_signed(buffer->end).text);
  put_field(sink, stow_report_cell_unsigned(buffer->size).text);
  if (columns->alignment)
    put_field(sink, stow_report_cell_unsigned(buffer->alignment).text);
  if (columns->hint)
    put_field(sink, instance->hints[index] == STOW_ANY_OFFSET
                        ? "-1"
                        : stow_report_cell_unsigned(instance->hints[index]).text);
  if (columns->gaps)
    put_gaps(instance, index, sink);
  if (offsets)
    put_field(sink, offsets[index] == STOW_ANY_OFFSET
                        ? ""
                        : stow_report_cell_unsigned(offsets[index]).text);
  if (columns->space)
    put_field(sink, space_name(instance, spaces[index]));
  if (columns->spaces)
    put_spaces(instance, index, columns, sink);
}

void tool_write_csv(const tool_instance *instance, const uint64_t *offsets, const uint32_t *spaces,
                    stow_sink sink) {
  const row_columns columns = choose_columns(instance, offsets);
  size_t relation = 0;
  stow_report_put(sink, "id,lower,upper,size");
  stow_report_put(sink, columns.alignment ? ",alignment" : "");
  stow_report_put(sink, columns.hint ? ",hint" : "");
  stow_report_put(sink, columns.gaps ? ",gaps" : "");
  stow_report_put(sink, offsets ? ",offset" : "");
  stow_report_put(sink, columns.space ? ",space" : "");
  stow_report_put(sink, columns.spaces ? ",spaces" : "");
  for (size_t kind = 0; kind < TOOL_RELATION_KINDS; kind++)
    if (columns.relations[kind])
      put_field(sink, tool_relation_name((stow_relation_kind)kind));
  stow_report_put(sink, columns.name ? ",name" : "");
  stow_report_put(sink, columns.op ? ",op" : "");
  stow_report_put(sink, columns.layer ? ",layer" : "");
  stow_report_put(sink, columns.type ? ",type" : "");
  stow_report_put(sink, columns.location ? ",location" : "");
  stow_report_put(sink, columns.op_location ? ",op_location" : "");
  stow_report_put(sink, "\n");
  for (size_t i = 0; i < instance->count; i++) {
    put_row(instance, i, &columns, offsets, spaces, sink);
    put_relations(instance, i, &columns, &relation, sink);
    put_labels(instance, i, &columns, sink);
    stow_report_put(sink, "\n");
  }
}
