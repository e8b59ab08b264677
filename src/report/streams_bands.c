//===- streams_bands.c - a stream of rows as bands on the page ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each buffer with separate rows has a line of the page with two bands. In a band, x is steps and y
// is all rows of the buffer. It shows the rows that have memory, and those that are held, written
// and read in each step. The far band has all steps: it shows the skew between buffers, and how
// little of each is kept. The near band has a few steps from the middle: it shows which rows are
// kept. On a narrow screen the text of a line is above its bands.
//
// A band is an SVG picture in coordinates of steps and rows, so paths consist of small integers,
// and the near band is the far one magnified. If there are more than COLUMNS steps, a column is
// several.
//
//===----------------------------------------------------------------------===//

#include "streams.h"

#include "svg.h"

#include <string.h>

enum { COLUMNS = 512, NEAR_COLUMNS = 8 };

typedef struct panel {
  stow_sink sink;
  const stow_report_stream *stream;
  const char *id;       // of the stream, in the page
  int64_t column;       // steps that are drawn as one
  int64_t first, shown; // the steps of the near band
} panel;

typedef stow_row_span (*span_fn)(const stow_report_stream *, const stow_report_rows *, int64_t,
                                 int64_t);

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
  STOW_PUT(sink, command, stow_report_cell_signed(value).text);
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
      at = row;
      across = 0;
    }
    across += ((end < steps ? end : steps) - s) * (back ? -1 : 1);
  }
  put_command(sink, "h", across);
}

static void put_region(const walk *w, int64_t from, int64_t to) {
  const stow_sink sink = w->p->sink;
  STOW_PUT(sink, "M", stow_report_cell_signed(from).text, " ",
           stow_report_cell_signed(span_at(w, from).low).text);
  put_edge(w, from, to, false);
  STOW_PUT(sink, "V", stow_report_cell_signed(span_at(w, to - w->p->column).high).text);
  put_edge(w, from, to, true);
  stow_report_put(sink, "z");
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
  stow_report_put(p->sink, "\"/>");
}

static int64_t floor_of(int64_t value, int64_t by) {
  return value < 0 ? -((by - 1 - value) / by) : value / by;
}

// The row after the last that there is memory for. A ring has the last rows that were written.
static int64_t window_end(const stow_report_stream *stream, const stow_report_rows *buffer,
                          int64_t step) {
  if (strcmp(buffer->storage, "ring") == 0)
    return stow_report_streamed_written(stream, buffer, 0, step + 1).high;
  return buffer->advance * floor_of(step - buffer->phase, buffer->period) + buffer->base +
         buffer->kept;
}

// The rows that the window has memory for, while it is used.
static stow_row_span window_rows(const stow_report_stream *stream, const stow_report_rows *buffer,
                                 int64_t from, int64_t to) {
  const stow_row_span held = stow_report_streamed_held(stream, buffer, from, to);
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
    stow_report_put_markup(sink, texts[i]);
}

