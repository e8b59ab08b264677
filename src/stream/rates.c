//===- rates.c - what runs in steps, and how often ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dependence by rows fixes the ratio of the rates of two statements: as many rows are
// written as are read. Each statement has the same number of iterations each time it runs, so
// the slower one runs in fewer steps; the fastest ones that depend on each other run in every
// step that they can. A dependence that is not by rows, or whose ratios contradict others,
// cannot hold in steps: one of the two statements then runs outside of them.
//
//===----------------------------------------------------------------------===//

#include "stream/limits.h"
#include "stream/scheduler.h"

#include <assert.h>

static bool by_rows(const stow_stream_edge *edge) {
  return stow_stream_by_rows(edge->before) && stow_stream_by_rows(edge->after);
}

// Has a statement run as a whole before the steps, and all that it depends on.
static void run_before(stow_stream_scheduler *s, size_t statement) {
  size_t depth = 0;
  s->stack[depth++] = statement;
  s->orders[statement].stage = STOW_STREAM_BEFORE;
  while (depth > 0) {
    const size_t at = s->stack[--depth];
    for (size_t e = s->edge_begins[at]; e < s->edge_begins[at + 1]; ++e)
      if (stow_stream_in_steps(s, s->edges[e].from)) {
        s->orders[s->edges[e].from].stage = STOW_STREAM_BEFORE;
        s->stack[depth++] = s->edges[e].from;
      }
  }
}

// The earlier statement adds up rows into what it writes, which is ready when the last one has
// come; or the later one may write anywhere.
static bool waits_for_the_end(const stow_stream_edge *edge) {
  const stow_stream_access *before = edge->before, *after = edge->after;
  return (before->writes && !before->whole && before->stride == 0) ||
         (after->writes && after->whole);
}

// By the stages of what it depends on, which are known.
static stow_stream_stage stage_of(stow_stream_scheduler *s, size_t statement) {
  const bool solid = s->problem->statements[s->first + statement].iterations == 0;
  stow_stream_stage stage = solid ? STOW_STREAM_BEFORE : STOW_STREAM_STEPS;
  for (size_t e = s->edge_begins[statement]; e < s->edge_begins[statement + 1]; ++e) {
    const stow_stream_edge *edge = &s->edges[e];
    if (s->orders[edge->from].stage == STOW_STREAM_AFTER ||
        (stow_stream_in_steps(s, edge->from) &&
         (solid || (!by_rows(edge) && waits_for_the_end(edge)))))
      return STOW_STREAM_AFTER;
  }
  return stage;
}

static void set_turns(stow_stream_scheduler *s) {
  for (size_t i = 0; i < s->count; ++i)
    s->orders[i] = (stow_stream_order){.stage = STOW_STREAM_STEPS};
  for (size_t i = 0; i < s->count; ++i) {
    s->orders[i].stage = stage_of(s, i);
    for (size_t e = s->edge_begins[i]; e < s->edge_begins[i + 1] && stow_stream_in_steps(s, i); ++e)
      if (stow_stream_in_steps(s, s->edges[e].from) && !by_rows(&s->edges[e]))
        run_before(s, s->edges[e].from);
  }
}

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

typedef struct fraction {
  int64_t above, below;
} fraction;

static fraction reduced(int64_t above, int64_t below) {
  const int64_t common = stow_stream_divisor(above, below);
  return (fraction){above / common, below / common};
}

// The rate at the far end of an edge, from the rate at the near one.
static fraction rate_across(const stow_stream_scheduler *s, const stow_stream_edge *edge,
                            size_t near) {
  const bool forward = edge->from == near;
  const fraction ratio = forward ? reduced(edge->before->stride, edge->after->stride)
                                 : reduced(edge->after->stride, edge->before->stride);
  const fraction one = reduced(s->numerators[near], ratio.below);
  const fraction other = reduced(ratio.above, s->denominators[near]);
  if (other.above > STOW_STREAM_MOST_FRACTION || one.below > STOW_STREAM_MOST_FRACTION)
    return (fraction){STOW_STREAM_MOST_FRACTION + 1, 1};
  return (fraction){one.above * other.above, one.below * other.below};
}

