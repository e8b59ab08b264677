//===- scale.c - positions in a picture -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scale.h"

#include <assert.h>

uint64_t stow_scale(uint64_t value, uint64_t whole, uint64_t extent) {
  assert(extent >> 24 == 0);
  if (value > whole)
    value = whole;
  while (whole >> 40) {
    whole >>= 1;
    value >>= 1;
  }
  return whole ? value * extent / whole : 0;
}

bool stow_is_plan(stow_outcome outcome) {
  return outcome == STOW_FEASIBLE || outcome == STOW_OPTIMAL;
}

bool stow_has_plan(const stow_report_arena *arena) { return stow_is_plan(arena->outcome); }

bool stow_is_drawn(const stow_report_buffer *buffer) {
  return !buffer->reason && buffer->buffer.size;
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

static void include(stow_canvas *frame, const stow_report_buffer *buffer, bool *empty) {
  const stow_buffer *const shown = &buffer->buffer;
  if (*empty || shown->begin < frame->begin)
    frame->begin = shown->begin;
  if (*empty || shown->end > frame->end)
    frame->end = shown->end;
  *empty = false;
}

stow_canvas stow_canvas_of(const stow_report_arena *arena) {
  stow_canvas frame = {0};
  bool empty = true;
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (!arena->buffers[i].reason)
      include(&frame, &arena->buffers[i], &empty);
  if (frame.end <= frame.begin)
    frame.end = frame.begin + 1;
  frame.top = arena->arena_size > arena->lower_bound ? arena->arena_size : arena->lower_bound;
  if (arena->capacity > frame.top && arena->capacity / 2 <= frame.top)
    frame.top = arena->capacity;
  frame.top += !frame.top;
  return frame;
}

uint64_t stow_canvas_width(const stow_canvas *frame) {
  return (uint64_t)frame->end - (uint64_t)frame->begin;
}

uint64_t stow_canvas_at(const stow_canvas *frame, int64_t point) {
  if (point <= frame->begin)
    return 0;
  return (uint64_t)(point < frame->end ? point : frame->end) - (uint64_t)frame->begin;
}

uint64_t stow_tick_points(uint64_t whole, uint64_t most) {
  uint64_t step = 1;
  for (unsigned i = 0; whole / step > most && step < UINT64_MAX / 10; i++)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

uint64_t stow_first_tick(const stow_canvas *frame, uint64_t step) {
  if (frame->begin < 0)
    return (0 - (uint64_t)frame->begin) % step;
  const uint64_t past = (uint64_t)frame->begin % step;
  return past ? step - past : 0;
}

uint64_t stow_tick_bytes(uint64_t whole, uint64_t most) {
  uint64_t step = 1;
  while (whole / step > most && step < UINT64_MAX / 2)
    step *= 2;
  return step;
}
