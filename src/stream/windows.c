//===- windows.c - the rows that a buffer keeps ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A period is a common multiple of the periods of the statements that touch the buffer. In each
// period the accesses are between two rows, which advance by the same number from one period to the
// next. All rows between them are kept, and rows move once per period. The phase of the period
// decides how many rows these are: rows whose last reader has a stride need not be kept behind it.
//
// Blocks of as many rows as a period advances may also be a ring. If no access crosses a border
// between blocks, nothing moves. If only readers do, the rows before the border are copied in front
// of those after it, once per round of the ring.
//
//===----------------------------------------------------------------------===//

#include "stream/limits.h"
#include "stream/scheduler.h"

#include <assert.h>

// Of all that touches a buffer; 0: too large to look at each phase of it.
static int64_t common_period(const stow_stream_scheduler *s, size_t buffer) {
  int64_t period = 1;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const int64_t own = s->orders[s->nodes[n].statement].period;
    period = period / stow_stream_divisor(period, own) * own;
    if (period > STOW_STREAM_MOST_PERIOD)
      return 0;
  }
  return period;
}

static bool is_inside(const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_span span = s->spans[buffer];
  if (!s->problem->buffers[buffer].local || span.first < s->first ||
      span.last >= s->first + s->count)
    return false;
  const stow_stream_node *first = NULL;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    first = &s->nodes[n];
    if (!stow_stream_by_rows(first->access) || !stow_stream_in_steps(s, first->statement))
      return false;
  }
  return first->access->writes && common_period(s, buffer) > 0;
}

void stow_stream_set_inside(stow_stream_scheduler *s) {
  for (size_t i = 0; i < s->touched_count; ++i)
    s->inside[s->touched[i]] = is_inside(s, s->touched[i]);
}

// Rows that the statement goes on each time.
static int64_t step_of(const stow_stream_scheduler *s, const stow_stream_node *node) {
  return node->access->stride * s->orders[node->statement].rate;
}

// Rows from the first to the last that an access touches each time.
static int64_t span_of(const stow_stream_scheduler *s, const stow_stream_node *node) {
  const stow_stream_access *access = node->access;
  return access->stride * (s->orders[node->statement].rate - 1) + access->high - access->low + 1;
}

// Which time is the first one in or after a step, were there iterations before the first.
static int64_t time_from(const stow_stream_order *order, int64_t step) {
  return -stow_stream_floor(order->delay - step, order->period);
}

// What all accesses touch in the steps from `phase` on, for a period.
static void rows_from(const stow_stream_scheduler *s, size_t buffer, int64_t period, int64_t phase,
                      int64_t *out_low, int64_t *out_end) {
  *out_low = INT64_MAX;
  *out_end = INT64_MIN;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const stow_stream_node *node = &s->nodes[n];
    const stow_stream_order *order = &s->orders[node->statement];
    const int64_t low = step_of(s, node) * time_from(order, phase) + node->access->low;
    const int64_t end = low + step_of(s, node) * (period / order->period - 1) + span_of(s, node);
    *out_low = low < *out_low ? low : *out_low;
    *out_end = end > *out_end ? end : *out_end;
  }
}

static void set_phase(const stow_stream_scheduler *s, stow_stream_window *window) {
  window->kept = INT64_MAX;
  for (int64_t phase = 0; phase < window->period; ++phase) {
    int64_t low, end;
    rows_from(s, window->buffer, window->period, phase, &low, &end);
    if (end - low < window->kept) {
      window->phase = phase;
      window->base = low;
      window->kept = end - low;
    }
  }
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

// Whether an access goes across a border between blocks that begin at `base`.
static bool crosses(const stow_stream_scheduler *s, const stow_stream_node *node, int64_t base) {
  const int64_t by = step_of(s, node);
  return stow_stream_modulo(node->access->low - base, by) + span_of(s, node) > by;
}

static size_t last_writer(const stow_stream_scheduler *s, size_t buffer) {
  int64_t n = s->lists[buffer].head; // the latest one
  while (!s->nodes[n].access->writes)
    n = s->nodes[n].next;
  return s->nodes[n].statement;
}

// The rows in front of the first that those need who read across a border; -1 where a write goes
// across one, or something is written when it may have been copied.
static int64_t margin_of(const stow_stream_scheduler *s, size_t buffer, int64_t base) {
  const size_t written = last_writer(s, buffer);
  int64_t margin = 0;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const stow_stream_node *node = &s->nodes[n];
    if (!crosses(s, node, base))
      continue;
    if (node->access->writes || node->statement <= written)
      return -1;
    margin = span_of(s, node) - 1 > margin ? span_of(s, node) - 1 : margin;
  }
  return margin;
}

// How many blocks of `advance` rows hold all accesses of a period, whenever it begins.
static int64_t fewest_blocks(const stow_stream_scheduler *s, size_t buffer, int64_t period,
                             int64_t advance, int64_t base) {
  int64_t fewest = INT64_MAX;
  for (int64_t phase = 0; phase < period; ++phase) {
    int64_t low, end;
    rows_from(s, buffer, period, phase, &low, &end);
    const int64_t blocks =
        stow_stream_floor(end - 1 - base, advance) - stow_stream_floor(low - base, advance) + 1;
    fewest = blocks < fewest ? blocks : fewest;
  }
  return fewest;
}

// The step after the one in which the last row before a border is there.
static int64_t step_of_border(const stow_stream_scheduler *s, size_t buffer, int64_t base) {
  int64_t step = INT64_MIN;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const stow_stream_node *node = &s->nodes[n];
    const stow_stream_order *order = &s->orders[node->statement];
    const int64_t time = stow_stream_floor(base - 1 - node->access->low, step_of(s, node));
    if (node->access->writes && order->period * time + order->delay + 1 > step)
      step = order->period * time + order->delay + 1;
  }
  return step;
}