// Sets or compares the rate at the far end. False where it contradicts.
static bool tie(stow_stream_scheduler *s, const stow_stream_edge *edge, size_t near,
                size_t *depth) {
  const size_t far = edge->from == near ? edge->to : edge->from;
  if (!stow_stream_in_steps(s, far))
    return true;
  const fraction rate = rate_across(s, edge, near);
  if (rate.above > STOW_STREAM_MOST_FRACTION || rate.below > STOW_STREAM_MOST_FRACTION)
    return false;
  if (s->numerators[far] > 0)
    return s->numerators[far] == rate.above && s->denominators[far] == rate.below;
  s->numerators[far] = rate.above;
  s->denominators[far] = rate.below;
  s->stack[(*depth)++] = far;
  return true;
}

// The first edge whose rates contradict, or edge_count. What it reaches stays below on the stack.
static size_t spread(stow_stream_scheduler *s, size_t statement, size_t *out_reached) {
  size_t depth = 1, done = 0;
  s->stack[0] = statement;
  s->numerators[statement] = s->denominators[statement] = 1;
  for (; done < depth; ++done) {
    const size_t at = s->stack[done];
    for (size_t e = s->edge_begins[at]; e < s->edge_begins[at + 1]; ++e)
      if (!tie(s, &s->edges[e], at, &depth))
        return e;
    for (size_t l = s->leaving_begins[at]; l < s->leaving_begins[at + 1]; ++l)
      if (!tie(s, &s->edges[s->leaving[l]], at, &depth))
        return s->leaving[l];
  }
  *out_reached = depth;
  return s->edge_count;
}

// Periods: whole numbers without a common divisor. False where they grow too large.
static bool set_periods(stow_stream_scheduler *s, size_t reached, int64_t rows) {
  int64_t multiple = 1, common = 0;
  for (size_t i = 0; i < reached; ++i) {
    const int64_t above = s->numerators[s->stack[i]];
    multiple *= above / stow_stream_divisor(multiple, above);
    if (multiple > STOW_STREAM_MOST_FRACTION)
      return false;
  }
  for (size_t i = 0; i < reached; ++i) {
    const size_t at = s->stack[i];
    s->orders[at].rate = rows;
    s->orders[at].period = s->denominators[at] * (multiple / s->numerators[at]);
    common = stow_stream_divisor(s->orders[at].period, common);
  }
  for (size_t i = 0; i < reached; ++i) {
    s->orders[s->stack[i]].period /= common;
    if (s->orders[s->stack[i]].period > STOW_STREAM_MOST_FRACTION)
      return false;
  }
  return true;
}

// False where a statement had to leave the steps, so that others must be asked anew.
static bool tie_all(stow_stream_scheduler *s, int64_t rows) {
  for (size_t i = 0; i < s->count; ++i)
    s->numerators[i] = 0;
  for (size_t i = 0; i < s->count; ++i) {
    if (!stow_stream_in_steps(s, i) || s->numerators[i] > 0)
      continue;
    size_t reached = 0;
    const size_t edge = spread(s, i, &reached);
    if (edge == s->edge_count && set_periods(s, reached, rows))
      continue;
    run_before(s, edge == s->edge_count ? i : s->edges[edge].from);
    return false;
  }
  return true;
}

// What comes behind all steps need not run before them.
static void leave_the_rest_behind(stow_stream_scheduler *s) {
  size_t last = s->count;
  while (last > 0 && !stow_stream_in_steps(s, last - 1))
    --last;
  for (size_t i = last; last > 0 && i < s->count; ++i)
    s->orders[i].stage = STOW_STREAM_AFTER;
}

void stow_stream_set_rates(stow_stream_scheduler *s, int64_t rows) {
  assert(rows >= 1);
  set_turns(s);
  while (!tie_all(s, rows)) {
  }
  leave_the_rest_behind(s);
}
