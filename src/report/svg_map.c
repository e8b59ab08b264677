//===- svg_map.c - the map panel of the SVG picture -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest buffers as boxes of life and offset, holes behind them, and lines for the arena's
// size, its bound and the capacity.
//
//===----------------------------------------------------------------------===//

#include "svg.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Rectangles
//===----------------------------------------------------------------------===//

// Along the box where it has room, else upwards.
static void put_label(const stow_svg_canvas *canvas, const char *name, unsigned class, uint64_t x,
                      uint64_t y, uint64_t width, uint64_t height) {
  enum { LETTER = 620, LINE = 1100 };
  const char *const style = class < STOW_SVG_CLASSES - 2 ? "name dark" : "name light";
  const uint64_t length = LETTER * (stow_report_text_width(name) + 1);
  if (height >= LINE && width >= length)
    stow_report_svg_put_text(canvas->sink, style, x + width / 2, y + height / 2 + 400, name);
  else if (width >= LINE && height >= length)
    stow_report_svg_put_text_upwards(canvas->sink, style, x + width / 2 + 400, y + height / 2,
                                     name);
}

static void put_box(const stow_svg_canvas *canvas, const stow_report_buffer *buffer, stow_box box) {
  static const char *const classes[STOW_SVG_CLASSES] = {"s0", "s1", "s2", "s3", "s4", "s5"};
  const unsigned class = stow_report_svg_size_class(canvas, buffer->buffer.size);
  const uint64_t x = stow_report_svg_x(canvas, box.begin),
                 right = stow_report_svg_x(canvas, box.end);
  const uint64_t bottom = stow_report_svg_map_y(canvas, box.low);
  const uint64_t y = stow_report_svg_map_y(canvas, box.high);
  stow_report_svg_put_rect(canvas->sink, classes[class], x, y, right - x, bottom - y);
  put_label(canvas, stow_label_of(buffer).text, class, x, y, right - x, bottom - y);
}

static void put_buffer(const stow_svg_canvas *canvas, const stow_report_buffer *buffer) {
  for (size_t i = 0; i < stow_box_count(buffer); i++)
    put_box(canvas, buffer, stow_box_of(buffer, i));
}

//===----------------------------------------------------------------------===//
// Axes and lines
//===----------------------------------------------------------------------===//

static void put_address_axis(const stow_svg_canvas *canvas) {
  const uint64_t step = stow_report_tick_bytes(canvas->bounds.top, 8);
  for (uint64_t at = 0; at <= canvas->bounds.top; at += step) {
    const uint64_t y = stow_report_svg_map_y(canvas, at);
    stow_report_svg_put_line(canvas->sink, "tick", STOW_SVG_LEFT - 400, y, STOW_SVG_LEFT, y);
    stow_report_svg_put_text(canvas->sink, "axis end", STOW_SVG_LEFT - 700, y + 350,
                             stow_report_cell_exact_size(at).text);
    if (at > canvas->bounds.top - step)
      break;
  }
  stow_report_svg_put_text_upwards(canvas->sink, "axis middle", 1400,
                                   canvas->y + STOW_SVG_HEAD + STOW_SVG_MAP / 2,
                                   "address in the arena");
}

static void put_level(const stow_svg_canvas *canvas, const char *class, uint64_t address) {
  const uint64_t y = stow_report_svg_map_y(canvas, address);
  stow_report_svg_put_line(canvas->sink, class, STOW_SVG_LEFT, y, STOW_SVG_LEFT + STOW_SVG_PLOT, y);
}

static void put_lines(const stow_svg_canvas *canvas) {
  const stow_report_arena *const arena = canvas->arena;
  put_level(canvas, "bound", arena->lower_bound);
  put_level(canvas, "arena", arena->arena_size);
  if (arena->capacity && arena->capacity <= canvas->bounds.top)
    put_level(canvas, "capacity", arena->capacity);
}

stow_status stow_report_svg_put_map(const stow_svg_canvas *canvas) {
  size_t *chosen, count;
  const stow_status status =
      stow_report_choose_largest(canvas->arena, STOW_SVG_BUFFERS, &chosen, &count);
  if (status != STOW_OK)
    return status;
  const uint64_t y = stow_report_svg_map_y(canvas, canvas->arena->arena_size);
  stow_report_svg_put_rect(canvas->sink, "holes", STOW_SVG_LEFT, y, STOW_SVG_PLOT,
                           stow_report_svg_map_y(canvas, 0) - y);
  for (size_t i = 0; i < count; i++)
    put_buffer(canvas, &canvas->arena->buffers[chosen[i]]);
  put_lines(canvas);
  put_address_axis(canvas);
  free(chosen);
  return STOW_OK;
}