#define PUT(sink, ...)                                                                             \
  put_all(sink, (const char *const[]){__VA_ARGS__},                                                \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void put_touch_title(const panel *p, const stow_report_touch *touch) {
  const stow_report_op *const op = &p->stream->ops[touch->op];
  PUT(p->sink, "\n", touch->writes ? "written by " : "read by ", op->name,
      *op->location ? " at " : "", op->location);
  if (strcmp(op->stage, "steps") != 0)
    PUT(p->sink, ", ", op->stage, " the steps");
  else
    PUT(p->sink, ", from step ", stow_report_cell_signed(op->delay).text, ", ",
        stow_report_cell_signed(op->rate).text, " each time, every ",
        stow_report_cell_signed(op->period).text, op->period == 1 ? " step" : " steps");
}

// Shown where the pointer rests on the band.
static void put_title(const panel *p, const stow_report_rows *buffer) {
  stow_report_put(p->sink, " title=\"");
  PUT(p->sink, buffer->name, "  ", buffer->type, "  ", buffer->location, "\n",
      stow_report_cell_signed(buffer->kept).text, " of ",
      stow_report_cell_signed(buffer->rows).text, " rows kept, ",
      stow_report_cell_size(buffer->kept_bytes).text, " of ",
      stow_report_cell_size(buffer->bytes).text, ", ", buffer->storage);
  if (buffer->over)
    PUT(p->sink, "\nover ", buffer->over, ", ", stow_report_cell_signed(buffer->distance).text,
        " bytes apart");
  for (size_t i = 0; i < buffer->touch_count; i++)
    put_touch_title(p, &buffer->touches[i]);
  stow_report_put(p->sink, "\"");
}

// The op that writes a buffer last: what fills it only comes before.
static const stow_report_op *writer_of(const panel *p, const stow_report_rows *buffer) {
  const stow_report_op *found = NULL;
  for (size_t i = 0; i < buffer->touch_count; i++)
    if (buffer->touches[i].writes)
      found = &p->stream->ops[buffer->touches[i].op];
  return found;
}

// Two lines of words beside the bands.
static void put_words(const panel *p, const char *class, const char *first, const char *second) {
  STOW_PUT(p->sink, "<span class=\"", class, "\"><b>");
  stow_report_put_markup(p->sink, first);
  stow_report_put(p->sink, "</b><i>");
  stow_report_put_markup(p->sink, second);
  stow_report_put(p->sink, "</i></span>\n");
}

static void put_names(const panel *p, const stow_report_rows *buffer) {
  const stow_report_op *const op = writer_of(p, buffer);
  put_words(p, "who", buffer->name, !op ? "" : op->layer ? op->layer : op->name);
}

static void put_figures(const panel *p, const stow_report_rows *buffer) {
  const stow_cell_text rows = stow_report_cell_signed(buffer->rows),
                       kept = stow_report_cell_signed(buffer->kept);
  const bool whole = is_whole(buffer);
  stow_report_put(p->sink, "<span class=\"kept\"><b>");
  if (whole)
    PUT(p->sink, rows.text, " rows, whole");
  else
    PUT(p->sink, kept.text, " of ", rows.text, " rows, ", buffer->storage);
  stow_report_put(p->sink, "</b><i>");
  PUT(p->sink, whole ? "" : stow_report_cell_size(buffer->kept_bytes).text, whole ? "" : " of ",
      stow_report_cell_size(buffer->bytes).text);
  stow_report_put(p->sink, "</i></span>\n");
}

// A share of a band's width, as a style.
static void put_share(const panel *p, const char *property, int64_t steps, int64_t whole) {
  STOW_PUT(p->sink, " style=\"", property, ":");
  stow_report_svg_put_hundredths(p->sink,
                                 stow_report_scale((uint64_t)steps, (uint64_t)whole, 10000));
  stow_report_put(p->sink, "%\"");
}

// From step 0 to the first row.
static void put_delay(const panel *p, const stow_report_rows *buffer) {
  const int64_t delay = stow_report_streamed_delay(p->stream, buffer);
  if (delay == 0)
    return;
  stow_report_put(p->sink, "<i class=\"delay\"");
  put_share(p, "width", delay, p->stream->steps);
  stow_report_put(p->sink, ">");
  if (delay > p->stream->steps / 4)
    PUT(p->sink, "delay ", stow_report_cell_signed(delay).text);
  stow_report_put(p->sink, "</i>");
}

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

static void put_number(const panel *p, const char *before, int64_t value) {
  STOW_PUT(p->sink, before, stow_report_cell_signed(value).text);
}

// The box of a band, and the picture in it.
static void open_band(const panel *p, const char *class, const stow_report_rows *buffer,
                      stow_row_span steps, stow_row_span rows) {
  STOW_PUT(p->sink, "<div class=\"", class, is_whole(buffer) ? " rows-whole" : " rows-lane",
           "\"><svg preserveAspectRatio=\"none\" viewBox=\"");
  stow_report_put_signed(p->sink, steps.low);
  put_number(p, " ", rows.low);
  put_number(p, " ", steps.high - steps.low);
  put_number(p, " ", rows.high - rows.low);
  stow_report_put(p->sink, "\">");
}

static void close_band(const panel *p) { stow_report_put(p->sink, "</svg></div>\n"); }

// The steps of the near band.
static void put_here(const panel *p, const stow_report_rows *buffer) {
  put_number(p, "<rect class=\"here\" x=\"", p->first);
  put_number(p, "\" width=\"", p->shown);
  put_number(p, "\" height=\"", buffer->rows);
  stow_report_put(p->sink, "\"/>");
}

// A line at each tick.
static void put_grid(const panel *p, stow_row_span steps, int64_t by, stow_row_span rows) {
  stow_report_put(p->sink, "<path class=\"grid\" d=\"");
  for (int64_t at = steps.low; at <= steps.high; at += by) {
    put_number(p, "M", at);
    put_number(p, " ", rows.low);
    put_number(p, "v", rows.high - rows.low);
  }
  stow_report_put(p->sink, "\"/>");
}

static int64_t far_tick(const panel *p) {
  return (int64_t)stow_report_tick_points((uint64_t)p->stream->steps, 5);
}

static void put_id(const panel *p, const char *before, size_t index, const char *after) {
  STOW_PUT(p->sink, before, p->id, "b", stow_report_cell_unsigned(index).text, after);
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
  return outlives_steps(a) == outlives_steps(b) &&
         same_rows(p, a, b, stow_report_streamed_written) &&
         (!outlives_steps(a) ||
          (same_rows(p, a, b, window_rows) && same_rows(p, a, b, stow_report_streamed_held)));
}

static bool is_read_like(const panel *p, const stow_report_rows *a, const stow_report_rows *b) {
  return same_rows(p, a, b, stow_report_streamed_read);
}

// The first band that looks the same: a network has many that do, and each is drawn once.
static size_t first_like(const panel *p, size_t index,
                         bool (*like)(const panel *, const stow_report_rows *,
                                      const stow_report_rows *)) {
  const stow_report_rows *const buffers = p->stream->buffers;
  for (size_t i = 0; i < index; i++)
    if (stow_report_streamed_has_rows(p->stream, &buffers[i]) &&
        like(p, &buffers[i], &buffers[index]))
      return i;
  return index;
}

// All steps; what is read is left out, as it would hide the rest.
static void put_far(const panel *p, size_t index) {
  const stow_report_rows *const buffer = &p->stream->buffers[index];
  const stow_row_span steps = {0, p->stream->steps}, rows = {0, buffer->rows};
  const size_t like = first_like(p, index, looks_like);
  open_band(p, "far", buffer, steps, rows);
  put_here(p, buffer);
  put_grid(p, steps, far_tick(p), rows);
  put_id(p, "<g id=\"", index, "\">");
  if (like < index)
    put_id(p, "<use href=\"#", like, "\"/>");
  else if (outlives_steps(buffer)) {
    put_rows(p, buffer, "rows-memory", window_rows);
    put_rows(p, buffer, "rows-held", stow_report_streamed_held);
  }
  if (like == index)
    put_rows(p, buffer, "rows-written", stow_report_streamed_written);
  stow_report_put(p->sink, "</g></svg>");
  put_delay(p, buffer);
  stow_report_put(p->sink, "</div>\n");
}

// The rows that are seen in the near band: what there is memory for, of a whole buffer what is
// touched. None: nothing is.
static stow_row_span near_rows(const panel *p, const stow_report_rows *buffer) {
  const int64_t from = p->first, to = p->first + p->shown;
  if (!is_whole(buffer))
    return window_rows(p->stream, buffer, from, to);
  const stow_row_span read = stow_report_streamed_read(p->stream, buffer, from, to);
  const stow_row_span written = stow_report_streamed_written(p->stream, buffer, from, to);
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
  put_rows(p, &p->stream->buffers[index], "rows-read", stow_report_streamed_read);
  stow_report_put(p->sink, "</g>");
}

static void put_near(const panel *p, size_t index) {
  const stow_report_rows *const buffer = &p->stream->buffers[index];
  const stow_row_span steps = {p->first, p->first + p->shown};
  stow_row_span rows = near_rows(p, buffer);
  if (is_empty(rows))
    rows.high = rows.low + 1;
  open_band(p, "near", buffer, steps, rows);
  put_grid(p, steps, p->column, rows);
  put_id(p, "<use href=\"#", index, "\"/>");
  put_read(p, index);
  close_band(p);
}

static void put_buffer(const panel *p, size_t index) {
  const stow_report_rows *const buffer = &p->stream->buffers[index];
  stow_report_put(p->sink, "<div class=\"buffer\"");
  put_title(p, buffer);
  stow_report_put(p->sink, ">\n");
  put_names(p, buffer);
  put_far(p, index);
  put_near(p, index);
  put_figures(p, buffer);
  stow_report_put(p->sink, "</div>\n");
}

//===----------------------------------------------------------------------===//
// Axes, legend, head
//===----------------------------------------------------------------------===//

static void put_axis(const panel *p, const char *class, const char *title, stow_row_span steps,
                     int64_t by) {
  STOW_PUT(p->sink, "<div class=\"", class, " axis\">", title);
  for (int64_t at = steps.low; at <= steps.high; at += by) {
    stow_report_put(p->sink, "<i");
    put_share(p, "left", at - steps.low, steps.high - steps.low);
    put_number(p, ">", at);
    stow_report_put(p->sink, "</i>");
  }
  stow_report_put(p->sink, "</div>\n");
}

static void put_axes(const panel *p) {
  stow_report_put(p->sink, "<div class=\"axes\">\n");
  put_words(p, "who", "", "buffer, and what writes it");
  put_axis(p, "far", "all steps, all rows", (stow_row_span){0, p->stream->steps}, far_tick(p));
  put_axis(p, "near", "some steps, their rows", (stow_row_span){p->first, p->first + p->shown},
           p->column * 2);
  put_words(p, "kept", "", "rows and bytes kept");
  stow_report_put(p->sink, "</div>\n");
}

static void put_legend(stow_sink sink) {
  static const char *const keys[][2] = {
      {"rows-written", "written in the step"},   {"rows-read", "read in the step"},
      {"rows-held", "kept for later"},           {"rows-memory", "memory of the window"},
      {"rows-lane", "rows that need no memory"}, {"rows-whole", "whole: memory for all rows"}};
  stow_report_put(sink, "<div class=\"legend\">");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    STOW_PUT(sink, "<span><em class=\"", keys[i][0], "\"></em>", keys[i][1], "</span>");
  stow_report_put(sink, "</div>\n");
}

static void put_head(const panel *p, const stow_report_streamed *function, size_t index) {
  const stow_report_stream *const s = p->stream;
  stow_report_put(p->sink, "<summary><b>");
  PUT(p->sink, function->function, ", stream ", stow_report_cell_unsigned(index + 1).text, " of ",
      stow_report_cell_unsigned(function->stream_count).text);
  stow_report_put(p->sink, "</b> ");
  PUT(p->sink, stow_report_cell_signed(s->steps).text, " steps of ",
      stow_report_cell_unsigned(s->op_count).text, " ops; rows of ",
      stow_report_cell_size(s->bytes).text, ", of which ",
      stow_report_cell_size(s->kept_bytes).text, " are kept (",
      stow_report_cell_percent(s->kept_bytes, s->bytes).text, " %); ",
      stow_report_cell_size(s->moved_bytes).text, " are moved");
  stow_report_put(p->sink, "</summary>\n");
}

static panel panel_of(stow_sink sink, const stow_report_stream *s, const char *id) {
  const int64_t column = (s->steps + COLUMNS - 1) / COLUMNS;
  const int64_t shown = column * NEAR_COLUMNS < s->steps ? column * NEAR_COLUMNS : s->steps;
  const int64_t first = (s->steps - shown) / 2 / column * column;
  return (panel){sink, s, id, column, first, shown};
}

void stow_report_put_stream_bands(stow_sink sink, const stow_report_streamed *function,
                                  size_t stream, const char *id) {
  const panel p = panel_of(sink, &function->streams[stream], id);
  STOW_PUT(sink, "<details class=\"stream\"", stream ? "" : " open=\"\"", ">\n");
  put_head(&p, function, stream);
  put_legend(sink);
  put_axes(&p);
  for (size_t i = 0; i < p.stream->buffer_count; i++)
    if (stow_report_streamed_has_rows(p.stream, &p.stream->buffers[i]))
      put_buffer(&p, i);
  stow_report_put(sink, "</details>\n");
}
