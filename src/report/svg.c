//===- svg.c - the memory map as an SVG picture ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "svg.h"

#include <string.h>

static const char style[] =
    "<style>\n"
    "text{font:11px ui-sans-serif,system-ui,sans-serif;fill:#222}\n"
    ".title{font-size:15px;font-weight:600}.name{font-size:10px;text-anchor:middle}\n"
    ".end{text-anchor:end}.middle{text-anchor:middle}.axis{fill:#555}.light{fill:#fff}\n"
    ".tick{stroke:#777;stroke-width:1}.frame{fill:none;stroke:#777;stroke-width:1}\n"
    ".holes{fill:#f1f3f5}\n"
    ".s0,.s1,.s2,.s3,.s4,.s5{stroke:#fff;stroke-width:.5}\n"
    ".s0{fill:#c4d8ec}.s1{fill:#a9c7e2}.s2{fill:#f0ad5c}.s3{fill:#e67a38}.s4{fill:#c93f1d}"
    ".s5{fill:#8a0012}\n"
    ".arena{stroke:#000;stroke-width:1.5}.bound{stroke:#0072b2;stroke-width:1.5;"
    "stroke-dasharray:6 3}\n"
    ".capacity{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:2 2}\n"
    ".peak{stroke:#cc79a7;stroke-width:1.5}\n"
    ".live{fill:#0072b2;fill-opacity:.45}.lost{fill:#e69f00;fill-opacity:.8}\n"
    ".highest{fill:none;stroke:#555;stroke-width:1}\n"
    "</style>\n";

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

typedef struct words {
  char text[512];
} words;

static void say(words *line, const char *text) {
  strncat(line->text, text, sizeof line->text - 1 - strlen(line->text));
}

static void say_bytes(words *line, const char *label, uint64_t bytes) {
  say(line, label);
  say(line, stow_report_cell_size(bytes).text);
}

static words title_of(const stow_report_arena *arena) {
  words line = {""};
  say(&line, arena->function);
  say(&line, *arena->scope ? ", " : "");
  say(&line, arena->scope);
  say(&line, *arena->memory_space ? ", memory space " : "");
  say(&line, arena->memory_space);
  say(&line, *arena->within ? ", in the bytes of " : "");
  say(&line, arena->within);
  return line;
}

static words words_without_plan(const stow_report_arena *arena) {
  words line = {""};
  say(&line, "no plan: ");
  say(&line, stow_outcome_name(arena->outcome));
  say_bytes(&line, ", lower bound ", arena->lower_bound);
  if (arena->capacity)
    say_bytes(&line, ", capacity ", arena->capacity);
  return line;
}

static words figures_of(const stow_report_arena *arena) {
  if (!stow_report_has_plan(arena))
    return words_without_plan(arena);
  const stow_report_totals totals = stow_report_sum(arena);
  const uint64_t gap =
      arena->arena_size > arena->lower_bound ? arena->arena_size - arena->lower_bound : 0;
  const char *const strategy = stow_strategy_name(arena->strategy);
  words line = {""};
  say_bytes(&line, "arena ", arena->arena_size);
  say_bytes(&line, ", lower bound ", arena->lower_bound);
  say(&line, ", gap ");
  say(&line, stow_report_cell_percent(gap, arena->lower_bound).text);
  say(&line, " %, ");
  say(&line, stow_outcome_name(arena->outcome));
  say(&line, strategy ? " by " : "");
  say(&line, strategy ? strategy : "");
  say(&line, "; ");
  say(&line, stow_report_cell_unsigned(totals.planned).text);
  say_bytes(&line, totals.planned == 1 ? " buffer, without reuse " : " buffers, without reuse ",
            totals.planned_bytes);
  if (totals.planned > STOW_SVG_BUFFERS)
    say(&line, "; the smallest are not drawn");
  return line;
}

//===----------------------------------------------------------------------===//
// Legend
//===----------------------------------------------------------------------===//

static uint64_t put_key(const stow_svg_canvas *canvas, const char *class, const char *text,
                        uint64_t x, uint64_t y) {
  stow_report_svg_put_line(canvas->sink, class, x, y - 350, x + 2200, y - 350);
  stow_report_svg_put_text(canvas->sink, "axis", x + 2700, y, text);
  return x + 4400 + 600 * strlen(text);
}

static uint64_t put_swatch(const stow_svg_canvas *canvas, const char *class, const char *text,
                           uint64_t x, uint64_t y) {
  stow_report_svg_put_rect(canvas->sink, class, x, y - 900, 1400, 1000);
  stow_report_svg_put_text(canvas->sink, "axis", x + 1900, y, text);
  return x + 3600 + 600 * strlen(text);
}