// Whether an access goes across a border before the row in front of it is copied: one who writes
// some rows only may be the last to write that row, and leave the next one alone.
static bool crosses_early(const stow_stream_scheduler *s, size_t buffer, int64_t base,
                          int64_t border) {
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const stow_stream_node *node = &s->nodes[n];
    const stow_stream_order *order = &s->orders[node->statement];
    const int64_t top = node->access->low + span_of(s, node) - 1;
    const int64_t time = -stow_stream_floor(top - base, step_of(s, node));
    if (crosses(s, node, base) && order->period * time + order->delay < border)
      return true;
  }
  return false;
}

// Rows of the earliest access, which writes, are not torn apart.
static int64_t first_row(const stow_stream_scheduler *s, size_t buffer) {
  int64_t n = s->lists[buffer].head;
  while (s->nodes[n].next >= 0)
    n = s->nodes[n].next;
  return s->nodes[n].access->low;
}

stow_stream_ring stow_stream_ring_of(const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_node *last = &s->nodes[s->lists[buffer].head];
  const int64_t period = common_period(s, buffer), base = first_row(s, buffer);
  const int64_t advance = step_of(s, last) * (period / s->orders[last->statement].period);
  const int64_t margin = margin_of(s, buffer, base), border = step_of_border(s, buffer, base);
  if (margin < 0 || crosses_early(s, buffer, base, border))
    return (stow_stream_ring){0};
  int64_t blocks = fewest_blocks(s, buffer, period, advance, base);
  while (blocks * advance < margin) // what is copied and where it goes are apart
    ++blocks;
  const stow_stream_window window = {.buffer = buffer,
                                     .storage = STOW_STREAM_RING,
                                     .period = blocks * period,
                                     .phase = border,
                                     .advance = blocks * advance,
                                     .base = base,
                                     .kept = blocks * advance + margin,
                                     .moved = margin};
  return (stow_stream_ring){window, blocks};
}

//===----------------------------------------------------------------------===//
// The smallest window
//===----------------------------------------------------------------------===//

// All that touches it runs in one group; or, where groups follow the program, in the same steps.
static bool all_run_together(const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_order *last = &s->orders[s->nodes[s->lists[buffer].head].statement];
  for (int64_t n = s->nodes[s->lists[buffer].head].next; n >= 0; n = s->nodes[n].next) {
    const stow_stream_order *order = &s->orders[s->nodes[n].statement];
    if (s->overlap ? order->delay != last->delay || order->period != last->period
                   : order->group != last->group)
      return false;
  }
  return true;
}

stow_stream_window stow_stream_window_of(const stow_stream_scheduler *s, size_t buffer) {
  const stow_stream_node *last = &s->nodes[s->lists[buffer].head];
  const int64_t period = common_period(s, buffer);
  const int64_t advance = step_of(s, last) * (period / s->orders[last->statement].period);
  for (int64_t n = last->next; n >= 0; n = s->nodes[n].next)
    assert(step_of(s, &s->nodes[n]) * (period / s->orders[s->nodes[n].statement].period) ==
           advance); // rates are tied by rows
  stow_stream_window window = {
      .buffer = buffer, .storage = STOW_STREAM_LOCAL, .period = period, .advance = advance};
  set_phase(s, &window);
  if (window.kept <= advance && all_run_together(s, buffer))
    return window;
  window.storage = STOW_STREAM_SHIFT;
  window.moved = window.kept > advance ? window.kept - advance : 0;
  if (window.moved == 0)
    return window;
  const stow_stream_ring ring = stow_stream_ring_of(s, buffer);
  if (ring.blocks == 0 || ring.window.moved > 0 || ring.window.kept > window.kept)
    return window;
  window = ring.window;
  window.phase = 0; // nothing moves
  return window;
}

double stow_stream_rows_between(const stow_stream_scheduler *s, size_t buffer) {
  double low = 0, end = 0;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const stow_stream_node *node = &s->nodes[n];
    const stow_stream_order *order = &s->orders[node->statement];
    const double begin = (double)node->access->low -
                         (double)(step_of(s, node) * order->delay) / (double)order->period;
    const bool first = n == s->lists[buffer].head;
    low = first || begin < low ? begin : low;
    end = first || begin + (double)span_of(s, node) > end ? begin + (double)span_of(s, node) : end;
  }
  return end - low;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

// The k-th time the access begins at row step * k + low. In a window that is slot
// step * (k mod cycle, counted from the first time of a period) + what lies before that. In a ring
// the last row counts, modulo the rows of a round.
stow_stream_slot stow_stream_slot_of(const stow_stream_window *window,
                                     const stow_stream_order *order,
                                     const stow_stream_access *access) {
  const int64_t by = access->stride * order->rate, cycle = window->period / order->period;
  const int64_t low = access->low - window->base;
  const int64_t more = access->stride * (order->rate - 1) + access->high - access->low;
  const bool ring = window->storage == STOW_STREAM_RING;
  const int64_t begin = ring ? -stow_stream_floor(low + more, by) : time_from(order, window->phase);
  const int64_t first = by * begin + low + (ring ? window->moved : 0);
  assert(first >= 0 && first + by * (cycle - 1) + more < window->kept);
  return (stow_stream_slot){by, stow_stream_modulo(-begin, cycle), cycle, first};
}

int64_t stow_stream_ends(const stow_stream_scheduler *s, size_t statement) {
  const stow_stream_order *order = &s->orders[statement];
  const int64_t iterations = s->problem->statements[s->first + statement].iterations;
  return order->delay + (iterations - 1) / order->rate * order->period + 1;
}
