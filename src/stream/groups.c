//===- groups.c - the order in a step -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a step any order is possible that keeps dependences. Statements that run in the same
// steps are grouped where possible: one condition guards them, and values passed between them
// need not outlive it. The order is built backwards, from its end: what a statement waits for
// is put in front of its whole group, not in the middle.
//
//===----------------------------------------------------------------------===//

#include "stream/scheduler.h"

#define NONE SIZE_MAX

// Whether two statements run in the same steps, all of them or a part of their rate alike.
static bool run_together(const stow_stream_scheduler *s, size_t a, size_t b) {
  const int64_t n = s->problem->statements[s->first + a].iterations;
  const int64_t m = s->problem->statements[s->first + b].iterations;
  const stow_stream_order *one = &s->orders[a], *other = &s->orders[b];
  return one->delay == other->delay && one->period == other->period &&
         n / one->rate == m / other->rate && (n % one->rate > 0) == (m % other->rate > 0);
}

// How many statements that are not placed yet depend on each.
static void count_waiting(stow_stream_scheduler *s, int64_t *waiting) {
  for (size_t i = 0; i < s->count; ++i)
    waiting[i] = 0;
  for (size_t e = 0; e < s->edge_count; ++e)
    if (stow_stream_in_steps(s, s->edges[e].from) && stow_stream_in_steps(s, s->edges[e].to))
      ++waiting[s->edges[e].from];
}

// The last statement that may come before those placed, of those that run together with `like`.
static size_t last_ready(const stow_stream_scheduler *s, const int64_t *waiting, size_t below,
                         size_t like) {
  for (size_t i = below; i-- > 0;)
    if (stow_stream_in_steps(s, i) && waiting[i] == 0 && (like == NONE || run_together(s, i, like)))
      return i;
  return NONE;
}

static void place(stow_stream_scheduler *s, int64_t *waiting, size_t statement) {
  waiting[statement] = -1;
  for (size_t e = s->edge_begins[statement]; e < s->edge_begins[statement + 1]; ++e)
    if (stow_stream_in_steps(s, s->edges[e].from))
      --waiting[s->edges[e].from];
}

static void reverse(size_t *items, size_t count) {
  for (size_t i = 0; i < count / 2; ++i) {
    const size_t kept = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = kept;
  }
}

static size_t set_groups_as_written(stow_stream_scheduler *s, size_t *out_sequence) {
  size_t count = 0, group = 0;
  for (size_t i = 0; i < s->count; ++i) {
    if (!stow_stream_in_steps(s, i))
      continue;
    group += count > 0 && !run_together(s, out_sequence[count - 1], i);
    s->orders[i].group = group;
    out_sequence[count++] = i;
  }
  return count;
}

size_t stow_stream_set_groups(stow_stream_scheduler *s, bool as_written, size_t *out_sequence) {
  if (as_written)
    return set_groups_as_written(s, out_sequence);
  int64_t *waiting = s->numerators; // rates are whole numbers by now
  size_t count = 0, groups = 0;
  count_waiting(s, waiting);
  for (size_t at = last_ready(s, waiting, s->count, NONE); at != NONE;
       at = last_ready(s, waiting, s->count, NONE)) {
    const size_t like = at;
    for (; at != NONE; at = last_ready(s, waiting, at, like)) {
      place(s, waiting, at);
      s->orders[at].group = groups;
      out_sequence[count++] = at;
    }
    ++groups;
  }
  reverse(out_sequence, count);
  for (size_t i = 0; i < count; ++i)
    s->orders[out_sequence[i]].group = groups - 1 - s->orders[out_sequence[i]].group;
  return count;
}
