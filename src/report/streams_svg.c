//===- streams_svg.c - a stream of rows as an SVG picture -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x is steps. Each buffer whose rows are told apart has a band: its rows from top to bottom,
// whatever their number. In a band lie the rows that memory is there for, those that are
// held, those written and those read in each step. The left part has all steps: one sees
// the skew between bands, and how little of each is kept. The right part has a few steps
// from the middle: one sees what is kept.
//
// What lies in a band is a nested picture with its own coordinates, steps and rows, so
// paths are made of small whole numbers, and the right part is the left one seen closer. Of
// more than COLUMNS steps, several make a column.
//
//===----------------------------------------------------------------------===//

#include "streams.h"

#include "svg.h"

#include <string.h>

enum { COLUMNS = 512, CLOSE_COLUMNS = 8 };

// In hundredths of a pixel.
enum {
  WIDTH = 128000,
  LEFT = 24000, // names end here
  PLOT = 44000,
  CLOSE = LEFT + PLOT + 2000, // the right part
  CLOSE_PLOT = 40000,
  RIGHT = CLOSE + CLOSE_PLOT + 1500, // figures
  HEAD = 9500,
  BAND = 3600,
  PITCH = 4200, // from band to band
  FOOT = 4000
};

typedef struct panel {
  stow_sink sink;
  const stow_report_stream *stream;
  size_t bands;
  const char *id;       // of the stream, in the page
  int64_t column;       // steps that are drawn as one
  int64_t first, shown; // the steps of the right part
} panel;

typedef stow_row_span (*span_fn)(const stow_report_stream *, const stow_report_rows *, int64_t,
                                 int64_t);

static uint64_t x_of(const panel *p, int64_t step) {
  return LEFT + stow_scale((uint64_t)step, (uint64_t)p->stream->steps, PLOT);
}

static uint64_t bands_end(const panel *p) { return HEAD + p->bands * PITCH; }

//===----------------------------------------------------------------------===//
// Regions of rows by steps
//===----------------------------------------------------------------------===//

// What is drawn of a region, from the column that it begins with.
typedef struct walk {
  const panel *p;
  const stow_report_rows *buffer;
  span_fn span;
} walk;

static stow_row_span span_at(const walk *w, int64_t step) {
  const int64_t steps = w->p->stream->steps, to = step + w->p->column;
  return w->span(w->p->stream, w->buffer, step, to < steps ? to : steps);
}

static void put_command(stow_sink sink, const char *command, int64_t value) {
  if (!value)
    return;
  STOW_PUT(sink, command, stow_cell_signed(value).text);
}

// From the left end of a region to its right end along the lowest rows, or back along the highest.
// Steps of the same rows are one line.
static void put_edge(const walk *w, int64_t from, int64_t to, bool back) {
  const stow_sink sink = w->p->sink;
  const int64_t steps = w->p->stream->steps, by = back ? -w->p->column : w->p->column;
  int64_t at = back ? span_at(w, to - w->p->column).high : span_at(w, from).low, across = 0;
  for (int64_t s = back ? to - w->p->column : from; back ? s >= from : s < to; s += by) {
    const stow_row_span span = span_at(w, s);
    const int64_t row = back ? span.high : span.low, end = s + w->p->column;
    if (row != at) {
      put_command(sink, "h", across);
      put_command(sink, "v", row - at);
      at = row, across = 0;
    }
    across += ((end < steps ? end : steps) - s) * (back ? -1 : 1);
  }
  put_command(sink, "h", across);
}

static void put_region(const walk *w, int64_t from, int64_t to) {
  const stow_sink sink = w->p->sink;
  STOW_PUT(sink, "M", stow_cell_signed(from).text, " ",
           stow_cell_signed(span_at(w, from).low).text);
  put_edge(w, from, to, false);
  STOW_PUT(sink, "V", stow_cell_signed(span_at(w, to - w->p->column).high).text);
  put_edge(w, from, to, true);
  stow_put(sink, "z");
}

static bool is_empty(stow_row_span span) { return span.low >= span.high; }

// A path around each run of steps in which there are such rows.
static void put_rows(const panel *p, const stow_report_rows *buffer, const char *class,
                     span_fn span) {
  const walk w = {p, buffer, span};
  STOW_PUT(p->sink, "<path class=\"", class, "\" d=\"");
  for (int64_t s = 0, from; s < p->stream->steps; s += p->column) {
    for (from = s; s < p->stream->steps && !is_empty(span_at(&w, s));)
      s += p->column;
    if (s > from)
      put_region(&w, from, s);
  }
  stow_put(p->sink, "\"/>");
}