// Of the lines, and of the colours that sizes have.
static void put_map_legend(const stow_svg_canvas *canvas, uint64_t y) {
  static const char *const classes[STOW_SVG_CLASSES] = {"s0", "s1", "s2", "s3", "s4", "s5"};
  uint64_t x = STOW_SVG_LEFT;
  x = put_key(canvas, "arena", "arena", x, y);
  x = put_key(canvas, "bound", "lower bound", x, y);
  if (canvas->arena->capacity && canvas->arena->capacity <= canvas->bounds.top)
    x = put_key(canvas, "capacity", "capacity", x, y);
  x = put_key(canvas, "peak", "peak", x, y);
  x = put_swatch(canvas, "holes", "free", x, y);
  const uint64_t least = (uint64_t)1 << canvas->least_log, most = (uint64_t)1 << canvas->most_log;
  stow_report_svg_put_text(canvas->sink, "axis end", x + 6000, y,
                           stow_report_cell_exact_size(least).text);
  for (unsigned i = 0; i < STOW_SVG_CLASSES; i++)
    stow_report_svg_put_rect(canvas->sink, classes[i], x + 6500 + i * 1400, y - 900, 1400, 1000);
  stow_report_svg_put_text(canvas->sink, "axis", x + 7000 + STOW_SVG_CLASSES * 1400, y,
                           stow_report_cell_exact_size(most).text);
}

static void put_profile_legend(const stow_svg_canvas *canvas, uint64_t y) {
  uint64_t x = put_swatch(canvas, "live", "alive", STOW_SVG_LEFT, y);
  x = put_key(canvas, "highest", "highest address in use", x, y);
  if (canvas->arena->arena_size > canvas->arena->lower_bound)
    put_swatch(canvas, "lost", "lost: in use above the lower bound", x, y);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static void find_size_range(stow_svg_canvas *canvas) {
  canvas->least_log = 63;
  for (size_t i = 0; i < canvas->arena->buffer_count; i++) {
    const stow_report_buffer *const buffer = &canvas->arena->buffers[i];
    if (buffer->reason || !buffer->buffer.size)
      continue;
    const unsigned log = stow_report_svg_log2(buffer->buffer.size);
    canvas->least_log = log < canvas->least_log ? log : canvas->least_log;
    canvas->most_log = log > canvas->most_log ? log : canvas->most_log;
  }
  if (canvas->least_log > canvas->most_log)
    canvas->least_log = canvas->most_log;
}

// Through both panels, and over them.
static void put_peak(const stow_svg_canvas *canvas) {
  const uint64_t x = stow_report_svg_x(canvas, canvas->arena->peak),
                 top = canvas->y + STOW_SVG_HEAD;
  stow_report_svg_put_line(canvas->sink, "peak", x, top, x,
                           top + STOW_SVG_MAP + STOW_SVG_BETWEEN + STOW_SVG_PROFILE);
}

static stow_status put_arena(const stow_report_arena *arena, size_t index, stow_sink sink) {
  stow_svg_canvas canvas = {.sink = sink, .arena = arena, .bounds = stow_canvas_of(arena)};
  canvas.y = index * (uint64_t)STOW_SVG_ARENA;
  find_size_range(&canvas);
  stow_report_svg_put_text(sink, "title", STOW_SVG_LEFT, canvas.y + 2400, title_of(arena).text);
  stow_report_svg_put_text(sink, "figures", STOW_SVG_LEFT, canvas.y + 4400, figures_of(arena).text);
  if (!stow_report_has_plan(arena))
    return STOW_OK;
  stow_status status = stow_report_svg_put_map(&canvas);
  if (status == STOW_OK)
    status = stow_report_svg_put_profile(&canvas);
  put_peak(&canvas);
  put_map_legend(&canvas, canvas.y + STOW_SVG_ARENA - 3500);
  put_profile_legend(&canvas, canvas.y + STOW_SVG_ARENA - 1700);
  return status;
}

stow_status stow_report_svg(const stow_report *report, stow_sink sink) {
  STOW_PUT(sink, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
           stow_report_cell_unsigned(STOW_SVG_WIDTH / 100).text, " ",
           stow_report_cell_unsigned(report->arena_count * (STOW_SVG_ARENA / 100)).text,
           "\">\n<title>");
  stow_report_put_markup(sink, report->title);
  STOW_PUT(sink, "</title>\n", style, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  stow_status status = STOW_OK;
  for (size_t i = 0; i < report->arena_count && status == STOW_OK; i++)
    status = put_arena(&report->arenas[i], i, sink);
  stow_report_put(sink, "</svg>\n");
  return status;
}
