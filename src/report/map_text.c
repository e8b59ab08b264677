//===- map_text.c - the memory map in a terminal --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid of cells, each the buffer that covers the cell's centre. The rows are the
// finest that fit: where all offsets and sizes are multiples of a unit of which the
// arena has few, a row is a unit and the picture is exact. The largest buffers have
// letters, the others a neutral mark. In colour a buffer is a field of its own colour,
// with its letter where a row of it begins.
//
//===----------------------------------------------------------------------===//

#include "scale.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, LETTERS = 12, MARGIN = 14, LEAST_COLUMNS = 12, MOST_COLUMNS = 400 };

// What a cell holds: nothing, a buffer without a letter, or the buffer of a letter. Those without
// take turns with a few marks, so that most neighbours differ.
enum { FREE, UNNAMED, UNNAMED_MARKS = 3, FIRST_LETTER = UNNAMED + UNNAMED_MARKS };

typedef struct map_grid {
  const stow_report_arena *arena;
  stow_map_style style;
  stow_canvas bounds;
  uint64_t columns, rows;
  size_t letter_count;
  size_t letters[LETTERS]; // indices of buffers
  stow_label labels[LETTERS];
  uint32_t *cells; // rows x columns, row 0 at the bottom
} map_grid;

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// As many rows as there are units, up to ROWS; ROWS where there are more.
static uint64_t choose_rows(const map_grid *grid) {
  uint64_t unit = grid->bounds.top;
  for (size_t i = 0; i < grid->arena->buffer_count; i++) {
    const stow_report_buffer *const buffer = &grid->arena->buffers[i];
    if (!stow_report_is_drawn(buffer))
      continue;
    unit = greatest_common_divisor(unit, buffer->offset);
    unit = greatest_common_divisor(unit, buffer->buffer.size);
  }
  const uint64_t units = grid->bounds.top / unit;
  return units < ROWS ? units : ROWS;
}

// The lowest address of a row.
static uint64_t row_address(const map_grid *grid, uint64_t row) {
  const uint64_t whole = grid->bounds.top / grid->rows, rest = grid->bounds.top % grid->rows;
  return whole * row + rest * row / grid->rows;
}

static bool in_row(const map_grid *grid, uint64_t row, uint64_t level) {
  return level > row_address(grid, row) &&
         (row + 1 == grid->rows || level <= row_address(grid, row + 1));
}

// The levels that the cells of a row end at, as they stand beside it.
static const char *levels_of(const map_grid *grid, uint64_t row) {
  static const char *const words[] = {"",      " arena",      " bound",      " arena bound",
                                      " cap.", " arena cap.", " bound cap.", " arena bound cap."};
  const stow_report_arena *const arena = grid->arena;
  const bool capacity = arena->capacity && arena->capacity <= grid->bounds.top;
  return words[in_row(grid, row, arena->arena_size) + 2 * in_row(grid, row, arena->lower_bound) +
               4 * (capacity && in_row(grid, row, arena->capacity))];
}

// All that stands beside the cells: addresses, lines, levels.
static size_t margin_of(const map_grid *grid) {
  size_t widest = 0;
  for (uint64_t row = 0; row < grid->rows; row++) {
    const size_t width = strlen(levels_of(grid, row));
    widest = width > widest ? width : widest;
  }
  return MARGIN + widest;
}

static uint64_t choose_columns(const map_grid *grid) {
  const size_t wanted = grid->style.columns ? grid->style.columns : 80, margin = margin_of(grid);
  uint64_t columns = wanted > margin + LEAST_COLUMNS ? wanted - margin : LEAST_COLUMNS;
  columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
  const uint64_t width = stow_canvas_width(&grid->bounds);
  const uint64_t even = width < columns ? columns / width * width : columns;
  return even >= columns / 4 * 3 ? even : columns; // points equally wide, unless that wastes much
}

