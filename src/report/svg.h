//===- svg.h - the parts of the SVG map -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates are hundredths of a pixel, as integers: the same picture is the same
// bytes on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_SVG_H
#define STOWAGE_REPORT_SVG_H

#include "put.h"
#include "scale.h"

// One arena's place in the picture, in hundredths.
enum {
  STOW_SVG_WIDTH = 96000,
  STOW_SVG_LEFT = 9000,
  STOW_SVG_PLOT = 84000, // width of both panels
  STOW_SVG_HEAD = 6000,
  STOW_SVG_MAP = 38000,
  STOW_SVG_BETWEEN = 3000,
  STOW_SVG_PROFILE = 12000,
  STOW_SVG_FOOT = 9000,
  STOW_SVG_ARENA =
      STOW_SVG_HEAD + STOW_SVG_MAP + STOW_SVG_BETWEEN + STOW_SVG_PROFILE + STOW_SVG_FOOT,
  STOW_SVG_CLASSES = 6 // colours for sizes
};

typedef struct stow_svg_canvas {
  stow_sink sink;
  const stow_report_arena *arena;
  stow_canvas bounds;
  uint64_t y;                   // of the arena's upper edge
  unsigned least_log, most_log; // of the sizes shown, base 2
} stow_svg_canvas;

// Positions of a point and of an address on the map.
uint64_t stow_report_svg_x(const stow_svg_canvas *canvas, int64_t point);
uint64_t stow_report_svg_map_y(const stow_svg_canvas *canvas, uint64_t address);

unsigned stow_report_svg_log2(uint64_t value);

// Which of the colours a size has, 0 for the smallest.
unsigned stow_report_svg_size_class(const stow_svg_canvas *canvas, uint64_t size);

// Elements. `class` is a class of the style sheet.
void stow_report_svg_put_hundredths(stow_sink sink, uint64_t value);
void stow_report_svg_put_rect(stow_sink sink, const char *class, uint64_t x, uint64_t y,
                              uint64_t width, uint64_t height);
void stow_report_svg_put_line(stow_sink sink, const char *class, uint64_t x1, uint64_t y1,
                              uint64_t x2, uint64_t y2);
void stow_report_svg_put_text(stow_sink sink, const char *class, uint64_t x, uint64_t y,
                              const char *text);
void stow_report_svg_put_text_upwards(stow_sink sink, const char *class, uint64_t x, uint64_t y,
                                      const char *text);

// The panels.
stow_status stow_report_svg_put_map(const stow_svg_canvas *canvas);
stow_status stow_report_svg_put_profile(const stow_svg_canvas *canvas);

#endif // STOWAGE_REPORT_SVG_H
