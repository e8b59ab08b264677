//===- table.h - aligned columns ------------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small table that is filled cell by cell and then written with every column
// as wide as its widest cell. It lives on the caller's stack: tables in a report
// are bounded, whatever the size of the problem.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_TABLE_H
#define STOWAGE_REPORT_TABLE_H

#include "put.h"

enum { STOW_TABLE_ROWS = 40, STOW_TABLE_COLUMNS = 8 };

// A cell shows `text` where it is not NULL (the caller's, not copied), else `cell`.
typedef struct stow_table_entry {
  const char *text;
  stow_cell_text cell;
} stow_table_entry;

// Zero-initialised is an empty table. Bit c of `right_columns` aligns column c to the right. Of
// texts wider than `text_limit`, where that is not 0, the middle is left out.
typedef struct stow_table {
  unsigned right_columns;
  size_t text_limit;
  bool has_head; // the first row
  size_t rows;
  stow_table_entry entries[STOW_TABLE_ROWS][STOW_TABLE_COLUMNS];
} stow_table;

// stow_table_row opens the next row, at most STOW_TABLE_ROWS; the others fill a cell of it.
void stow_table_row(stow_table *table);
void stow_table_text(stow_table *table, size_t column, const char *text);
void stow_table_cell(stow_table *table, size_t column, stow_cell_text cell);

void stow_report_put_table(stow_sink sink, const stow_table *table, size_t indent);

#endif // STOWAGE_REPORT_TABLE_H