static int64_t floor_of(int64_t value, int64_t by) {
  return value < 0 ? -((by - 1 - value) / by) : value / by;
}

// The row after the last that there is memory for. A ring has the last rows that were written.
static int64_t window_end(const stow_report_stream *stream, const stow_report_rows *buffer,
                          int64_t step) {
  if (strcmp(buffer->storage, "ring") == 0)
    return stow_streamed_written(stream, buffer, 0, step + 1).high;
  return buffer->advance * floor_of(step - buffer->phase, buffer->period) + buffer->base +
         buffer->kept;
}

// The rows that the window has memory for, while it is used.
static stow_row_span window_rows(const stow_report_stream *stream, const stow_report_rows *buffer,
                                 int64_t from, int64_t to) {
  const stow_row_span held = stow_streamed_held(stream, buffer, from, to);
  if (is_empty(held))
    return held;
  const int64_t low = window_end(stream, buffer, from) - buffer->kept;
  const int64_t high = window_end(stream, buffer, to - 1);
  return (stow_row_span){low > 0 ? low : 0, high < buffer->rows ? high : buffer->rows};
}

//===----------------------------------------------------------------------===//
// What is said of a band
//===----------------------------------------------------------------------===//

static bool is_whole(const stow_report_rows *buffer) {
  return strcmp(buffer->storage, "whole") == 0;
}

// Whether rows are kept from step to step, some of them.
static bool outlives_steps(const stow_report_rows *buffer) {
  return !is_whole(buffer) && strcmp(buffer->storage, "step") != 0;
}

static void put_all(stow_sink sink, const char *const texts[], size_t count) {
  for (size_t i = 0; i < count; i++)
    stow_put_markup(sink, texts[i]);
}

