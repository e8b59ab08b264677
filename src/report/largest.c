//===- largest.c - the buffers that a picture has room for ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a plan. Chooses the buffers with the largest boxes, bytes times life, and returns them
// in the order of the table.
//
//===----------------------------------------------------------------------===//

#include "scale.h"

#include <stdlib.h>

// A buffer and what it takes of the picture, bytes x life, in the unit of 2^-40 of the whole.
typedef struct candidate {
  uint64_t area;
  size_t index;
} candidate;

static int larger_first(const void *left, const void *right) {
  const candidate *const a = left, *const b = right;
  if (a->area != b->area)
    return a->area > b->area ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static int by_index(const void *left, const void *right) {
  const candidate *const a = left, *const b = right;
  return (a->index > b->index) - (a->index < b->index);
}

static uint64_t area_of(const stow_canvas *canvas, const stow_buffer *buffer) {
  enum { UNIT = 1 << 20 };
  const uint64_t duration = (uint64_t)buffer->end - (uint64_t)buffer->begin;
  const uint64_t size = buffer->size < canvas->top ? buffer->size : canvas->top;
  return stow_report_scale(duration, stow_canvas_width(canvas), UNIT) *
         stow_report_scale(size, canvas->top, UNIT);
}

stow_status stow_report_choose_largest(const stow_report_arena *arena, size_t most,
                                       size_t **out_chosen, size_t *out_count) {
  const stow_canvas canvas = stow_canvas_of(arena);
  candidate *const all = malloc((arena->buffer_count + 1) * sizeof *all);
  size_t *const chosen = malloc((arena->buffer_count + 1) * sizeof *chosen);
  size_t count = 0;
  for (size_t i = 0; all && chosen && i < arena->buffer_count; i++)
    if (stow_report_is_drawn(&arena->buffers[i]))
      all[count++] = (candidate){area_of(&canvas, &arena->buffers[i].buffer), i};
  if (count > most) {
    qsort(all, count, sizeof *all, larger_first);
    count = most;
    qsort(all, count, sizeof *all, by_index);
  }
  for (size_t i = 0; i < count; i++)
    chosen[i] = all[i].index;
  const bool room = all && chosen;
  free(all);
  if (!room)
    free(chosen);
  *out_chosen = room ? chosen : NULL;
  *out_count = count;
  return room ? STOW_OK : STOW_NO_MEMORY;
}
