//===- scale.c - positions in a picture -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates in whole numbers, so that pictures are the same on every machine; labels that fit;
// the bounds of a picture, and steps of its axes.
//
//===----------------------------------------------------------------------===//

#include "scale.h"

#include <assert.h>
#include <string.h>

uint64_t stow_report_scale(uint64_t value, uint64_t whole, uint64_t extent) {
  assert(extent >> 24 == 0);
  if (value > whole)
    value = whole;
  while (whole >> 40) {
    whole >>= 1;
    value >>= 1;
  }
  return whole ? value * extent / whole : 0;
}

bool stow_report_is_plan(stow_outcome outcome) {
  return outcome == STOW_FEASIBLE || outcome == STOW_OPTIMAL;
}

bool stow_report_has_plan(const stow_report_arena *arena) {
  return stow_report_is_plan(arena->outcome);
}

bool stow_report_is_drawn(const stow_report_buffer *buffer) {
  return !buffer->reason && buffer->buffer.size;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the ":12" that ends at `end` begins; `end` where there is none.
static const char *number_before(const char *location, const char *end) {
  const char *at = end;
  while (at > location && is_digit(at[-1]))
    at--;
  return at < end && at > location && at[-1] == ':' ? at - 1 : end;
}

// As much of the end of `text` as there is room for before what is `spared`, in whole letters.
static void say_end(stow_label *label, const char *text, size_t spared) {
  const size_t room = sizeof label->text - 1 - spared, size = strlen(text);
  const char *from = size > room ? text + (size - room) : text;
  while (from > text && ((unsigned char)*from & 0xC0) == 0x80)
    from++;
  strcpy(label->text, from);
}

// Of "net.mlir:12:8" it says ":12".
static void say_op(stow_label *label, const char *op, const char *location) {
  enum { MOST_OF_A_LINE = 24 };
  const char *const end = location + strlen(location), *const column = number_before(location, end);
  const char *const line = column < end ? number_before(location, column) : column;
  const size_t size = (size_t)(column - line) < MOST_OF_A_LINE ? (size_t)(column - line) : 0;
  const char *const dot = strchr(op, '.');
  say_end(label, dot && dot[1] ? dot + 1 : op, size);
  strncat(label->text, line, size);
}

stow_label stow_label_of(const stow_report_buffer *buffer) {
  stow_label label = {""};
  if (buffer->op && !buffer->layer)
    say_op(&label, buffer->op, buffer->op_location ? buffer->op_location : buffer->location);
  else
    say_end(&label, buffer->layer ? buffer->layer : buffer->name, 0);
  return label;
}

size_t stow_box_count(const stow_report_buffer *buffer) {
  return buffer->piece_count ? buffer->piece_count : 1;
}

stow_box stow_box_of(const stow_report_buffer *buffer, size_t index) {
  const stow_buffer *const whole = &buffer->buffer;
  const stow_piece piece =
      buffer->piece_count ? buffer->pieces[index] : (stow_piece){whole->begin, whole->end, 0, 0};
  const uint64_t high = piece.high ? piece.high : whole->size;
  return (stow_box){piece.begin, piece.end, buffer->offset + piece.low, buffer->offset + high};
}

static void include(stow_canvas *canvas, const stow_report_buffer *buffer, bool *empty) {
  const stow_buffer *const shown = &buffer->buffer;
  if (*empty || shown->begin < canvas->begin)
    canvas->begin = shown->begin;
  if (*empty || shown->end > canvas->end)
    canvas->end = shown->end;
  *empty = false;
}

stow_canvas stow_canvas_of(const stow_report_arena *arena) {
  stow_canvas canvas = {0};
  bool empty = true;
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (!arena->buffers[i].reason)
      include(&canvas, &arena->buffers[i], &empty);
  if (canvas.end <= canvas.begin)
    canvas.end = canvas.begin + 1;
  canvas.top = arena->arena_size > arena->lower_bound ? arena->arena_size : arena->lower_bound;
  if (arena->capacity > canvas.top && arena->capacity / 2 <= canvas.top)
    canvas.top = arena->capacity;
  canvas.top += !canvas.top;
  return canvas;
}

uint64_t stow_canvas_width(const stow_canvas *canvas) {
  return (uint64_t)canvas->end - (uint64_t)canvas->begin;
}

uint64_t stow_canvas_at(const stow_canvas *canvas, int64_t point) {
  if (point <= canvas->begin)
    return 0;
  return (uint64_t)(point < canvas->end ? point : canvas->end) - (uint64_t)canvas->begin;
}

uint64_t stow_report_tick_points(uint64_t whole, uint64_t most) {
  uint64_t step = 1;
  for (unsigned i = 0; whole / step > most && step < UINT64_MAX / 10; i++)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

uint64_t stow_report_first_tick(const stow_canvas *canvas, uint64_t step) {
  if (canvas->begin < 0)
    return (0 - (uint64_t)canvas->begin) % step;
  const uint64_t past = (uint64_t)canvas->begin % step;
  return past ? step - past : 0;
}

uint64_t stow_report_tick_bytes(uint64_t whole, uint64_t most) {
  uint64_t step = 1;
  while (whole / step > most && step < UINT64_MAX / 2)
    step *= 2;
  return step;
}
