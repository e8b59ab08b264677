//===- delays.c - in which step each statement begins ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dependence by rows is a least distance between two delays. Delays that keep all
// distances are many; those are wanted whose windows need the fewest bytes. The bytes of
// a window are a convex function of each delay. So delays move one at a time, each to its
// best place, from two ends: all as early as possible, and all as late.
//
//===----------------------------------------------------------------------===//

#include "stream/limits.h"
#include "stream/scheduler.h"

#include <assert.h>

// The k-th time, the later statement touches no row above step2 * k + top, and all iterations of
// the earlier one that touch a row at or below it must be over in that step. The n-th time, that
// one touches no row below step1 * n + low. As the rates are tied, step1 / period1 is
// step2 / period2. So period1 * floor((step2 * k + top - low) / step1) - period2 * k is largest for
// the k whose division has the smallest remainder: that of (top - low) modulo gcd(step1, step2).
static int64_t lag_of(const stow_stream_scheduler *s, const stow_stream_edge *edge) {
  const stow_stream_access *before = edge->before, *after = edge->after;
  const stow_stream_order *first = &s->orders[edge->from], *second = &s->orders[edge->to];
  const int64_t rows =
      stow_stream_divisor(before->stride * first->rate, after->stride * second->rate);
  const int64_t top = after->stride * (second->rate - 1) + after->high;
  return stow_stream_divisor(first->period, second->period) *
         stow_stream_floor(top - before->low, rows);
}

static void set_lags(stow_stream_scheduler *s) {
  for (size_t e = 0; e < s->edge_count; ++e)
    if (stow_stream_in_steps(s, s->edges[e].from) && stow_stream_in_steps(s, s->edges[e].to))
      s->edges[e].lag = lag_of(s, &s->edges[e]);
}

//===----------------------------------------------------------------------===//
// Between which steps a statement may begin
//===----------------------------------------------------------------------===//

static int64_t earliest(const stow_stream_scheduler *s, size_t statement, int64_t otherwise) {
  int64_t step = INT64_MIN;
  for (size_t e = s->edge_begins[statement]; e < s->edge_begins[statement + 1]; ++e) {
    const stow_stream_edge *edge = &s->edges[e];
    if (stow_stream_in_steps(s, edge->from) && s->orders[edge->from].delay + edge->lag > step)
      step = s->orders[edge->from].delay + edge->lag;
  }
  return step == INT64_MIN ? otherwise : step;
}

static int64_t latest(const stow_stream_scheduler *s, size_t statement, int64_t otherwise) {
  int64_t step = INT64_MAX;
  for (size_t l = s->leaving_begins[statement]; l < s->leaving_begins[statement + 1]; ++l) {
    const stow_stream_edge *edge = &s->edges[s->leaving[l]];
    if (stow_stream_in_steps(s, edge->to) && s->orders[edge->to].delay - edge->lag < step)
      step = s->orders[edge->to].delay - edge->lag;
  }
  return step == INT64_MAX ? otherwise : step;
}

//===----------------------------------------------------------------------===//
// The best place
//===----------------------------------------------------------------------===//

static bool touched_before(const stow_stream_statement *statement, size_t access) {
  for (size_t a = 0; a < access; ++a)
    if (statement->accesses[a].buffer == statement->accesses[access].buffer)
      return true;
  return false;
}

static double bytes_between(const stow_stream_scheduler *s, size_t buffer) {
  return stow_stream_rows_between(s, buffer) * (double)s->problem->buffers[buffer].row_bytes;
}

// The bytes of the windows that a statement touches, if it begins in a step.
static double bytes_at(stow_stream_scheduler *s, size_t statement, int64_t delay) {
  const stow_stream_statement *it = &s->problem->statements[s->first + statement];
  const int64_t kept = s->orders[statement].delay;
  double bytes = 0;
  s->orders[statement].delay = delay;
  for (size_t a = 0; a < it->access_count; ++a)
    if (!touched_before(it, a) && s->inside[it->accesses[a].buffer])
      bytes += bytes_between(s, it->accesses[a].buffer);
  s->orders[statement].delay = kept;
  return bytes;
}

// The best step in [low, high], of equal ones the latest.
static int64_t best_delay(stow_stream_scheduler *s, size_t statement, int64_t low, int64_t high) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (bytes_at(s, statement, middle) >= bytes_at(s, statement, middle + 1))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool move_delay(stow_stream_scheduler *s, size_t statement) {
  int64_t *delay = &s->orders[statement].delay;
  const int64_t low = earliest(s, statement, *delay), high = latest(s, statement, *delay);
  const int64_t from = low < *delay ? low : *delay, to = high > *delay ? high : *delay;
  const int64_t old = *delay;
  *delay = best_delay(s, statement, from, to);
  return *delay != old;
}

static void move_all(stow_stream_scheduler *s) {
  bool moved = true;
  for (int round = 0; round < STOW_STREAM_MOST_MOVES && moved; ++round) {
    moved = false;
    for (size_t i = s->count; i-- > 0;)
      if (stow_stream_in_steps(s, i))
        moved |= move_delay(s, i);
  }
}

static double bytes_of_all(const stow_stream_scheduler *s) {
  double bytes = 0;
  for (size_t i = 0; i < s->touched_count; ++i)
    if (s->inside[s->touched[i]])
      bytes += bytes_between(s, s->touched[i]);
  return bytes;
}

static void all_early(stow_stream_scheduler *s) {
  for (size_t i = 0; i < s->count; ++i)
    if (stow_stream_in_steps(s, i))
      s->orders[i].delay = earliest(s, i, 0);
}

static void all_late(stow_stream_scheduler *s) {
  for (size_t i = s->count; i-- > 0;)
    if (stow_stream_in_steps(s, i))
      s->orders[i].delay = latest(s, i, s->orders[i].delay);
}

// The first step is step 0.
static void begin_at_zero(stow_stream_scheduler *s) {
  int64_t first = INT64_MAX;
  for (size_t i = 0; i < s->count; ++i)
    if (stow_stream_in_steps(s, i) && s->orders[i].delay < first)
      first = s->orders[i].delay;
  for (size_t i = 0; i < s->count; ++i)
    if (stow_stream_in_steps(s, i))
      s->orders[i].delay -= first;
}

static void keep_delays(stow_stream_scheduler *s, int64_t *out) {
  for (size_t i = 0; i < s->count; ++i)
    out[i] = s->orders[i].delay;
}

// What the groups, the windows and the rewrite rely on.
static void check_delays(const stow_stream_scheduler *s) {
#ifndef NDEBUG
  for (size_t e = 0; e < s->edge_count; ++e) {
    const stow_stream_edge *edge = &s->edges[e];
    assert(!stow_stream_in_steps(s, edge->from) || !stow_stream_in_steps(s, edge->to) ||
           s->orders[edge->to].delay >= s->orders[edge->from].delay + edge->lag);
  }
#endif
  (void)s;
}

void stow_stream_set_delays(stow_stream_scheduler *s) {
  set_lags(s);
  all_early(s);
  all_late(s); // what nothing waits for stays where it is
  move_all(s);
  keep_delays(s, s->numerators); // rates are whole numbers by now
  const double late = bytes_of_all(s);
  all_early(s);
  move_all(s);
  if (late < bytes_of_all(s))
    for (size_t i = 0; i < s->count; ++i)
      s->orders[i].delay = s->numerators[i];
  begin_at_zero(s);
  check_delays(s);
}