#define PUT(sink, ...)                                                                             \
  put_all(sink, (const char *const[]){__VA_ARGS__},                                                \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void put_touch_title(const panel *p, const stow_report_touch *touch) {
  const stow_report_op *const op = &p->stream->ops[touch->op];
  PUT(p->sink, "\n", touch->writes ? "written by " : "read by ", op->name,
      *op->location ? " at " : "", op->location);
  if (strcmp(op->turn, "steps") != 0)
    PUT(p->sink, ", ", op->turn, " the steps");
  else
    PUT(p->sink, ", from step ", stow_cell_signed(op->delay).text, ", ",
        stow_cell_signed(op->rate).text, " each time, every ", stow_cell_signed(op->period).text,
        op->period == 1 ? " step" : " steps");
}

// Shown where the pointer rests on the band.
static void put_title(const panel *p, const stow_report_rows *buffer) {
  stow_put(p->sink, "<title>");
  PUT(p->sink, buffer->name, "  ", buffer->type, "  ", buffer->location, "\n",
      stow_cell_signed(buffer->kept).text, " of ", stow_cell_signed(buffer->rows).text,
      " rows kept, ", stow_cell_size(buffer->kept_bytes).text, " of ",
      stow_cell_size(buffer->bytes).text, ", ", buffer->storage);
  if (buffer->over)
    PUT(p->sink, "\nover ", buffer->over, ", ", stow_cell_signed(buffer->apart).text,
        " bytes apart");
  for (size_t i = 0; i < buffer->touch_count; i++)
    put_touch_title(p, &buffer->touches[i]);
  stow_put(p->sink, "</title>");
}

// The op that writes a buffer last: what fills it only comes before.
static const stow_report_op *writer_of(const panel *p, const stow_report_rows *buffer) {
  const stow_report_op *found = NULL;
  for (size_t i = 0; i < buffer->touch_count; i++)
    if (buffer->touches[i].writes)
      found = &p->stream->ops[buffer->touches[i].op];
  return found;
}

static void put_text_open(const panel *p, const char *class, uint64_t x, uint64_t y) {
  STOW_PUT(p->sink, "<text class=\"", class, "\" x=\"");
  stow_svg_put_hundredths(p->sink, x);
  stow_put(p->sink, "\" y=\"");
  stow_svg_put_hundredths(p->sink, y);
  stow_put(p->sink, "\">");
}

// At most so many characters, the end left out.
static void put_short(const panel *p, const char *text, size_t most) {
  size_t at = 0;
  for (size_t n = 0; text[at] && n < most; n++) {
    const size_t length = stow_utf8_length(text + at);
    char one[8] = {0};
    memcpy(one, text + at, length ? length : 1);
    stow_put_markup(p->sink, one);
    at += length ? length : 1;
  }
  stow_put(p->sink, text[at] ? "\xE2\x80\xA6" : "");
}

static void put_names(const panel *p, const stow_report_rows *buffer, uint64_t y) {
  const stow_report_op *const op = writer_of(p, buffer);
  put_text_open(p, "end", LEFT - 800, y + 1400);
  put_short(p, buffer->name, 38);
  stow_put(p->sink, "</text>");
  if (!op)
    return;
  put_text_open(p, "end soft", LEFT - 800, y + 2800);
  put_short(p, op->layer ? op->layer : op->name, 38);
  stow_put(p->sink, "</text>");
}

static void put_figures(const panel *p, const stow_report_rows *buffer, uint64_t y) {
  const stow_cell_text rows = stow_cell_signed(buffer->rows), kept = stow_cell_signed(buffer->kept);
  put_text_open(p, "plain", RIGHT, y + 1400);
  if (is_whole(buffer))
    PUT(p->sink, rows.text, " rows, whole");
  else
    PUT(p->sink, kept.text, " of ", rows.text, " rows, ", buffer->storage);
  stow_put(p->sink, "</text>");
  put_text_open(p, "soft", RIGHT, y + 2800);
  if (!is_whole(buffer))
    PUT(p->sink, stow_cell_size(buffer->kept_bytes).text, " of ");
  PUT(p->sink, stow_cell_size(buffer->bytes).text);
  stow_put(p->sink, "</text>");
}

// From step 0 to the first row.
static void put_delay(const panel *p, const stow_report_rows *buffer, uint64_t y) {
  const int64_t delay = stow_streamed_delay(p->stream, buffer);
  const uint64_t x = x_of(p, delay);
  if (delay == 0)
    return;
  stow_svg_put_line(p->sink, "delay", LEFT, y + 400, x, y + 400);
  stow_svg_put_line(p->sink, "delay", x, y, x, y + 800);
  if (x < LEFT + 5500)
    return;
  put_text_open(p, "end soft", x - 500, y + 1700);
  PUT(p->sink, "delay ", stow_cell_signed(delay).text);
  stow_put(p->sink, "</text>");
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

static void put_number(const panel *p, const char *before, int64_t value) {
  STOW_PUT(p->sink, before, stow_cell_signed(value).text);
}

static void put_measure(const panel *p, const char *before, uint64_t hundredths) {
  stow_put(p->sink, before);
  stow_svg_put_hundredths(p->sink, hundredths);
}

static void open_band(const panel *p, const char *class, stow_row_span steps, stow_row_span rows,
                      uint64_t x, uint64_t y, uint64_t width) {
  STOW_PUT(p->sink, "<svg class=\"", class);
  put_number(p, "\" preserveAspectRatio=\"none\" viewBox=\"", steps.low);
  put_number(p, " ", rows.low);
  put_number(p, " ", steps.high - steps.low);
  put_number(p, " ", rows.high - rows.low);
  put_measure(p, "\" x=\"", x);
  put_measure(p, "\" y=\"", y);
  put_measure(p, "\" width=\"", width);
  put_measure(p, "\" height=\"", BAND);
  stow_put(p->sink, "\">");
}

static void put_id(const panel *p, const char *before, size_t index, const char *after) {
  STOW_PUT(p->sink, before, p->id, "b", stow_cell_unsigned(index).text, after);
}

static bool same_rows(const panel *p, const stow_report_rows *a, const stow_report_rows *b,
                      span_fn span) {
  const walk first = {p, a, span}, second = {p, b, span};
  for (int64_t s = 0; s < p->stream->steps; s += p->column) {
    const stow_row_span left = span_at(&first, s), right = span_at(&second, s);
    if (left.low != right.low || left.high != right.high)
      return false;
  }
  return true;
}

static bool looks_like(const panel *p, const stow_report_rows *a, const stow_report_rows *b) {
  return outlives_steps(a) == outlives_steps(b) && same_rows(p, a, b, stow_streamed_written) &&
         (!outlives_steps(a) ||
          (same_rows(p, a, b, window_rows) && same_rows(p, a, b, stow_streamed_held)));
}

static bool is_read_like(const panel *p, const stow_report_rows *a, const stow_report_rows *b) {
  return same_rows(p, a, b, stow_streamed_read);
}

// The first band that looks the same: a network has many that do, and each is drawn once.
static size_t first_like(const panel *p, size_t index,
                         bool (*like)(const panel *, const stow_report_rows *,
                                      const stow_report_rows *)) {
  const stow_report_rows *const buffers = p->stream->buffers;
  for (size_t i = 0; i < index; i++)
    if (stow_streamed_has_rows(p->stream, &buffers[i]) && like(p, &buffers[i], &buffers[index]))
      return i;
  return index;
}

// All steps; what is read is left out, as it would hide the rest.
static void put_far(const panel *p, size_t index, uint64_t y) {
  const stow_report_rows *const buffer = &p->stream->buffers[index];
  const size_t like = first_like(p, index, looks_like);
  stow_svg_put_rect(p->sink, is_whole(buffer) ? "rows-whole" : "rows-lane", LEFT, y, PLOT, BAND);
  open_band(p, "band", (stow_row_span){0, p->stream->steps}, (stow_row_span){0, buffer->rows}, LEFT,
            y, PLOT);
  put_id(p, "<g id=\"", index, "\">");
  if (like < index)
    put_id(p, "<use href=\"#", like, "\"/>");
  else if (outlives_steps(buffer))
    put_rows(p, buffer, "rows-memory", window_rows),
        put_rows(p, buffer, "rows-held", stow_streamed_held);
  if (like == index)
    put_rows(p, buffer, "rows-written", stow_streamed_written);
  stow_put(p->sink, "</g></svg>\n");
}

// The rows that are seen in the right part: what there is memory for, of a whole buffer what is
// touched. None: nothing is.
static stow_row_span close_rows(const panel *p, const stow_report_rows *buffer) {
  const int64_t from = p->first, to = p->first + p->shown;
  if (!is_whole(buffer))
    return window_rows(p->stream, buffer, from, to);
  const stow_row_span read = stow_streamed_read(p->stream, buffer, from, to);
  const stow_row_span written = stow_streamed_written(p->stream, buffer, from, to);
  if (is_empty(read) || is_empty(written))
    return is_empty(read) ? written : read;
  return (stow_row_span){read.low < written.low ? read.low : written.low,
                         read.high > written.high ? read.high : written.high};
}

static void put_read(const panel *p, size_t index) {
  const size_t like = first_like(p, index, is_read_like);
  if (like < index) {
    put_id(p, "<use href=\"#", like, "r\"/>");
    return;
  }
  put_id(p, "<g id=\"", index, "r\">");
  put_rows(p, &p->stream->buffers[index], "rows-read", stow_streamed_read);
  stow_put(p->sink, "</g>");
}

static void put_close(const panel *p, size_t index, uint64_t y) {
  const stow_report_rows *const buffer = &p->stream->buffers[index];
  stow_row_span rows = close_rows(p, buffer);
  stow_svg_put_rect(p->sink, is_whole(buffer) ? "rows-whole" : "rows-lane", CLOSE, y, CLOSE_PLOT,
                    BAND);
  if (is_empty(rows))
    rows.high = rows.low + 1;
  open_band(p, "close", (stow_row_span){p->first, p->first + p->shown}, rows, CLOSE, y, CLOSE_PLOT);
  put_id(p, "<use href=\"#", index, "\"/>");
  put_read(p, index);
  stow_put(p->sink, "</svg>\n");
}

static void put_band(const panel *p, size_t index, uint64_t y) {
  const stow_report_rows *const buffer = &p->stream->buffers[index];
  stow_put(p->sink, "<g class=\"buffer\">");
  put_title(p, buffer);
  put_names(p, buffer, y);
  put_figures(p, buffer, y);
  stow_put(p->sink, "\n");
  put_far(p, index, y);
  put_close(p, index, y);
  put_delay(p, buffer, y);
  stow_put(p->sink, "</g>\n");
}

static void put_bands(const panel *p) {
  uint64_t y = HEAD;
  for (size_t i = 0; i < p->stream->buffer_count; i++)
    if (stow_streamed_has_rows(p->stream, &p->stream->buffers[i])) {
      put_band(p, i, y);
      y += PITCH;
    }
}

//===----------------------------------------------------------------------===//
// Axes, legend, head
//===----------------------------------------------------------------------===//

static void put_tick(const panel *p, uint64_t x, int64_t step) {
  const uint64_t bottom = bands_end(p);
  const stow_cell_text number = stow_cell_signed(step);
  stow_svg_put_line(p->sink, "grid", x, HEAD - 400, x, bottom);
  stow_svg_put_text(p->sink, "soft middle", x, HEAD - 800, number.text);
  stow_svg_put_text(p->sink, "soft middle", x, bottom + 1300, number.text);
}

static void put_far_axis(const panel *p) {
  const uint64_t steps = (uint64_t)p->stream->steps, step = stow_tick_points(steps, 10);
  const uint64_t x = x_of(p, p->first);
  stow_svg_put_rect(p->sink, "here", x, HEAD - 400, x_of(p, p->first + p->shown) - x,
                    bands_end(p) - HEAD + 400);
  for (uint64_t at = 0; at <= steps; at += step)
    put_tick(p, x_of(p, (int64_t)at), (int64_t)at);
}

static void put_close_axis(const panel *p) {
  for (int64_t at = 0; at <= p->shown; at += p->column)
    put_tick(p, CLOSE + stow_scale((uint64_t)at, (uint64_t)p->shown, CLOSE_PLOT), p->first + at);
}

static void put_axes(const panel *p) {
  const uint64_t y = bands_end(p) + 2900;
  put_far_axis(p);
  put_close_axis(p);
  stow_svg_put_text(p->sink, "soft middle", LEFT + PLOT / 2, y, "step, of all; all rows are shown");
  stow_svg_put_text(p->sink, "soft middle", CLOSE + CLOSE_PLOT / 2, y,
                    "step, of some; the rows that these use");
  stow_svg_put_text(p->sink, "soft end", LEFT - 800, HEAD - 800, "buffer, and what writes it");
  stow_svg_put_text(p->sink, "soft", RIGHT, HEAD - 800, "rows and bytes kept");
}

static void put_legend(const panel *p, uint64_t y) {
  static const char *const keys[][2] = {
      {"rows-written", "written in the step"},   {"rows-read", "read in the step"},
      {"rows-held", "kept for later"},           {"rows-memory", "memory of the window"},
      {"rows-lane", "rows that need no memory"}, {"rows-whole", "whole: memory for all rows"}};
  uint64_t x = 800;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    stow_svg_put_rect(p->sink, keys[i][0], x, y - 900, 1400, 1000);
    stow_svg_put_text(p->sink, "soft", x + 1900, y, keys[i][1]);
    x += 3400 + 580 * strlen(keys[i][1]);
  }
}

static void put_head(const panel *p, const stow_report_streamed *function, size_t index) {
  const stow_report_stream *const s = p->stream;
  put_text_open(p, "title", 800, 2200);
  PUT(p->sink, function->function, ", stream ", stow_cell_unsigned(index + 1).text, " of ",
      stow_cell_unsigned(function->stream_count).text);
  stow_put(p->sink, "</text>");
  put_text_open(p, "plain", 800, 4200);
  PUT(p->sink, stow_cell_signed(s->steps).text, " steps of ", stow_cell_unsigned(s->op_count).text,
      " ops; rows of ", stow_cell_size(s->bytes).text, ", of which ",
      stow_cell_size(s->kept_bytes).text, " are kept (",
      stow_cell_percent(s->kept_bytes, s->bytes).text, " %); ", stow_cell_size(s->moved_bytes).text,
      " are moved");
  stow_put(p->sink, "</text>");
  put_legend(p, 6300);
}

static size_t count_bands(const stow_report_stream *stream) {
  size_t count = 0;
  for (size_t i = 0; i < stream->buffer_count; i++)
    count += stow_streamed_has_rows(stream, &stream->buffers[i]);
  return count;
}

static panel panel_of(stow_sink sink, const stow_report_stream *s, const char *id) {
  const int64_t column = (s->steps + COLUMNS - 1) / COLUMNS;
  const int64_t shown = column * CLOSE_COLUMNS < s->steps ? column * CLOSE_COLUMNS : s->steps;
  const int64_t first = (s->steps - shown) / 2 / column * column;
  return (panel){sink, s, count_bands(s), id, column, first, shown};
}

void stow_put_stream_svg(stow_sink sink, const stow_report_streamed *function, size_t stream,
                         const char *id) {
  const panel p = panel_of(sink, &function->streams[stream], id);
  STOW_PUT(sink, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"stream\" viewBox=\"0 0 ",
           stow_cell_unsigned(WIDTH / 100).text, " ");
  stow_svg_put_hundredths(sink, bands_end(&p) + FOOT);
  stow_put(sink, "\">\n");
  put_head(&p, function, stream);
  put_axes(&p);
  put_bands(&p);
  stow_put(sink, "</svg>\n");
}
