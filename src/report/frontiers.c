//===- frontiers.c - what fewer bytes cost --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontiers.h"

#include "svg.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER = 16 }; // width of a column

static size_t times_of(const stow_report_point *point, stow_report_action action) {
  size_t times = 0;
  for (size_t i = 0; i < point->extra_count; ++i)
    times += point->extras[i].action == action ? point->extras[i].times : 0;
  return times;
}

// Of the second one what the costs are of follows.
static const char *const heads[] = {"bytes alive", "more ", "at least",
                                    "ops again",   "loads", "elsewhere"};

// The last one where there are several memories.
static size_t columns_of(const stow_report_frontiers *report) {
  return sizeof heads / sizeof *heads - (report->memory_count == 0);
}

static stow_cell_text head_of(const stow_report_frontiers *report, size_t column) {
  stow_cell_text cell;
  snprintf(cell.text, sizeof cell.text, "%s%s", heads[column], column == 1 ? report->measure : "");
  return cell;
}

static const char *const actions[] = {"again", "spilled", "placed"};

static stow_cell_text share_of(const stow_report_fitted *f, uint64_t cost) {
  stow_cell_text cell = stow_report_cell_percent(cost, f->cost);
  const size_t end = strlen(cell.text);
  assert(end + sizeof " %" <= sizeof cell.text);
  memcpy(cell.text + end, " %", sizeof " %");
  return cell;
}

