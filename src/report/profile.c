//===- profile.c - bytes alive and highest offset in use, over time -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over the begins and ends of all pieces of lives. The highest offset in use
// is the top of a heap of the pieces begun so far; one that has ended stays in the
// heap until it comes to the top, where it is dropped.
//
//===----------------------------------------------------------------------===//

#include "profile.h"

#include "scale.h"

#include <stdlib.h>

typedef struct event {
  int64_t point;
  bool begins; // ends come before begins
  uint64_t size, top;
  int64_t end;
} event;

typedef struct heap_entry {
  uint64_t top;
  int64_t end;
} heap_entry;

// A binary heap, largest top first, in an array with room for all.
typedef struct heap {
  heap_entry *entries;
  size_t count;
} heap;

static void push(heap *tops, heap_entry entry) {
  size_t at = tops->count++;
  for (; at && tops->entries[(at - 1) / 2].top < entry.top; at = (at - 1) / 2)
    tops->entries[at] = tops->entries[(at - 1) / 2];
  tops->entries[at] = entry;
}

static void pop(heap *tops) {
  const heap_entry last = tops->entries[--tops->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < tops->count; at = child) {
    if (child + 1 < tops->count && tops->entries[child + 1].top > tops->entries[child].top)
      child++;
    if (tops->entries[child].top <= last.top)
      break;
    tops->entries[at] = tops->entries[child];
  }
  tops->entries[at] = last;
}

static uint64_t highest_alive(heap *tops, int64_t point) {
  while (tops->count && tops->entries[0].end <= point)
    pop(tops);
  return tops->count ? tops->entries[0].top : 0;
}

static int compare_events(const void *left, const void *right) {
  const event *const a = left, *const b = right;
  if (a->point != b->point)
    return a->point < b->point ? -1 : 1;
  return (int)a->begins - (int)b->begins;
}

static size_t count_pieces(const stow_report_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (stow_report_is_drawn(&arena->buffers[i]))
      count += stow_box_count(&arena->buffers[i]);
  return count;
}

static size_t add_events(const stow_report_buffer *buffer, event *events) {
  size_t count = 0;
  for (size_t i = 0; i < stow_box_count(buffer); i++) {
    const stow_box box = stow_box_of(buffer, i);
    const uint64_t size = box.high - box.low;
    events[count++] = (event){box.begin, true, size, box.high, box.end};
    events[count++] = (event){box.end, false, size, 0, box.end};
  }
  return count;
}

static void sweep(const event *events, size_t count, heap *tops, stow_profile *profile) {
  uint64_t live = 0;
  for (size_t i = 0; i < count; i++) {
    const event *const now = &events[i];
    live += now->begins ? now->size : 0 - now->size;
    if (now->begins)
      push(tops, (heap_entry){now->top, now->end});
    if (i + 1 == count || events[i + 1].point != now->point)
      profile->samples[profile->count++] =
          (stow_sample){now->point, live, highest_alive(tops, now->point)};
  }
}

stow_status stow_profile_make(const stow_report_arena *arena, stow_profile *out_profile) {
  *out_profile = (stow_profile){0};
  const size_t pieces = count_pieces(arena);
  event *const events = calloc(2 * pieces + 1, sizeof *events);
  heap tops = {calloc(pieces + 1, sizeof *tops.entries), 0};
  out_profile->samples = calloc(2 * pieces + 1, sizeof *out_profile->samples);
  const bool room = events && tops.entries && out_profile->samples;
  if (room) {
    size_t count = 0;
    for (size_t i = 0; i < arena->buffer_count; i++)
      if (stow_report_is_drawn(&arena->buffers[i]))
        count += add_events(&arena->buffers[i], events + count);
    qsort(events, count, sizeof *events, compare_events);
    sweep(events, count, &tops, out_profile);
  }
  free(events);
  free(tops.entries);
  if (!room)
    stow_profile_release(out_profile);
  return room ? STOW_OK : STOW_NO_MEMORY;
}

void stow_profile_release(stow_profile *profile) {
  free(profile->samples);
  *profile = (stow_profile){0};
}
