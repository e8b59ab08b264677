//===- cut.c - which ranges of statements become streams ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that crosses a cut is whole. So ranges begin and end where the fewest bytes
// cross, at least locally, and what a range costs does not depend on the other ranges. The
// least peak of a sequence of ranges is a shortest path whose length is its worst range; the
// least traffic with that peak is a second one, with the fewest streams. Then the peak may rise by
// a little where that saves very much traffic (raise_limit). Ranges are scheduled when a path gets
// to where they begin, so most are not. In large programs not all lengths of ranges are tried.
//
//===----------------------------------------------------------------------===//

#include "stream/alike.h"
#include "stream/grow.h"
#include "stream/limits.h"
#include "stream/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
  size_t from, to; // cuts
  uint64_t peak;
  uint64_t held; // while local buffers are alive
  double traffic;
  bool stream;    // or statements one by one
  bool again;     // touches more in each step than a cache holds
  bool used_once; // loads much again for few iterations
} candidate;

// What is best up to a cut.
typedef struct choice {
  uint64_t peak;
  double traffic;
  size_t streams;
  size_t by; // the candidate that ends here, or SIZE_MAX
} choice;

// The candidates that begin at a cut.
typedef struct start {
  size_t first, end;
  bool known, left;
} start;

typedef struct cutter {
  stow_stream_scheduler scheduler;
  stow_stream_alike alike;
  const stow_stream_options *options;
  uint64_t heap_before;    // with buffers that are not local
  uint64_t peak;           // of local ones, as far as it is known: they have one memory
  size_t effort;           // statements scheduled
  size_t *cuts, cut_count; // statements before which a range may begin; the last one: their number
  candidate *candidates;
  size_t count, capacity;
  choice *choices; // per cut
  start *starts;   // per cut
} cutter;

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

// No fewer bytes cross at a neighbour.
static bool is_cut(const stow_stream_scheduler *s, size_t at) {
  const size_t end = s->problem->statement_count;
  if (at == 0 || at == end)
    return true;
  return s->crossing[at] <= s->crossing[at - 1] && s->crossing[at] <= s->crossing[at + 1] &&
         !(s->crossing[at] == s->crossing[at - 1] && s->crossing[at] == s->crossing[at + 1]);
}