static stow_cell_text cell_of(const stow_report_fitted *f, const stow_report_point *point,
                              size_t column) {
  switch (column) {
  case 0:
    return stow_report_cell_unsigned(point->bytes);
  case 1:
    return share_of(f, point->cost);
  case 2:
    return share_of(f, point->bound);
  default:
    return stow_report_cell_unsigned(times_of(point, (stow_report_action)(column - 3)));
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void put_arenas(stow_sink sink, const stow_report_frontiers *report,
                       const stow_report_fitted *f) {
  for (size_t m = 0; m < report->memory_count; ++m) {
    const stow_report_memory *memory = &report->memories[m];
    STOW_PUT(sink, "  ", memory->name, ": ", stow_report_cell_unsigned(f->arenas[m]).text, " of ",
             stow_report_cell_unsigned(memory->bytes).text, " bytes\n");
  }
}

static void put_function(stow_sink sink, const stow_report_frontiers *report,
                         const stow_report_fitted *f) {
  const size_t columns = columns_of(report);
  stow_report_put(sink, "function ");
  stow_report_put_all_shown(sink, f->function);
  STOW_PUT(sink, ": arenas of ", stow_report_cell_unsigned(f->after).text, " bytes");
  if (f->after != f->before)
    STOW_PUT(sink, ", not ", stow_report_cell_unsigned(f->before).text);
  stow_report_put(sink, "\n");
  put_arenas(sink, report, f);
  for (size_t c = 0; c < columns && f->point_count > 0; ++c)
    stow_report_put_right(sink, head_of(report, c).text, NUMBER);
  stow_report_put(sink, f->point_count > 0 ? "\n" : "");
  for (size_t i = 0; i < f->point_count; ++i) {
    for (size_t c = 0; c < columns; ++c)
      stow_report_put_right(sink, cell_of(f, &f->points[i], c).text, NUMBER);
    stow_report_put(sink, "\n");
  }
  if (f->impossible > 0)
    STOW_PUT(sink, "  no choice keeps ", stow_report_cell_unsigned(f->impossible).text,
             " bytes alive or fewer, with the buffers as they are\n");
}

void stow_report_frontiers_text(const stow_report_frontiers *report, stow_sink sink) {
  STOW_PUT(sink, report->title, ": capacity ", stow_report_cell_unsigned(report->capacity).text,
           "\n");
  for (size_t i = 0; i < report->function_count; ++i)
    put_function(sink, report, &report->functions[i]);
  stow_report_put_shown_if_any(sink, "", report->note, "\n");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void put_extra_json(stow_sink sink, const stow_report_extra *extra) {
  stow_report_put_json_text(sink, "{", "op", extra->op);
  stow_report_put_json_text_if_any(sink, ", ", "location", extra->location);
  stow_report_put_json_text(sink, ", ", "action", actions[extra->action]);
  stow_report_put_json_unsigned(sink, ", ", "times", extra->times);
  stow_report_put_json_unsigned(sink, ", ", "cost", extra->cost);
  stow_report_put(sink, "}");
}

static void put_point_json(stow_sink sink, const stow_report_point *point) {
  stow_report_put_json_unsigned(sink, "{", "bytes", point->bytes);
  stow_report_put_json_unsigned(sink, ", ", "cost", point->cost);
  stow_report_put_json_unsigned(sink, ", ", "bound", point->bound);
  STOW_PUT_JSON_LIST(sink, ",\n       ", "extras", "         ", point->extras, point->extra_count,
                     put_extra_json);
  stow_report_put(sink, "}");
}

static void put_memory_json(stow_sink sink, const stow_report_memory *memory) {
  stow_report_put_json_text(sink, "{", "name", memory->name);
  stow_report_put_json_unsigned(sink, ", ", "bytes", memory->bytes);
  stow_report_put(sink, "}");
}

static void put_arena_json(stow_sink sink, const uint64_t *bytes) {
  stow_report_put_unsigned(sink, *bytes);
}

static void put_function_json(stow_sink sink, const stow_report_frontiers *report,
                              const stow_report_fitted *f) {
  stow_report_put_json_text(sink, "{", "function", f->function);
  stow_report_put_json_unsigned(sink, ", ", "arena_before", f->before);
  stow_report_put_json_unsigned(sink, ", ", "arena_after", f->after);
  stow_report_put_json_unsigned(sink, ", ", "cost", f->cost);
  stow_report_put_json_unsigned(sink, ", ", "impossible", f->impossible);
  if (report->memory_count > 0)
    STOW_PUT_JSON_LIST(sink, ",\n     ", "arenas", "       ", f->arenas, report->memory_count,
                       put_arena_json);
  STOW_PUT_JSON_LIST(sink, ",\n     ", "points", "       ", f->points, f->point_count,
                     put_point_json);
  stow_report_put(sink, "}");
}

void stow_report_frontiers_json(const stow_report_frontiers *report, stow_sink sink) {
  stow_report_put_json_head(sink, report->title, report->note);
  stow_report_put_json_text(sink, ",\n  ", "objective", report->measure);
  stow_report_put_json_unsigned(sink, ",\n  ", "capacity", report->capacity);
  if (report->memory_count > 0)
    STOW_PUT_JSON_LIST(sink, ",\n  ", "memories", "    ", report->memories, report->memory_count,
                       put_memory_json);
  stow_report_put_json_key(sink, ",\n  ", "functions");
  for (size_t i = 0; i < report->function_count; ++i) {
    stow_report_put(sink, i ? ",\n    " : "[\n    ");
    put_function_json(sink, report, &report->functions[i]);
  }
  stow_report_put(sink, report->function_count ? "]\n}\n" : "[]\n}\n");
}

//===----------------------------------------------------------------------===//
// Picture
//===----------------------------------------------------------------------===//

// In hundredths of a pixel.
enum { WIDTH = 60000, HEIGHT = 20000, MARGIN = 2000, DOT = 300 };

static uint64_t x_of(const stow_report_fitted *f, uint64_t bytes) {
  return MARGIN + stow_report_scale(bytes, f->points[0].bytes, WIDTH - 2 * MARGIN);
}

static const stow_report_point *last_of(const stow_report_fitted *f) {
  return &f->points[f->point_count - 1];
}

static uint64_t y_of(const stow_report_fitted *f, uint64_t cost) {
  return HEIGHT - MARGIN - stow_report_scale(cost, last_of(f)->cost, HEIGHT - 2 * MARGIN);
}

// Between two points nothing is better than the one with fewer bytes than there are.
static void put_steps(stow_sink sink, const stow_report_fitted *f) {
  for (size_t i = 0; i < f->point_count; ++i) {
    const stow_report_point *p = &f->points[i];
    const uint64_t x = x_of(f, p->bytes), y = y_of(f, p->cost);
    if (i > 0) {
      const uint64_t from_x = x_of(f, p[-1].bytes);
      stow_report_svg_put_line(sink, "front", from_x, y, from_x, y_of(f, p[-1].cost));
      stow_report_svg_put_line(sink, "front", x, y, from_x, y);
    }
    stow_report_svg_put_rect(sink, "front", x - DOT, y - DOT, 2 * DOT, 2 * DOT);
  }
}

static void put_picture(stow_sink sink, const stow_report_frontiers *report,
                        const stow_report_fitted *f) {
  STOW_PUT(sink,
           "<svg class=\"frontier\" viewBox=\"0 0 600 200\" width=\"600\" height=\"200\" "
           "role=\"img\" aria-label=\"bytes alive against ",
           report->measure, "\">\n");
  const uint64_t low = HEIGHT - MARGIN / 4;
  stow_report_svg_put_text(sink, "end", WIDTH - MARGIN, low,
                           stow_report_cell_size(f->points[0].bytes).text);
  stow_report_svg_put_text(sink, "end", x_of(f, last_of(f)->bytes), low,
                           stow_report_cell_size(last_of(f)->bytes).text);
  stow_report_svg_put_text(sink, "start", MARGIN, MARGIN, share_of(f, last_of(f)->cost).text);
  stow_report_svg_put_line(sink, "axis", MARGIN, HEIGHT - MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN);
  if (report->capacity < f->points[0].bytes)
    stow_report_svg_put_line(sink, "capacity", x_of(f, report->capacity), MARGIN,
                             x_of(f, report->capacity), HEIGHT - MARGIN);
  put_steps(sink, f);
  stow_report_put(sink, "</svg>\n");
}

static void put_cell(stow_sink sink, const char *element, const char *text) {
  STOW_PUT(sink, "<", element, ">");
  stow_report_put_markup(sink, text);
  STOW_PUT(sink, "</", element, ">");
}

static void put_extras(stow_sink sink, const stow_report_point *point) {
  stow_report_put(sink, "<td>");
  for (size_t i = 0; i < point->extra_count; ++i) {
    const stow_report_extra *extra = &point->extras[i];
    stow_report_put(sink, i ? ", " : "");
    stow_report_put_markup(sink, extra->op);
    stow_report_put(sink, *extra->location ? " at " : "");
    stow_report_put_markup(sink, extra->location);
    STOW_PUT(sink, extra->action == STOW_REPORT_AGAIN ? "" : " ",
             extra->action == STOW_REPORT_AGAIN ? "" : actions[extra->action]);
    if (extra->times > 1)
      STOW_PUT(sink, " ×", stow_report_cell_unsigned(extra->times).text);
  }
  stow_report_put(sink, "</td>");
}

static void put_table(stow_sink sink, const stow_report_frontiers *report,
                      const stow_report_fitted *f) {
  const size_t columns = columns_of(report);
  stow_report_put(sink, "<table>\n<tr>");
  for (size_t c = 0; c < columns; ++c)
    put_cell(sink, "th", head_of(report, c).text);
  stow_report_put(sink, "<th>what</th></tr>\n");
  for (size_t i = 0; i < f->point_count; ++i) {
    stow_report_put(sink, "<tr>");
    for (size_t c = 0; c < columns; ++c)
      put_cell(sink, "td", cell_of(f, &f->points[i], c).text);
    put_extras(sink, &f->points[i]);
    stow_report_put(sink, "</tr>\n");
  }
  stow_report_put(sink, "</table>\n");
}

void stow_report_put_frontiers(const stow_report_frontiers *report, stow_sink sink) {
  stow_report_put(sink, "<section id=\"frontiers\">\n");
  for (size_t i = 0; i < report->function_count; ++i) {
    const stow_report_fitted *f = &report->functions[i];
    if (f->point_count < 2) // nothing to choose
      continue;
    put_cell(sink, "h3", f->function);
    put_picture(sink, report, f);
    STOW_PUT(sink, "<details><summary>bytes alive against ", report->measure,
             ", by the model</summary>\n");
    put_table(sink, report, f);
    stow_report_put(sink, "</details>\n");
  }
  stow_report_put(sink, "</section>\n");
}
