//===- table.c - aligned columns ------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "table.h"

#include <assert.h>

void stow_table_row(stow_table *table) {
  assert(table->rows < STOW_TABLE_ROWS);
  table->rows++;
}

static stow_table_entry *entry_of(stow_table *table, size_t column) {
  assert(table->rows && column < STOW_TABLE_COLUMNS);
  return &table->entries[table->rows - 1][column];
}

void stow_table_text(stow_table *table, size_t column, const char *text) {
  entry_of(table, column)->text = text;
}

void stow_table_cell(stow_table *table, size_t column, stow_cell_text cell) {
  entry_of(table, column)->cell = cell;
}

static const char *shown(const stow_table_entry *entry) {
  return entry->text ? entry->text : entry->cell.text;
}

static size_t width_of(const stow_table *table, const stow_table_entry *entry) {
  const size_t width = stow_report_text_width(shown(entry));
  const bool truncated = entry->text && table->text_limit && width > table->text_limit;
  return truncated ? table->text_limit : width;
}

// Of a table with a head, a column with nothing under it is not shown.
static size_t column_width(const stow_table *table, size_t column) {
  size_t widest = 0;
  bool used = !table->has_head;
  for (size_t row = 1; row < table->rows && !used; row++)
    used = *shown(&table->entries[row][column]);
  if (!used)
    return 0;
  for (size_t row = 0; row < table->rows; row++) {
    const size_t width = width_of(table, &table->entries[row][column]);
    widest = width > widest ? width : widest;
  }
  return widest;
}

// One past the last column of `row` that is not empty: nothing is written after it.
static size_t used_columns(const stow_table_entry *row, const size_t *widths) {
  size_t used = STOW_TABLE_COLUMNS;
  while (used && (!widths[used - 1] || !*shown(&row[used - 1])))
    used--;
  return used;
}

static void put_text(stow_sink sink, const char *text, size_t width) {
  const size_t whole = stow_report_text_width(text), kept = width > 2 ? width - 2 : 0;
  if (whole <= width) {
    stow_report_put_shown(sink, text, 0, whole);
    return;
  }
  stow_report_put_shown(sink, text, 0, kept / 2);
  stow_report_put(sink, "..");
  stow_report_put_shown(sink, text, whole - (kept - kept / 2), whole);
}

static void put_entry(stow_sink sink, const stow_table *table, const stow_table_entry *entry,
                      size_t column, size_t width) {
  const size_t used = width_of(table, entry), padding = used < width ? width - used : 0;
  const bool right = table->right_columns >> column & 1;
  stow_report_put_char(sink, ' ', right ? padding : 0);
  if (entry->text)
    put_text(sink, entry->text, used);
  else
    stow_report_put(sink, entry->cell.text);
  stow_report_put_char(sink, ' ', right ? 0 : padding);
}

// Nothing is written after the last entry of a row.
static void put_row(stow_sink sink, const stow_table *table, const stow_table_entry *row,
                    const size_t *widths) {
  const size_t used = used_columns(row, widths);
  const char *gap = "";
  for (size_t column = 0; column < used; column++) {
    const bool last = column + 1 == used && !(table->right_columns >> column & 1);
    if (!widths[column])
      continue;
    stow_report_put(sink, gap);
    put_entry(sink, table, &row[column], column, last ? 0 : widths[column]);
    gap = "  ";
  }
  stow_report_put(sink, "\n");
}

void stow_report_put_table(stow_sink sink, const stow_table *table, size_t indent) {
  size_t widths[STOW_TABLE_COLUMNS];
  for (size_t column = 0; column < STOW_TABLE_COLUMNS; column++)
    widths[column] = column_width(table, column);
  for (size_t row = 0; row < table->rows; row++) {
    stow_report_put_char(sink, ' ', indent);
    put_row(sink, table, table->entries[row], widths);
  }
}
