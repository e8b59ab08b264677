//===- scale.h - positions in a picture -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_SCALE_H
#define STOWAGE_REPORT_SCALE_H

#include "report.h"

// value * extent / whole, rounded down and at most `extent`, for an extent below 2^24; exact for a
// whole below 2^40, and off by less than 2^-16 of the extent above. 0 where whole is 0.
uint64_t stow_report_scale(uint64_t value, uint64_t whole, uint64_t extent);

// What a picture of one arena shows: the points [begin, end) and the bytes [0, top). Neither is
// empty. The capacity is inside where that leaves the plan at least half of the height.
typedef struct stow_canvas {
  int64_t begin, end;
  uint64_t top;
} stow_canvas;

stow_canvas stow_canvas_of(const stow_report_arena *arena);

uint64_t stow_canvas_width(const stow_canvas *canvas);

// A point's distance from the canvas's begin; of one outside, that of the nearer end.
uint64_t stow_canvas_at(const stow_canvas *canvas, int64_t point);

// A step of 1, 2 or 5 times a power of ten (a power of two for bytes) with
// which `whole` takes at most `most` steps.
uint64_t stow_report_tick_points(uint64_t whole, uint64_t most);
uint64_t stow_report_tick_bytes(uint64_t whole, uint64_t most);

// The distance from the canvas's begin to the first multiple of `step`.
uint64_t stow_report_first_tick(const stow_canvas *canvas, uint64_t step);

// Whether the outcome comes with a plan.
bool stow_report_is_plan(stow_outcome outcome);
bool stow_report_has_plan(const stow_report_arena *arena);

// The pieces of a buffer's life as rectangles on the map; one for an ordinary life.
typedef struct stow_box {
  int64_t begin, end;
  uint64_t low, high; // addresses
} stow_box;

// Whether the buffer is on the map.
bool stow_report_is_drawn(const stow_report_buffer *buffer);

// The `most` drawn buffers of an arena that take the largest part of its picture, in their order.
// Freed with free().
stow_status stow_report_choose_largest(const stow_report_arena *arena, size_t most,
                                       size_t **out_chosen, size_t *out_count);

// What a picture calls a buffer: its layer, else the op that makes its values with the line of that
// op, else its name. Of what is longer, the end.
typedef struct stow_label {
  char text[64];
} stow_label;

stow_label stow_label_of(const stow_report_buffer *buffer);

size_t stow_box_count(const stow_report_buffer *buffer);
stow_box stow_box_of(const stow_report_buffer *buffer, size_t index);

#endif // STOWAGE_REPORT_SCALE_H
