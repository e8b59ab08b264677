//===- svg_put.c - elements of an SVG picture -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements with coordinates in hundredths of a unit, the places of points and addresses in the
// picture, and the colour of a size.
//
//===----------------------------------------------------------------------===//

#include "svg.h"

void stow_report_svg_put_hundredths(stow_sink sink, uint64_t value) {
  stow_report_put_unsigned(sink, value / 100);
  const unsigned rest = (unsigned)(value % 100);
  if (!rest)
    return;
  const char digits[] = {'.', (char)('0' + rest / 10), (char)('0' + rest % 10)};
  stow_report_put_bytes(sink, digits, rest % 10 ? 3 : 2);
}

static void put_attribute(stow_sink sink, const char *name, uint64_t hundredths) {
  STOW_PUT(sink, " ", name, "=\"");
  stow_report_svg_put_hundredths(sink, hundredths);
  stow_report_put(sink, "\"");
}

static void open_element(stow_sink sink, const char *element, const char *class) {
  STOW_PUT(sink, "<", element, " class=\"", class, "\"");
}

static void put_shape(stow_sink sink, const char *element, const char *class,
                      const char *const names[4], const uint64_t values[4]) {
  open_element(sink, element, class);
  for (size_t i = 0; i < 4; i++)
    put_attribute(sink, names[i], values[i]);
  stow_report_put(sink, "/>\n");
}

void stow_report_svg_put_rect(stow_sink sink, const char *class, uint64_t x, uint64_t y,
                              uint64_t width, uint64_t height) {
  static const char *const names[] = {"x", "y", "width", "height"};
  put_shape(sink, "rect", class, names, (uint64_t[]){x, y, width, height});
}

void stow_report_svg_put_line(stow_sink sink, const char *class, uint64_t x1, uint64_t y1,
                              uint64_t x2, uint64_t y2) {
  static const char *const names[] = {"x1", "y1", "x2", "y2"};
  put_shape(sink, "line", class, names, (uint64_t[]){x1, y1, x2, y2});
}

void stow_report_svg_put_text(stow_sink sink, const char *class, uint64_t x, uint64_t y,
                              const char *text) {
  open_element(sink, "text", class);
  put_attribute(sink, "x", x);
  put_attribute(sink, "y", y);
  stow_report_put(sink, ">");
  stow_report_put_markup(sink, text);
  stow_report_put(sink, "</text>\n");
}

void stow_report_svg_put_text_upwards(stow_sink sink, const char *class, uint64_t x, uint64_t y,
                                      const char *text) {
  open_element(sink, "text", class);
  stow_report_put(sink, " transform=\"translate(");
  stow_report_svg_put_hundredths(sink, x);
  stow_report_put(sink, " ");
  stow_report_svg_put_hundredths(sink, y);
  stow_report_put(sink, ")rotate(-90)\">");
  stow_report_put_markup(sink, text);
  stow_report_put(sink, "</text>\n");
}

uint64_t stow_report_svg_x(const stow_svg_canvas *canvas, int64_t point) {
  return STOW_SVG_LEFT + stow_report_scale(stow_canvas_at(&canvas->bounds, point),
                                           stow_canvas_width(&canvas->bounds), STOW_SVG_PLOT);
}

uint64_t stow_report_svg_map_y(const stow_svg_canvas *canvas, uint64_t address) {
  const uint64_t shown = address < canvas->bounds.top ? address : canvas->bounds.top;
  return canvas->y + STOW_SVG_HEAD + STOW_SVG_MAP -
         stow_report_scale(shown, canvas->bounds.top, STOW_SVG_MAP);
}

unsigned stow_report_svg_log2(uint64_t value) {
  unsigned log = 0;
  while (value >>= 1)
    log++;
  return log;
}

unsigned stow_report_svg_size_class(const stow_svg_canvas *canvas, uint64_t size) {
  const unsigned range = canvas->most_log - canvas->least_log;
  return range ? (stow_report_svg_log2(size) - canvas->least_log) * STOW_SVG_CLASSES / (range + 1)
               : STOW_SVG_CLASSES / 2;
}