// The first of `count` cells whose centre is past `value` of `whole`.
static uint64_t first_cell(uint64_t value, uint64_t whole, uint64_t count) {
  return (stow_report_scale(value, whole, 2 * (uint32_t)count) + 1) / 2;
}

static void fill_box(map_grid *grid, stow_box box, uint32_t mark) {
  const stow_canvas *const bounds = &grid->bounds;
  const uint64_t width = stow_canvas_width(bounds);
  const uint64_t left = first_cell(stow_canvas_at(bounds, box.begin), width, grid->columns);
  const uint64_t right = first_cell(stow_canvas_at(bounds, box.end), width, grid->columns);
  const uint64_t below = first_cell(box.low, bounds->top, grid->rows);
  const uint64_t above = first_cell(box.high, bounds->top, grid->rows);
  for (uint64_t row = below; row < above; row++)
    for (uint64_t column = left; column < right; column++)
      grid->cells[row * grid->columns + column] = mark;
}

static uint32_t mark_of(const map_grid *grid, size_t index) {
  for (size_t i = 0; i < grid->letter_count; i++)
    if (grid->letters[i] == index)
      return FIRST_LETTER + (uint32_t)i;
  return UNNAMED + (uint32_t)(index % UNNAMED_MARKS);
}

static void fill_cells(map_grid *grid) {
  for (size_t i = 0; i < grid->arena->buffer_count; i++) {
    const stow_report_buffer *const buffer = &grid->arena->buffers[i];
    const uint32_t mark = mark_of(grid, i);
    for (size_t box = 0; stow_report_is_drawn(buffer) && box < stow_box_count(buffer); box++)
      fill_box(grid, stow_box_of(buffer, box), mark);
  }
}

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

static uint64_t area_of(const map_grid *grid, size_t index) {
  enum { UNIT = 1 << 20 };
  const stow_buffer *const buffer = &grid->arena->buffers[index].buffer;
  const uint64_t duration = (uint64_t)buffer->end - (uint64_t)buffer->begin;
  return stow_report_scale(duration, stow_canvas_width(&grid->bounds), UNIT) *
         stow_report_scale(buffer->size, grid->bounds.top, UNIT);
}

static void offer(map_grid *grid, size_t index) {
  size_t at = grid->letter_count;
  while (at && area_of(grid, grid->letters[at - 1]) < area_of(grid, index))
    at--;
  if (at == LETTERS)
    return;
  grid->letter_count += grid->letter_count < LETTERS;
  for (size_t i = grid->letter_count - 1; i > at; i--)
    grid->letters[i] = grid->letters[i - 1];
  grid->letters[at] = index;
}

static int by_index(const void *left, const void *right) {
  const size_t a = *(const size_t *)left, b = *(const size_t *)right;
  return (a > b) - (a < b);
}

