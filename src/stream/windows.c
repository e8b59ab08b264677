//===- windows.c - the rows that a buffer keeps ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each step the accesses of a buffer lie between two rows, which advance by the same
// number each step. All rows between them are kept: the oldest is read in the step that
// makes the newest. Where no access crosses a border between blocks of as many rows as a
// step makes, blocks may lie in a ring, and nothing has to move.
//
//===----------------------------------------------------------------------===//

#include "stream/scheduler.h"

#include <assert.h>

bool stow_stream_is_inside(const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_span span = s->spans[buffer];
  if (!s->problem->buffers[buffer].local || span.first < s->first ||
      span.last >= s->first + s->count || s->heads[buffer] < 0)
    return false;
  const stow_stream_node *first = NULL;
  for (int64_t n = s->heads[buffer]; n >= 0; n = s->nodes[n].next) {
    first = &s->nodes[n];
    if (first->access->whole || first->access->stride == 0 ||
        s->orders[first->statement].turn != STOW_STREAM_STEPS)
      return false;
  }
  return first->access->writes;
}

// In step 0, were there iterations before the first.
static int64_t lowest(const stow_stream_scheduler *s, const stow_stream_node *node) {
  const stow_stream_order *order = &s->orders[node->statement];
  return node->access->stride * order->rate * -order->delay + node->access->low;
}

static int64_t span_of(const stow_stream_scheduler *s, const stow_stream_node *node) {
  const stow_stream_access *access = node->access;
  return access->stride * (s->orders[node->statement].rate - 1) + access->high - access->low + 1;
}

// How many blocks hold all accesses of a step, or 0 where one crosses a border.
static int64_t ring_blocks(const stow_stream_scheduler *s, size_t buffer, int64_t advance,
                           int64_t phase) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (int64_t n = s->heads[buffer]; n >= 0; n = s->nodes[n].next) {
    const int64_t low = lowest(s, &s->nodes[n]) - phase;
    const int64_t block = stow_stream_floor(low, advance);
    if (low - block * advance + span_of(s, &s->nodes[n]) > advance)
      return 0;
    first = block < first ? block : first;
    last = block > last ? block : last;
  }
  return last - first + 1;
}

// The last row up to 0 at which a block begins, if one begins at `base`.
static int64_t phase_of(int64_t base, int64_t advance) {
  return base - (stow_stream_floor(base - 1, advance) + 1) * advance;
}

static void make_ring(const stow_stream_scheduler *s, stow_stream_window *window) {
  const int64_t phase = phase_of(window->base, window->advance);
  const int64_t blocks = ring_blocks(s, window->buffer, window->advance, phase);
  if (blocks < 2)
    return;
  window->storage = STOW_STREAM_RING;
  window->base = phase;
  window->kept = blocks * window->advance;
  window->moved = 0;
}

static bool all_run_together(const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_node *last = &s->nodes[s->heads[buffer]];
  for (int64_t n = last->next; n >= 0; n = s->nodes[n].next)
    if (s->orders[s->nodes[n].statement].group != s->orders[last->statement].group)
      return false;
  return true;
}

stow_stream_window stow_stream_window_of(const stow_stream_scheduler *s, size_t buffer) {
  int64_t low = INT64_MAX, high = INT64_MIN, advance = 0;
  for (int64_t n = s->heads[buffer]; n >= 0; n = s->nodes[n].next) {
    const int64_t from = lowest(s, &s->nodes[n]), to = from + span_of(s, &s->nodes[n]);
    low = from < low ? from : low;
    high = to > high ? to : high;
    const int64_t by = s->nodes[n].access->stride * s->orders[s->nodes[n].statement].rate;
    assert(by > 0 && (advance == 0 || advance == by)); // rates are tied by rows
    advance = by;
  }
  stow_stream_window window = {buffer, STOW_STREAM_LOCAL, advance, low, high - low, 0};
  if (window.kept <= advance && all_run_together(s, buffer))
    return window;
  window.storage = STOW_STREAM_SHIFT;
  window.moved = window.kept > advance ? window.kept - advance : 0;
  if (window.moved > 0)
    make_ring(s, &window);
  return window;
}

int64_t stow_stream_ends(const stow_stream_scheduler *s, size_t statement) {
  const stow_stream_order *order = &s->orders[statement];
  const int64_t iterations = s->problem->statements[s->first + statement].iterations;
  return order->delay + (iterations + order->rate - 1) / order->rate;
}