static bool find_cuts(cutter *c) {
  const size_t end = c->scheduler.problem->statement_count;
  c->cuts = calloc(end + 2, sizeof *c->cuts);
  if (!c->cuts)
    return false;
  for (size_t i = 0; i <= end; ++i)
    if (is_cut(&c->scheduler, i))
      c->cuts[c->cut_count++] = i;
  return true;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static bool add_candidate(cutter *c, candidate it) {
  if (!STOW_STREAM_ROOM(c->candidates, c->count, c->capacity))
    return false;
  c->candidates[c->count++] = it;
  return true;
}

// What a statement touches first, of local buffers or of others.
static uint64_t begun_at(const stow_stream_scheduler *s, size_t statement, bool local) {
  uint64_t bytes = 0;
  const stow_stream_statement *it = &s->problem->statements[statement];
  for (size_t a = 0; a < it->access_count; ++a) {
    const size_t buffer = it->accesses[a].buffer;
    bool again = s->problem->buffers[buffer].local != local || s->spans[buffer].first != statement;
    for (size_t b = 0; b < a; ++b)
      again |= it->accesses[b].buffer == buffer;
    bytes += again ? 0 : stow_stream_taken(s->problem, s->problem->buffers[buffer].bytes);
  }
  return bytes;
}

static uint64_t alive_at(const stow_stream_scheduler *s, size_t statement) {
  return s->crossing[statement] + begun_at(s, statement, true);
}

static uint64_t peak_of(const stow_stream_scheduler *s, size_t first, size_t end) {
  uint64_t peak = 0;
  for (size_t i = first; i < end; ++i) {
    const uint64_t alive = alive_at(s, i);
    peak = alive > peak ? alive : peak;
  }
  return peak;
}

// Whether no more is in use than before, with one memory for all local buffers.
static bool fits_heap(const cutter *c, uint64_t heap, uint64_t peak, uint64_t held) {
  const uint64_t most = peak > c->peak ? peak : c->peak;
  return heap <= c->heap_before && most + held <= c->heap_before;
}

static bool schedule_costs(cutter *c, size_t from, size_t to, stow_stream_costs *out) {
  stow_stream_schedule s;
  const uint64_t effort = c->scheduler.effort;
  const bool done =
      stow_stream_schedule_on(&c->scheduler, c->cuts[from], c->cuts[to], c->options, &s);
  *out = (stow_stream_costs){.peak = s.peak_bytes,
                             .heap = s.heap_bytes,
                             .held = s.held_bytes,
                             .traffic = s.traffic,
                             .moments = effort - c->scheduler.effort,
                             .windows = s.window_count > 0,
                             .again = s.again > 0,
                             .used_once = s.used_once > 0};
  stow_stream_schedule_free(&s);
  return done;
}

// What is taken for alike has a schedule that costs as much, where as many rows are looked at.
static bool check_alike(cutter *c, size_t from, size_t to, const stow_stream_costs *known) {
#ifndef NDEBUG
  const uint64_t effort = c->scheduler.effort;
  stow_stream_costs costs;
  c->scheduler.effort = known->moments;
  if (!schedule_costs(c, from, to, &costs))
    return false;
  assert(costs.peak == known->peak && costs.heap == known->heap && costs.held == known->held &&
         costs.traffic == known->traffic && costs.moments == known->moments &&
         costs.windows == known->windows && costs.again == known->again &&
         costs.used_once == known->used_once);
  c->scheduler.effort = effort;
#endif
  (void)c;
  (void)from;
  (void)to;
  (void)known;
  return true;
}

// Statements are counted as if the range were scheduled. Rows are looked at once for all that are
// alike.
static bool costs_of(cutter *c, size_t from, size_t to, stow_stream_costs *out) {
  const stow_stream_key key =
      stow_stream_key_of(&c->alike, &c->scheduler, c->cuts[from], c->cuts[to]);
  const stow_stream_costs *known = stow_stream_alike_find(&c->alike, key);
  c->effort += c->cuts[to] - c->cuts[from];
  if (!known)
    return schedule_costs(c, from, to, out) && stow_stream_alike_keep(&c->alike, key, *out);
  *out = *known;
  return check_alike(c, from, to, known);
}

static bool add_stream(cutter *c, size_t from, size_t to, uint64_t *out_peak) {
  stow_stream_costs costs;
  if (!costs_of(c, from, to, &costs))
    return false;
  *out_peak = fits_heap(c, costs.heap, costs.peak, costs.held) ? costs.peak : UINT64_MAX;
  return !costs.windows || *out_peak == UINT64_MAX ||
         add_candidate(c, (candidate){from, to, costs.peak, costs.held, costs.traffic, true,
                                      costs.again, costs.used_once});
}

// How many cuts further on the next range ends: where effort is short, the double.
static size_t step_from(const cutter *c, size_t length, size_t spent) {
  return c->effort > STOW_STREAM_EXACT && spent > STOW_STREAM_SHARES / c->cut_count ? length : 1;
}

// Candidates from a cut on, none of use whose peak is above `limit`.
static bool add_from(cutter *c, size_t from, uint64_t limit) {
  const size_t most = c->effort > STOW_STREAM_EXACT ? STOW_STREAM_MOST_CUTS / 2
                                                    : STOW_STREAM_MOST_CUTS,
               begun = c->effort;
  const size_t last = from + most < c->cut_count ? from + most : c->cut_count - 1;
  const uint64_t alone = peak_of(&c->scheduler, c->cuts[from], c->cuts[from + 1]);
  c->starts[from] = (start){.first = c->count, .known = true};
  if (!add_candidate(c, (candidate){from, from + 1, alone, 0, 0, false, false, false}))
    return false;
  size_t costly = 0;
  for (size_t to = from + 1; to <= last && costly < STOW_STREAM_PATIENCE;
       to += step_from(c, to - from, c->effort - begun)) {
    uint64_t peak = c->scheduler.crossing[c->cuts[to]];
    if (peak <= limit && !add_stream(c, from, to, &peak))
      return false;
    costly = peak > limit ? costly + 1 : 0;
  }
  c->starts[from].end = c->count;
  return true;
}

//===----------------------------------------------------------------------===//
// The best sequence
//===----------------------------------------------------------------------===//

static bool better(const choice *a, const choice *b) {
  if (a->peak != b->peak)
    return a->peak < b->peak;
  return a->traffic != b->traffic ? a->traffic < b->traffic : a->streams < b->streams;
}

static void reset_choices(cutter *c, uint64_t first_peak) {
  for (size_t i = 0; i < c->cut_count; ++i)
    c->choices[i] = (choice){i == 0 ? first_peak : UINT64_MAX, 0, 0, SIZE_MAX};
}

// Goes on from a cut with all candidates that begin there.
static bool leave(cutter *c, size_t from, uint64_t limit) {
  if (!c->starts[from].known && !add_from(c, from, limit))
    return false;
  c->starts[from].left = true;
  for (size_t k = c->starts[from].first; k < c->starts[from].end; ++k) {
    const candidate *it = &c->candidates[k];
    choice next = c->choices[from];
    if (it->stream && !fits_heap(c, 0, it->peak, it->held))
      continue;
    next.peak = it->peak > next.peak ? it->peak : next.peak;
    next.streams += it->stream;
    next.traffic += it->traffic;
    next.by = k;
    if (better(&next, &c->choices[it->to]))
      c->choices[it->to] = next;
  }
  return true;
}

// Of the cuts not left yet the one with the least peak; of equal ones, the last.
static size_t nearest(const cutter *c) {
  size_t best = c->cut_count - 1;
  for (size_t i = c->cut_count - 1; i-- > 0;)
    if (!c->starts[i].left && c->choices[i].peak < c->choices[best].peak)
      best = i;
  return best;
}

// No stream is of use whose peak is not below that of the program as it is.
static bool find_least_peak(cutter *c, uint64_t before) {
  const choice *end = &c->choices[c->cut_count - 1];
  reset_choices(c, 0);
  for (size_t at = nearest(c); at + 1 < c->cut_count; at = nearest(c))
    if (!leave(c, at, end->peak < before ? end->peak : before - 1))
      return false;
  return true;
}

// Up to `limit` bytes cost nothing. Where more effort is left, also by way of cuts that the path
// with the least peak had no use for.
static bool find_least_traffic(cutter *c, uint64_t limit) {
  reset_choices(c, limit);
  for (size_t at = 0; at + 1 < c->cut_count; ++at)
    if (c->choices[at].peak <= limit &&
        (c->starts[at].known || c->effort < STOW_STREAM_CUT_EFFORT) && !leave(c, at, limit))
      return false;
  return true;
}

// Whether so many rows at a time may be of use: more than a few where each step touches so much
// again that it comes from memory, or where all rows of a step are few bytes, also beside the peak.
static bool is_of_use(const candidate *it, const stow_stream_schedule *schedule, int64_t rows,
                      uint64_t limit) {
  return rows <= STOW_STREAM_MOST_ROWS || it->again ||
         (schedule->kept_bytes <= STOW_STREAM_FEW_BYTES &&
          schedule->kept_bytes <= limit / STOW_STREAM_FEW_OF_PEAK);
}

// With as many rows at a time as cost nothing, where that is left open.
static bool schedule(cutter *c, const candidate *it, uint64_t limit, stow_stream_schedule *out) {
  stow_stream_options options =
      c->options ? *c->options : (stow_stream_options){.rows = 1, .max_moved = -1};
  const bool open = options.rows == 0;
  for (options.rows = open ? STOW_STREAM_MOST_ROWS_OF_USE : options.rows;; options.rows /= 2) {
    if (!stow_stream_schedule_on(&c->scheduler, c->cuts[it->from], c->cuts[it->to], &options, out))
      return false;
    if (!open || options.rows == 1 ||
        (out->window_count > 0 && out->peak_bytes <= limit &&
         is_of_use(it, out, options.rows, limit) &&
         fits_heap(c, out->heap_bytes, out->peak_bytes, out->held_bytes)))
      return true;
    stow_stream_schedule_free(out);
  }
}

// The candidate of the path that ends at a cut, which becomes the one where it begins.
static const candidate *step_back(const cutter *c, size_t *at) {
  assert(c->choices[*at].by != SIZE_MAX);
  const candidate *it = &c->candidates[c->choices[*at].by];
  *at = it->from;
  return it;
}

// Most that others than local buffers hold in a stream of the path to the last cut.
static uint64_t held_on_path(const cutter *c) {
  uint64_t most = 0;
  for (size_t at = c->cut_count - 1; at > 0;) {
    const candidate *it = step_back(c, &at);
    most = it->held > most ? it->held : most;
  }
  return most;
}

// The bytes that streams of the path need to make so many rows at a time: of those that touch much
// again, or load it again for few iterations.
static bool find_needed(cutter *c, int64_t rows, bool used_once, uint64_t *out_bytes) {
  stow_stream_options options = *c->options;
  options.rows = rows;
  *out_bytes = 0;
  for (size_t at = c->cut_count - 1; at > 0;) {
    const candidate *it = step_back(c, &at);
    stow_stream_schedule s = {0};
    if ((used_once ? it->used_once : it->again) &&
        !stow_stream_schedule_on(&c->scheduler, c->cuts[it->from], c->cuts[it->to], &options, &s))
      return false;
    *out_bytes = s.peak_bytes > *out_bytes ? s.peak_bytes : *out_bytes;
    stow_stream_schedule_free(&s);
  }
  return true;
}

// What the streams of the path touch again with as many rows as fit into some bytes.
static bool sum_again(cutter *c, uint64_t limit, double *out_again) {
  *out_again = 0;
  for (size_t at = c->cut_count - 1; at > 0;) {
    const candidate *it = step_back(c, &at);
    stow_stream_schedule s = {0};
    if (it->again && !schedule(c, it, limit, &s))
      return false;
    *out_again += s.again;
    stow_stream_schedule_free(&s);
  }
  return true;
}

static bool leaves_rows_open(const cutter *c) { return c->options && c->options->rows == 0; }

// More bytes, where the peak is a small part of what it was, for rows that share what is loaded.
static bool raise_for_registers(cutter *c, uint64_t before, uint64_t *limit) {
  uint64_t needed = 0;
  for (int64_t rows = STOW_STREAM_ROWS_OF_REGISTERS; rows > 1 && leaves_rows_open(c); rows /= 2) {
    if (!find_needed(c, rows, true, &needed))
      return false;
    if (needed <= before / STOW_STREAM_PART_FOR_REGISTERS &&
        needed + held_on_path(c) <= c->heap_before)
      break;
    needed = 0;
  }
  *limit = needed > *limit ? needed : *limit;
  return true;
}

// Few more bytes where a few rows at a time save very much traffic.
static bool raise_limit(cutter *c, uint64_t before, uint64_t *limit) {
  const uint64_t most = *limit + *limit / STOW_STREAM_RAISED_BY;
  double again = 0;
  if (leaves_rows_open(c) && !sum_again(c, *limit, &again))
    return false;
  for (int64_t rows = 2; rows <= STOW_STREAM_MOST_ROWS && again > 0; rows *= 2) {
    uint64_t needed;
    double less;
    if (!find_needed(c, rows, false, &needed))
      return false;
    if (needed <= *limit || needed > most || needed >= before ||
        needed + held_on_path(c) > c->heap_before)
      continue;
    if (!sum_again(c, needed, &less))
      return false;
    if (again - less >= STOW_STREAM_PRICE_AT_PEAK * (double)(needed - *limit)) {
      *limit = needed;
      again = less;
    }
  }
  return true;
}

// The choice for the last cut, as schedules.
static bool take_best(cutter *c, stow_stream_cut *out) {
  size_t at = c->cut_count - 1;
  out->stream_count = c->choices[at].streams;
  out->streams = calloc(out->stream_count + 1, sizeof *out->streams);
  if (!out->streams)
    return false;
  size_t next = out->stream_count;
  while (at > 0) {
    const candidate *it = step_back(c, &at);
    assert(it->from == at && it->from < it->to);
    if (it->stream && !schedule(c, it, out->peak_bytes, &out->streams[--next]))
      return false;
  }
  assert(next == 0);
  for (size_t i = 1; i < out->stream_count; ++i)
    assert(out->streams[i - 1].end <= out->streams[i].first);
  return true;
}

static uint64_t held_at(const stow_stream_scheduler *s, size_t statement) {
  return s->held[statement] + begun_at(s, statement, false);
}

static bool is_any_alive(const stow_stream_scheduler *s, size_t statement) {
  return s->alive_in.first <= statement && statement <= s->alive_in.last;
}

static uint64_t heap_of(const stow_stream_scheduler *s, uint64_t peak) {
  uint64_t most = 0;
  for (size_t i = 0; i < s->problem->statement_count; ++i) {
    const uint64_t used = held_at(s, i) + (is_any_alive(s, i) ? peak : 0);
    most = used > most ? used : most;
  }
  return most;
}

// The peaks of the program as it is, were there no alignment of local buffers. Others take up what
// they do beside streams.
static bool find_peaks_before(cutter *c, uint64_t memory, uint64_t *out_peak) {
  stow_stream_problem packed = *c->scheduler.problem;
  stow_stream_scheduler scheduler;
  packed.alignment = 1;
  const bool done = stow_stream_scheduler_create(&packed, &scheduler);
  *out_peak = done ? peak_of(&scheduler, 0, packed.statement_count) : 0;
  c->heap_before = heap_of(&c->scheduler, memory < *out_peak ? memory : *out_peak);
  stow_stream_scheduler_free(&scheduler);
  return done;
}

// The size of the memory of local buffers is known only when all streams are chosen. If a stream
// then holds too much together with it, streams are chosen again, so that they fit with a memory of
// that size.
static bool find_peak(cutter *c, stow_stream_cut *out) {
  const choice *end = &c->choices[c->cut_count - 1];
  if (!find_least_peak(c, out->peak_before))
    return false;
  if (end->peak < out->peak_before && end->peak + held_on_path(c) > c->heap_before) {
    memset(c->starts, 0, c->cut_count * sizeof *c->starts);
    c->count = 0;
    c->peak = out->peak_before;
    if (!find_least_peak(c, out->peak_before))
      return false;
  }
  out->peak_bytes = end->peak;
  return true;
}

static void set_most_bytes(const cutter *c, stow_stream_cut *out) {
  uint64_t held = 0;
  for (size_t i = 0, stream = 0; i < c->scheduler.problem->statement_count; ++i)
    if (stream < out->stream_count && out->streams[stream].first == i) {
      held = out->streams[stream].held_bytes > held ? out->streams[stream].held_bytes : held;
      i = out->streams[stream++].end - 1;
    } else if (is_any_alive(&c->scheduler, i) && held_at(&c->scheduler, i) > held) {
      held = held_at(&c->scheduler, i);
    }
  out->most_bytes = c->heap_before - held;
}

static bool cut(cutter *c, stow_stream_cut *out) {
  const uint64_t memory = c->options && c->options->memory > 0 ? c->options->memory : UINT64_MAX;
  if (!find_cuts(c) || !find_peaks_before(c, memory, &out->peak_before))
    return false;
  c->choices = calloc(c->cut_count, sizeof *c->choices);
  c->starts = calloc(c->cut_count, sizeof *c->starts);
  if (!c->choices || !c->starts)
    return false;
  if (out->peak_before == 0)
    return true;
  if (!find_peak(c, out))
    return false;
  if (out->peak_bytes >= out->peak_before) {
    out->peak_bytes = out->peak_before;
    return true;
  }
  c->peak = out->peak_bytes;
  if (!find_least_traffic(c, out->peak_bytes) ||
      !raise_for_registers(c, out->peak_before, &out->peak_bytes) ||
      !raise_limit(c, out->peak_before, &out->peak_bytes))
    return false;
  c->peak = out->peak_bytes;
  if (!take_best(c, out))
    return false;
  set_most_bytes(c, out);
  return true;
}

bool stow_stream_cut_problem(const stow_stream_problem *problem, const stow_stream_options *options,
                             stow_stream_cut *out_cut) {
  cutter c = {.options = options};
  *out_cut = (stow_stream_cut){0};
  const bool done = problem->statement_count == 0 ||
                    (stow_stream_scheduler_create(problem, &c.scheduler) &&
                     stow_stream_alike_create(problem, &c.alike) && cut(&c, out_cut));
  stow_stream_scheduler_free(&c.scheduler);
  stow_stream_alike_free(&c.alike);
  free(c.cuts);
  free(c.candidates);
  free(c.choices);
  free(c.starts);
  return done;
}

void stow_stream_cut_free(stow_stream_cut *cut) {
  for (size_t i = 0; i < cut->stream_count; ++i)
    stow_stream_schedule_free(&cut->streams[i]);
  free(cut->streams);
  *cut = (stow_stream_cut){0};
}