// The largest by bytes x life; letters go by the order of the report.
static void choose_letters(map_grid *grid) {
  for (size_t i = 0; i < grid->arena->buffer_count; i++)
    if (stow_report_is_drawn(&grid->arena->buffers[i]))
      offer(grid, i);
  qsort(grid->letters, grid->letter_count, sizeof *grid->letters, by_index);
  for (size_t i = 0; i < grid->letter_count; i++)
    grid->labels[i] = stow_label_of(&grid->arena->buffers[grid->letters[i]]);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

// Colours that any eye tells apart, of the 256 most terminals have; greys where there is no letter.
static void put_color(const map_grid *grid, uint32_t mark, stow_sink sink) {
  static const unsigned letters[] = {214, 74, 36, 227, 32, 166, 175, 153};
  static const unsigned others[FIRST_LETTER] = {242, 242, 246, 250};
  if (!grid->style.color)
    return;
  const unsigned color = mark < FIRST_LETTER ? others[mark] : letters[(mark - FIRST_LETTER) % 8];
  stow_report_put(sink, mark == FREE ? "\x1b[0;38;5;" : "\x1b[30;48;5;");
  stow_report_put(sink,
                  color < 100 ? "0" : ""); // all escapes are as long, so that columns are aligned
  STOW_PUT(sink, stow_report_cell_unsigned(color).text, "m");
}

static void put_plain(const map_grid *grid, stow_sink sink) {
  stow_report_put(sink, grid->style.color ? "\x1b[0m" : "");
}

static void put_mark(const map_grid *grid, uint32_t mark, stow_sink sink) {
  static const char *const ascii[FIRST_LETTER] = {".", "#", "%", "="};
  static const char *const blocks[FIRST_LETTER] = {"\xC2\xB7", "\xE2\x96\x92", "\xE2\x96\x91",
                                                   "\xE2\x96\x93"};
  if (mark < FIRST_LETTER)
    stow_report_put(sink, (grid->style.utf8 ? blocks : ascii)[mark]);
  else
    stow_report_put_char(sink, (char)('a' + (mark - FIRST_LETTER)), 1);
}

static void put_cells(const map_grid *grid, const uint32_t *cells, stow_sink sink) {
  uint32_t shown = UINT32_MAX;
  for (uint64_t column = 0; column < grid->columns; column++) {
    const uint32_t mark = cells[column];
    const bool first = mark != shown, unnamed = mark >= UNNAMED && mark < FIRST_LETTER;
    if (first)
      put_color(grid, shown = mark, sink);
    if (grid->style.color && mark != FREE && (unnamed || !first))
      stow_report_put(sink, " ");
    else
      put_mark(grid, mark, sink);
  }
  put_plain(grid, sink);
}

static const char *side(const map_grid *grid) { return grid->style.utf8 ? "\xE2\x94\x82" : "|"; }

static void put_grid(const map_grid *grid, stow_sink sink) {
  for (uint64_t row = grid->rows; row-- > 0;) {
    stow_report_put_right(sink, stow_report_cell_size(row_address(grid, row)).text, 11);
    STOW_PUT(sink, " ", side(grid));
    put_cells(grid, grid->cells + row * grid->columns, sink);
    STOW_PUT(sink, side(grid), levels_of(grid, row), "\n");
  }
}

// A few words and a point.
static stow_cell_text say(const char *words, int64_t point) {
  stow_cell_text cell = {""};
  strcat(cell.text, words);
  strcat(cell.text, stow_report_cell_signed(point).text);
  return cell;
}

// A caret under the peak, and beside it, or below where there is no room, what it marks.
static void put_time_axis(const map_grid *grid, stow_sink sink) {
  const stow_canvas *const bounds = &grid->bounds;
  const uint64_t peak = stow_report_scale(stow_canvas_at(bounds, grid->arena->peak),
                                          stow_canvas_width(bounds), (uint32_t)grid->columns);
  const size_t columns = grid->style.columns ? grid->style.columns : 80;
  const stow_cell_text parts[] = {say("peak, point ", grid->arena->peak),
                                  say("; points ", bounds->begin), say(" to ", bounds->end)};
  const size_t used = strlen(parts[0].text) + strlen(parts[1].text) + strlen(parts[2].text);
  const bool fits = 15 + peak + used <= columns;
  stow_report_put_char(sink, ' ', 13 + (size_t)peak);
  stow_report_put(sink, fits ? "^ " : "^\n  ");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    stow_report_put(sink, parts[i].text);
  stow_report_put(sink, "\n");
}

static void append_to_cell(void *user, const char *text, size_t size) {
  stow_cell_text *const cell = user;
  strncat(cell->text, text, size);
}

// The letter between the escapes that colour it: all letters are equally wide then.
static stow_cell_text colored_letter(const map_grid *grid, uint32_t mark) {
  stow_cell_text cell = {""};
  const stow_sink into = {append_to_cell, &cell};
  put_color(grid, mark, into);
  put_mark(grid, mark, into);
  put_plain(grid, into);
  return cell;
}

// What an entry takes beside its name: the letter, the size, the life, and what is between them.
static size_t entry_width(const map_grid *grid) {
  size_t life = 0;
  for (size_t i = 0; i < grid->letter_count; i++) {
    const stow_buffer *const buffer = &grid->arena->buffers[grid->letters[i]].buffer;
    const size_t width = stow_report_text_width(stow_report_cell_life(buffer).text);
    life = width > life ? width : life;
  }
  return 1 + 2 + 2 + 10 + 2 + life;
}

static size_t longest_name(const map_grid *grid) {
  size_t longest = 0;
  for (size_t i = 0; i < grid->letter_count; i++) {
    const size_t width = stow_report_text_width(grid->labels[i].text);
    longest = width > longest ? width : longest;
  }
  return longest;
}

static size_t room_beside(size_t columns, size_t taken) {
  enum { LEAST_NAME = 8 };
  return columns > taken + LEAST_NAME ? columns - taken : LEAST_NAME;
}

// Two entries a row where there is room for them and their names, or most of these. Returns how
// many, and cuts the names to what is there.
static size_t lay_legend(const map_grid *grid, stow_table *table) {
  enum { MOST_OF_A_NAME = 24 };
  const size_t columns = grid->style.columns ? grid->style.columns : 80;
  const size_t taken = entry_width(grid) + 2, longest = longest_name(grid);
  const bool two = columns / 2 >= taken + (longest < MOST_OF_A_NAME ? longest : MOST_OF_A_NAME);
  table->text_limit = room_beside(two ? columns / 2 : columns, taken);
  return two ? 2 : 1;
}

static void add_legend_entry(const map_grid *grid, size_t letter, size_t per_row,
                             stow_table *table) {
  const stow_report_buffer *const buffer = &grid->arena->buffers[grid->letters[letter]];
  const size_t column = letter % per_row * 4;
  if (!column)
    stow_table_row(table);
  stow_table_cell(table, column, colored_letter(grid, FIRST_LETTER + (uint32_t)letter));
  stow_table_text(table, column + 1, grid->labels[letter].text);
  stow_table_cell(table, column + 2, stow_report_cell_size(buffer->buffer.size));
  stow_table_cell(table, column + 3, stow_report_cell_life(&buffer->buffer));
}

static void put_unnamed_marks(const map_grid *grid, stow_sink sink) {
  uint32_t marks[UNNAMED_MARKS];
  map_grid row = {.style = grid->style, .columns = UNNAMED_MARKS};
  for (uint32_t i = 0; i < UNNAMED_MARKS; i++)
    marks[i] = UNNAMED + i;
  put_cells(&row, marks, sink);
}

static void put_legend(const map_grid *grid, stow_sink sink) {
  stow_table table = {.right_columns = 1u << 2 | 1u << 6};
  const size_t per_row = lay_legend(grid, &table);
  for (size_t i = 0; i < grid->letter_count; i++)
    add_legend_entry(grid, i, per_row, &table);
  stow_report_put(sink, "\n");
  stow_report_put_table(sink, &table, 2);
  const size_t planned = stow_report_sum(grid->arena).planned;
  if (planned <= grid->letter_count)
    return;
  stow_report_put(sink, "  ");
  put_unnamed_marks(grid, sink);
  STOW_PUT(sink, "  ", stow_report_cell_unsigned(planned - grid->letter_count).text, " more\n");
}

stow_status stow_report_map_text(const stow_report_arena *arena, stow_map_style style,
                                 stow_sink sink) {
  if (!stow_report_has_plan(arena))
    return STOW_OK;
  map_grid grid = {.arena = arena, .style = style, .bounds = stow_canvas_of(arena)};
  grid.rows = choose_rows(&grid);
  grid.columns = choose_columns(&grid);
  grid.cells = calloc(grid.rows * grid.columns, sizeof *grid.cells);
  if (!grid.cells)
    return STOW_NO_MEMORY;
  choose_letters(&grid);
  fill_cells(&grid);
  put_grid(&grid, sink);
  put_time_axis(&grid, sink);
  put_legend(&grid, sink);
  free(grid.cells);
  return STOW_OK;
}
