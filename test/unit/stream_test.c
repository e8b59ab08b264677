//===- stream_test.c - schedules by rows, against their definition --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "stowage/stream.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Random networks
//===----------------------------------------------------------------------===//

enum { STATEMENTS = 24, ACCESSES = 4, BUFFERS = 16 };

typedef struct network {
  stow_stream_problem problem;
  stow_stream_statement statements[STATEMENTS];
  stow_stream_access accesses[STATEMENTS][ACCESSES];
  stow_stream_buffer buffers[BUFFERS];
  uint64_t state;
  bool sparse; // some rows are written in place
} network;

static uint64_t draw(network *n, uint64_t below) {
  n->state = n->state * 6364136223846793005u + 1442695040888963407u;
  return (n->state >> 33) % below;
}

static size_t add_buffer(network *n, int64_t rows, bool local) {
  const uint64_t row_bytes = 1 + draw(n, 9);
  const size_t at = n->problem.buffer_count++;
  n->buffers[at] = (stow_stream_buffer){
      .rows = rows, .row_bytes = row_bytes, .bytes = row_bytes * (uint64_t)rows, .local = local};
  return at;
}

static stow_stream_statement *add_statement(network *n, int64_t iterations) {
  const size_t at = n->problem.statement_count++;
  n->statements[at] = (stow_stream_statement){iterations, n->accesses[at], 0, 0};
  return &n->statements[at];
}

static void add_access(network *n, stow_stream_statement *to, stow_stream_access access) {
  n->accesses[to - n->statements][to->access_count++] = access;
}

// A read of a window that makes as few as `least` iterations possible; how many it allows.
static int64_t draw_window(network *n, size_t buffer, int64_t least, stow_stream_access *out) {
  const int64_t rows = n->buffers[buffer].rows, width = 1 + (int64_t)draw(n, 3);
  *out = (stow_stream_access){buffer, false, draw(n, 20) == 0, 1 + (int64_t)draw(n, 2), 0, 0, 0};
  while (out->stride > 1 && out->stride * (least - 1) >= rows)
    --out->stride;
  out->high = width - 1;
  while (out->high > 0 && out->stride * (least - 1) + out->high >= rows)
    --out->high;
  const int64_t slack = rows - out->high - out->stride * (least - 1) - 1;
  if (draw(n, 3) == 0 && slack > 0) {
    out->low = (int64_t)draw(n, 2);
    out->high += out->low;
  }
  return (rows - 1 - out->high) / out->stride + 1;
}

static void add_layer(network *n, int64_t smallest) {
  stow_stream_access reads[2];
  const size_t count = 1 + draw(n, 2), last = n->problem.buffer_count - 1;
  int64_t iterations = draw_window(n, last, smallest, &reads[0]);
  if (count == 2) {
    const int64_t more = draw_window(n, draw(n, last + 1), iterations, &reads[1]);
    iterations = more < iterations ? more : iterations;
  }
  if (iterations < 1)
    return;
  const bool padded = draw(n, 3) == 0, doubled = !padded && draw(n, 6) == 0;
  const size_t out = add_buffer(n, iterations * (1 + doubled) + 2 * padded, draw(n, 8) > 0);
  if (padded || draw(n, 3) == 0) {
    stow_stream_statement *fill = add_statement(n, n->buffers[out].rows);
    add_access(n, fill, (stow_stream_access){out, true, false, 1, 0, 0, 0});
  }
  stow_stream_statement *layer = add_statement(n, iterations);
  for (size_t i = 0; i < count; ++i)
    add_access(n, layer, reads[i]);
  add_access(n, layer,
             (stow_stream_access){out, true, false, 1 + doubled, padded, padded + doubled, 0});
  if (n->sparse && n->buffers[out].rows > 1 && draw(n, 3) == 0) {
    stow_stream_statement *odd = add_statement(n, n->buffers[out].rows / 2);
    add_access(n, odd, (stow_stream_access){out, true, false, 2, 1, 1, 0});
  }
}

static void draw_network(network *n, uint64_t seed, size_t layers, int64_t rows) {
  memset(n, 0, sizeof *n);
  n->state = seed;
  n->sparse = seed % 5 == 0;
  n->problem = (stow_stream_problem){.statements = n->statements, .buffers = n->buffers};
  add_buffer(n, rows, false);
  for (size_t i = 0; i < layers; ++i)
    add_layer(n, 1);
}

//===----------------------------------------------------------------------===//
// Every schedule holds
//===----------------------------------------------------------------------===//

static void check_holds(const stow_stream_problem *problem, const stow_stream_schedule *schedule) {
  stow_stream_fault fault = {0};
  if (!CHECK_EQ(stow_stream_verify(problem, schedule, &fault), STOW_STREAM_HOLDS))
    check_that(false, __FILE__, __LINE__, fault.what);
}

// Where statements stand is when they run: behind the steps is not before them.
static void check_stages(const stow_stream_schedule *s) {
  bool behind = true;
  for (size_t i = s->end - s->first; i-- > 0 && s->steps > 0;) {
    behind &= s->orders[i].stage != STOW_STREAM_STEPS;
    CHECK(!behind || s->orders[i].stage == STOW_STREAM_AFTER);
  }
}

static void all_ranges_hold(void) {
  static network n;
  for (uint64_t seed = 1; seed <= 3000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    draw_network(&n, seed, 1 + seed % 6, 1 + (int64_t)(seed % 41));
    for (size_t first = 0; first < n.problem.statement_count; first += 1 + seed % 3) {
      const double shares[] = {-1, 0, 0.1, 0.5};
      const stow_stream_options options = {.rows = 1 + (int64_t)(seed % 4),
                                           .max_moved = shares[seed / 4 % 4]};
      stow_stream_schedule schedule;
      CHECK(stow_stream_schedule_range(&n.problem, first, n.problem.statement_count, &options,
                                       &schedule));
      check_holds(&n.problem, &schedule);
      check_stages(&schedule);
      stow_stream_schedule_free(&schedule);
    }
  }
}

// The slot that the definition of a window gives to a row in a step, the first of so many.
static int64_t slot_by_window(const stow_stream_window *w, int64_t step, int64_t row,
                              int64_t rows) {
  if (w->storage == STOW_STREAM_RING)
    return w->moved + (row + rows - 1 - w->base + w->advance) % w->advance - (rows - 1);
  return row - (w->advance * ((step + w->period - w->phase) / w->period - 1) + w->base);
}

static void check_slots(const network *n, const stow_stream_schedule *schedule, size_t statement) {
  const stow_stream_order *order = &schedule->orders[statement - schedule->first];
  if (order->stage != STOW_STREAM_STEPS)
    return;
  for (size_t a = 0; a < n->statements[statement].access_count; ++a) {
    const stow_stream_access *access = &n->accesses[statement][a];
    const stow_stream_window *w = stow_stream_find_window(schedule, access->buffer);
    if (!w)
      continue;
    const stow_stream_slot slot = stow_stream_slot_of(w, order, access);
    const int64_t rows = access->stride * (order->rate - 1) + access->high - access->low + 1;
    for (int64_t k = 0; k * order->rate < n->statements[statement].iterations; ++k)
      CHECK_EQ(slot.by * ((k + slot.ahead) % slot.cycle) + slot.first,
               slot_by_window(w, order->period * k + order->delay,
                              access->stride * order->rate * k + access->low, rows));
  }
}

static void slots_are_those_of_the_window(void) {
  static network n;
  for (uint64_t seed = 1; seed <= 500; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    const stow_stream_options options = {.rows = 1 + (int64_t)(seed % 3),
                                         .max_moved = seed % 2 ? -1 : 0.2};
    stow_stream_schedule schedule;
    draw_network(&n, seed, 2 + seed % 6, 20 + (int64_t)(seed % 41));
    CHECK(
        stow_stream_schedule_range(&n.problem, 0, n.problem.statement_count, &options, &schedule));
    for (size_t i = 0; i < schedule.end; ++i)
      check_slots(&n, &schedule, i);
    stow_stream_schedule_free(&schedule);
  }
}

//===----------------------------------------------------------------------===//
// No windows are smaller
//===----------------------------------------------------------------------===//

enum { DELAYS = 9 };

typedef struct brute {
  const network *n;
  const stow_stream_schedule *schedule; // whose rates stand
  int64_t delays[STATEMENTS];
  int64_t lags[STATEMENTS][STATEMENTS];
  uint64_t best;
} brute;

static bool meet(const stow_stream_access *a, int64_t i, const stow_stream_access *b, int64_t j) {
  return (a->writes || b->writes) && a->buffer == b->buffer &&
         a->stride * i + a->low <= b->stride * j + b->high &&
         b->stride * j + b->low <= a->stride * i + a->high;
}

// How many steps `t` must begin after `s` at least, so that no two iterations that meet are made in
// another order.
static int64_t lag_by_access(const brute *b, size_t s, const stow_stream_access *a, size_t t,
                             const stow_stream_access *c) {
  int64_t lag = INT64_MIN;
  for (int64_t i = 0; i < b->n->statements[s].iterations; ++i)
    for (int64_t j = 0; j < b->n->statements[t].iterations; ++j) {
      const int64_t steps = i * b->schedule->orders[s].period - j * b->schedule->orders[t].period;
      if (meet(a, i, c, j) && steps > lag)
        lag = steps;
    }
  return lag;
}

static void find_lags(brute *b) {
  for (size_t t = 0; t < b->n->problem.statement_count; ++t)
    for (size_t s = 0; s < t; ++s) {
      b->lags[s][t] = INT64_MIN;
      for (size_t x = 0; x < b->n->statements[s].access_count; ++x)
        for (size_t y = 0; y < b->n->statements[t].access_count; ++y) {
          const int64_t lag = lag_by_access(b, s, &b->n->accesses[s][x], t, &b->n->accesses[t][y]);
          b->lags[s][t] = lag > b->lags[s][t] ? lag : b->lags[s][t];
        }
    }
}

// Widens [low, high] by what a statement touches in the steps from `from` on.
static void widen(const brute *b, size_t statement, size_t buffer, int64_t from, int64_t steps,
                  int64_t *low, int64_t *high) {
  for (int64_t step = from; step < from + steps; ++step) {
    const int64_t time = step - b->delays[statement];
    if (time % b->schedule->orders[statement].period != 0)
      continue;
    for (size_t a = 0; a < b->n->statements[statement].access_count; ++a) {
      const stow_stream_access *access = &b->n->accesses[statement][a];
      const int64_t row = access->stride * (time / b->schedule->orders[statement].period);
      if (access->buffer != buffer)
        continue;
      *low = row + access->low < *low ? row + access->low : *low;
      *high = row + access->high > *high ? row + access->high : *high;
    }
  }
}

// The fewest rows between the lowest and the highest that so many steps touch, whichever is first.
static int64_t rows_at(const brute *b, size_t buffer, int64_t period) {
  int64_t fewest = INT64_MAX;
  for (int64_t from = 100; from < 100 + period; ++from) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t s = 0; s < b->n->problem.statement_count; ++s)
      widen(b, s, buffer, from, period, &low, &high);
    fewest = high - low + 1 < fewest ? high - low + 1 : fewest;
  }
  return fewest;
}

static uint64_t bytes_of(const brute *b) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < b->schedule->window_count; ++i) {
    const size_t buffer = b->schedule->windows[i].buffer;
    bytes += (uint64_t)rows_at(b, buffer, b->schedule->windows[i].period) *
             b->n->buffers[buffer].row_bytes;
  }
  return bytes;
}

static void try_delays(brute *b, size_t statement) {
  if (statement == b->n->problem.statement_count) {
    const uint64_t bytes = bytes_of(b);
    b->best = bytes < b->best ? bytes : b->best;
    return;
  }
  for (int64_t delay = 0; delay < DELAYS; ++delay) {
    bool fits = true;
    b->delays[statement] = delay;
    for (size_t s = 0; s < statement && fits; ++s)
      fits = b->lags[s][statement] == INT64_MIN || delay >= b->delays[s] + b->lags[s][statement];
    if (fits)
      try_delays(b, statement + 1);
  }
}

static bool all_in_steps(const stow_stream_schedule *schedule) {
  for (size_t i = 0; i < schedule->end; ++i)
    if (schedule->orders[i].stage != STOW_STREAM_STEPS || schedule->orders[i].period > 4)
      return false;
  return schedule->window_count > 0;
}

static uint64_t window_bytes(const network *n, const stow_stream_schedule *schedule) {
  brute b = {.n = n, .schedule = schedule};
  for (size_t i = 0; i < schedule->end; ++i)
    b.delays[i] = schedule->orders[i].delay;
  return bytes_of(&b);
}

static void windows_are_minimal(void) {
  static network n;
  size_t compared = 0, larger = 0;
  const uint64_t step = soak_step(40);
  for (uint64_t seed = 1; seed <= 10000; seed += step * TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    draw_network(&n, seed, 2 + seed % 4, 60);
    stow_stream_schedule schedule;
    CHECK(stow_stream_schedule_range(&n.problem, 0, n.problem.statement_count, NULL, &schedule));
    if (n.problem.statement_count <= 6 && all_in_steps(&schedule)) {
      brute b = {.n = &n, .schedule = &schedule, .best = UINT64_MAX};
      find_lags(&b);
      try_delays(&b, 0);
      ++compared;
      larger += window_bytes(&n, &schedule) != b.best;
      if (b.best != UINT64_MAX)
        CHECK_EQ(window_bytes(&n, &schedule), b.best);
    }
    stow_stream_schedule_free(&schedule);
  }
  test_note(NULL);
  CHECK(compared * step * TEST_STEP > 3000);
}

//===----------------------------------------------------------------------===//
// Wrong schedules are found
//===----------------------------------------------------------------------===//

static bool is_found(const network *n, const stow_stream_schedule *schedule) {
  stow_stream_fault fault;
  return stow_stream_verify(&n->problem, schedule, &fault) == STOW_STREAM_BROKEN;
}

// A window less one row, and one in which a row less is moved, or every other time.
static void check_window(const network *n, const stow_stream_schedule *s, stow_stream_window *w,
                         size_t found[2]) {
  const stow_stream_window kept = *w;
  --w->kept;
  found[0] += CHECK(is_found(n, s));
  *w = kept;
  if (w->moved == 0 || n->buffers[w->buffer].rows < 3 * w->advance)
    return;
  if (w->storage == STOW_STREAM_RING)
    w->period *= 2;
  else
    --w->moved;
  found[1] += CHECK(is_found(n, s));
  *w = kept;
}

// And a delay less one step.
static void planted_faults_are_found(void) {
  static network n;
  size_t shifts[2] = {0}, rings[2] = {0}, delays = 0, delays_found = 0;
  for (uint64_t seed = 1; seed <= 2000; seed += TEST_STEP) {
    const stow_stream_options options = {.rows = 1, .max_moved = 0.3};
    test_note("seed %" PRIu64, seed);
    draw_network(&n, seed / 2, 2 + seed % 5, 40);
    stow_stream_schedule s;
    CHECK(stow_stream_schedule_range(&n.problem, 0, n.problem.statement_count,
                                     seed % 2 ? &options : NULL, &s));
    for (size_t i = 0; i < s.window_count; ++i)
      if (s.windows[i].storage == STOW_STREAM_RING)
        check_window(&n, &s, &s.windows[i], rings);
      else if (seed % 2 == 0)
        check_window(&n, &s, &s.windows[i], shifts);
    for (size_t i = 0; i < s.end; ++i)
      if (s.orders[i].stage == STOW_STREAM_STEPS && s.orders[i].delay > 0) {
        --s.orders[i].delay;
        ++delays;
        delays_found += is_found(&n, &s);
        ++s.orders[i].delay;
      }
    stow_stream_schedule_free(&s);
  }
  test_note(NULL);
  CHECK(shifts[0] * TEST_STEP > 300 && shifts[1] * TEST_STEP > 100);
  CHECK(TEST_STEP > 1 || (rings[0] > 20 && rings[1] > 10));
  CHECK(delays_found * 2 > delays);
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

static void cuts_never_cost(void) {
  static network n;
  size_t gained = 0;
  for (uint64_t seed = 1; seed <= 2000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    draw_network(&n, seed, 1 + seed % 7, 20 + (int64_t)(seed % 21));
    stow_stream_cut cut;
    CHECK(stow_stream_cut_problem(&n.problem, NULL, &cut));
    CHECK(cut.peak_bytes <= cut.peak_before);
    gained += cut.peak_bytes < cut.peak_before;
    size_t end = 0;
    for (size_t i = 0; i < cut.stream_count; ++i) {
      CHECK(cut.streams[i].first >= end);
      CHECK(cut.streams[i].peak_bytes <= cut.peak_bytes);
      end = cut.streams[i].end;
      check_holds(&n.problem, &cut.streams[i]);
    }
    CHECK(cut.stream_count > 0 || cut.peak_bytes == cut.peak_before);
    stow_stream_cut_free(&cut);
  }
  CHECK(gained * TEST_STEP > 800);
}

// A layer row by row behind the last one, which touches so many bytes of buffer 0 each time.
static void add_weighted(network *n, int64_t rows, uint64_t row_bytes, uint64_t again) {
  const size_t in = n->problem.buffer_count - 1, out = add_buffer(n, rows, true);
  stow_stream_statement *layer = add_statement(n, rows);
  n->buffers[out].row_bytes = row_bytes;
  n->buffers[out].bytes = row_bytes * (uint64_t)rows;
  if (in > 1)
    add_access(n, layer, (stow_stream_access){in, false, false, 1, 0, 0, 0});
  add_access(n, layer, (stow_stream_access){.buffer = 0, .whole = true, .again = again});
  add_access(n, layer, (stow_stream_access){out, true, false, 1, 0, 0, 0});
}

// The peak is elsewhere.
static void begin_weighted(network *n) {
  memset(n, 0, sizeof *n);
  n->problem = (stow_stream_problem){.statements = n->statements, .buffers = n->buffers};
  n->problem.buffer_count = 2;
  n->buffers[0] = (stow_stream_buffer){.rows = 1};
  n->buffers[1] =
      (stow_stream_buffer){.rows = 1, .bytes = 40000, .row_bytes = 40000, .local = true};
  add_access(n, add_statement(n, 0),
             (stow_stream_access){.buffer = 1, .writes = true, .whole = true});
}

// Small buffers between two large ones stay out of streams where that keeps weights in a cache.
static void weights_end_streams(void) {
  for (int heavy = 0; heavy < 2; ++heavy) {
    static network n;
    stow_stream_cut cut;
    begin_weighted(&n);
    for (size_t i = 0; i < 12; ++i) {
      const bool small = i >= 4 && i < 8;
      add_weighted(&n, 100, small ? 1 : 1000, small && heavy && i > 4 ? 2 << 20 : 64);
    }
    CHECK(stow_stream_cut_problem(&n.problem, NULL, &cut));
    CHECK_EQ(cut.stream_count, (size_t)(heavy ? 2 : 1));
    for (size_t i = 0; i < cut.stream_count; ++i)
      CHECK(cut.streams[i].again == 0);
    stow_stream_cut_free(&cut);
  }
}

static int64_t largest_rate(const stow_stream_schedule *stream) {
  int64_t rate = 0;
  for (size_t i = 0; i < stream->end - stream->first; ++i)
    rate = stream->orders[i].rate > rate ? stream->orders[i].rate : rate;
  return rate;
}

// As many rows at a time as the peak of other statements leaves room for; where there is none, as
// an eighth more bytes have room for.
static void weights_ask_for_rows(void) {
  const int64_t rates[2][2] = {{8, 1}, {32, 4}};
  for (int heavy = 0; heavy < 2; ++heavy)
    for (int at_peak = 0; at_peak < 2; ++at_peak) {
      static network n;
      stow_stream_cut cut;
      begin_weighted(&n);
      for (size_t i = 0; i < 4; ++i)
        add_weighted(&n, 256, 512, heavy ? 2 << 20 : 64);
      if (at_peak)
        add_access(&n, add_statement(&n, 0), (stow_stream_access){.buffer = 1, .whole = true});
      CHECK(stow_stream_cut_problem(&n.problem, &(stow_stream_options){.max_moved = -1}, &cut));
      CHECK_EQ(cut.stream_count, (size_t)1);
      if (cut.stream_count == 1)
        CHECK_EQ(largest_rate(&cut.streams[0]), rates[heavy][at_peak]);
      for (size_t i = 0; i < cut.stream_count; ++i)
        CHECK(cut.streams[i].peak_bytes <= cut.peak_bytes);
      stow_stream_cut_free(&cut);
    }
}

// Products of one row at a time load more weights than rows: four rows share them, as long as the
// peak is a quarter of what it was.
static void registers_ask_for_rows(void) {
  const int64_t rates[2] = {4, 2}; // of 64 rows, and of 8, where 4 would be a half
  for (int few = 0; few < 2; ++few) {
    static network n;
    stow_stream_cut cut;
    memset(&n, 0, sizeof n);
    n.problem = (stow_stream_problem){.statements = n.statements, .buffers = n.buffers};
    n.problem.buffer_count = 2;
    n.buffers[0] = n.buffers[1] = (stow_stream_buffer){.rows = 1};
    for (size_t i = 0; i < 5; ++i) {
      add_weighted(&n, few ? 8 : 64, 8192, 1 << 17);
      n.statements[i].used_once = 1 << 17;
    }
    CHECK(stow_stream_cut_problem(&n.problem, &(stow_stream_options){.max_moved = -1}, &cut));
    CHECK_EQ(cut.stream_count, (size_t)1);
    if (cut.stream_count == 1)
      CHECK_EQ(largest_rate(&cut.streams[0]), rates[few]);
    CHECK(cut.peak_bytes <= cut.peak_before / 4);
    stow_stream_cut_free(&cut);
  }
}

//===----------------------------------------------------------------------===//
// Buffers that are not local
//===----------------------------------------------------------------------===//

// The moments in which statements run, one after the other; all steps of a stream are one.
typedef struct timing {
  const network *n;
  size_t moments[STATEMENTS], count, steps;
} timing;

static void add_stage(timing *t, const stow_stream_schedule *s, stow_stream_stage stage) {
  for (size_t i = s->first; i < s->end; ++i)
    if (s->orders[i - s->first].stage == stage)
      t->moments[i] = t->count++;
}

static timing times_of(const network *n, const stow_stream_schedule *s) {
  timing t = {.n = n};
  for (size_t i = 0; i < s->first; ++i)
    t.moments[i] = t.count++;
  add_stage(&t, s, STOW_STREAM_BEFORE);
  t.steps = t.count++;
  for (size_t i = s->first; i < s->end; ++i)
    if (s->orders[i - s->first].stage == STOW_STREAM_STEPS)
      t.moments[i] = t.steps;
  add_stage(&t, s, STOW_STREAM_AFTER);
  for (size_t i = s->end; i < n->problem.statement_count; ++i)
    t.moments[i] = t.count++;
  return t;
}

static timing times_as_written(const network *n) {
  timing t = {.n = n, .count = n->problem.statement_count, .steps = SIZE_MAX};
  for (size_t i = 0; i < t.count; ++i)
    t.moments[i] = i;
  return t;
}

// Whether a buffer is there at a moment: touched before or then, and then or afterwards, if it
// goes.
static bool is_there(const timing *t, size_t buffer, size_t moment) {
  const stow_stream_buffer *it = &t->n->buffers[buffer];
  bool begun = false, goes_on = !it->local && !it->passing;
  for (size_t i = 0; i < t->n->problem.statement_count; ++i)
    for (size_t a = 0; a < t->n->statements[i].access_count; ++a)
      if (t->n->accesses[i][a].buffer == buffer) {
        begun |= t->moments[i] <= moment;
        goes_on |= t->moments[i] >= moment;
      }
  return begun && goes_on;
}

static uint64_t held_at(const timing *t, size_t moment) {
  const uint64_t unit = t->n->problem.alignment > 0 ? t->n->problem.alignment : 1;
  uint64_t bytes = 0;
  for (size_t b = 0; b < t->n->problem.buffer_count; ++b)
    if (!t->n->buffers[b].local && is_there(t, b, moment))
      bytes += (t->n->buffers[b].bytes + unit - 1) / unit * unit;
  return bytes;
}

// Of local buffers. Those that have windows are there in the steps only.
static uint64_t alive_at(const timing *t, const stow_stream_schedule *s, size_t moment) {
  uint64_t bytes = s && moment == t->steps ? s->kept_bytes : 0;
  for (size_t b = 0; b < t->n->problem.buffer_count; ++b)
    if (t->n->buffers[b].local && !(s && stow_stream_find_window(s, b)) && is_there(t, b, moment))
      bytes += t->n->buffers[b].bytes;
  return bytes;
}

static bool is_any_alive(const timing *t, const stow_stream_schedule *s, size_t moment) {
  bool before = false, behind = false;
  for (size_t m = 0; m < t->count; ++m)
    if (alive_at(t, s, m) > 0) {
      before |= m <= moment;
      behind |= m >= moment;
    }
  return before && behind;
}

static void ask_for_local(const network *n, bool *asked) {
  for (size_t b = 0; b < n->problem.buffer_count; ++b)
    asked[b] = n->buffers[b].local;
}

static void draw_with_passing(network *n, uint64_t seed) {
  draw_network(n, seed, 1 + seed % 7, 5 + (int64_t)(seed % 21));
  for (size_t b = 0; b < n->problem.buffer_count; ++b)
    n->buffers[b].passing = !n->buffers[b].local && draw(n, 3) > 0;
}

static void check_heap(const network *n, const stow_stream_schedule *s) {
  const timing t = times_of(n, s);
  const size_t end = t.count - (n->problem.statement_count - s->end);
  uint64_t heap = 0, held = 0;
  for (size_t m = s->first; m < end; ++m) {
    const uint64_t all = alive_at(&t, s, m) + held_at(&t, m);
    heap = all > heap ? all : heap;
    if (is_any_alive(&t, s, m) && held_at(&t, m) > held)
      held = held_at(&t, m);
  }
  CHECK_EQ(s->heap_bytes, heap);
  CHECK_EQ(s->held_bytes, held);
}

static void bytes_of_all_buffers_are_counted(void) {
  static network n;
  for (uint64_t seed = 1; seed <= 3000; seed += TEST_STEP) {
    const stow_stream_options options = {.rows = 1 + (int64_t)(seed % 2), .max_moved = -1};
    test_note("seed %" PRIu64, seed);
    draw_with_passing(&n, seed);
    for (size_t first = 0; first < n.problem.statement_count; first += 1 + seed % 3) {
      stow_stream_schedule s;
      const size_t end = n.problem.statement_count - (seed + first) % 2;
      if (end <= first)
        break;
      CHECK(stow_stream_schedule_range(&n.problem, first, end, &options, &s));
      check_heap(&n, &s);
      stow_stream_schedule_free(&s);
    }
  }
  test_note(NULL);
}

static uint64_t heap_as_written(const network *n, uint64_t peak) {
  const timing t = times_as_written(n);
  uint64_t most = 0;
  for (size_t m = 0; m < t.count; ++m) {
    const uint64_t used = held_at(&t, m) + (is_any_alive(&t, NULL, m) ? peak : 0);
    most = used > most ? used : most;
  }
  return most;
}

// With local buffers in one memory, from where the first is alive to where the last is.
static void cuts_hold_no_more_than_before(void) {
  static network n;
  size_t refused = 0;
  for (uint64_t seed = 1; seed <= 3000; seed += TEST_STEP) {
    const uint64_t memory = seed % 4 ? 0 : 20 + seed % 200;
    const stow_stream_options options = {
        .rows = 1, .max_moved = -1, .memory = memory, .overlap = seed % 3 == 0};
    bool asked[BUFFERS];
    stow_stream_cut cut, free_to_hold;
    stow_stream_places places;
    test_note("seed %" PRIu64, seed);
    draw_with_passing(&n, seed);
    n.problem.alignment = seed % 5 ? 1 : 64;
    ask_for_local(&n, asked);
    CHECK(stow_stream_cut_problem(&n.problem, &options, &cut));
    const bool lends = memory > 0 && memory < cut.peak_before;
    const uint64_t before = heap_as_written(&n, lends ? memory : cut.peak_before);
    for (size_t i = 0; i < cut.stream_count; ++i)
      CHECK(cut.peak_bytes + cut.streams[i].held_bytes <= before);
    CHECK(cut.stream_count == 0 || cut.peak_bytes <= cut.most_bytes ||
          (lends && cut.peak_bytes > memory)); // which saves nothing
    CHECK(stow_stream_overlap(&n.problem, &options, asked, &cut, &places));
    for (size_t i = 0; i < cut.stream_count && places.count > 0; ++i)
      CHECK(places.bytes + cut.streams[i].held_bytes <= before);
    stow_stream_places_free(&places);
    for (size_t b = 0; b < n.problem.buffer_count; ++b)
      n.buffers[b].bytes = n.buffers[b].local ? n.buffers[b].bytes : 0;
    CHECK(stow_stream_cut_problem(&n.problem, &options, &free_to_hold));
    refused += free_to_hold.peak_bytes < cut.peak_bytes;
    stow_stream_cut_free(&free_to_hold);
    stow_stream_cut_free(&cut);
  }
  test_note(NULL);
  CHECK(refused * TEST_STEP > 20);
}

//===----------------------------------------------------------------------===//
// Buffers that share bytes
//===----------------------------------------------------------------------===//

// A network as one stream, now and then with buffers whose rows are scattered.
static void draw_stream(network *n, uint64_t seed, stow_stream_schedule *out) {
  draw_network(n, seed, 1 + seed % 6, 5 + (int64_t)(seed % 31));
  n->problem.alignment = seed % 3 == 0 ? 4 : 1;
  for (size_t b = 0; b < n->problem.buffer_count && seed % 4 == 0; ++b)
    n->buffers[b].scattered = draw(n, 4) == 0;
  const stow_stream_options options = {
      .rows = 1 + (int64_t)(seed % 3), .max_moved = seed % 2 ? -1 : 0.2, .overlap = seed % 5 > 0};
  CHECK(stow_stream_schedule_range(&n->problem, 0, n->problem.statement_count, &options, out));
}

static bool places_hold(const network *n, const stow_stream_schedule *streams, size_t count,
                        const stow_stream_places *places) {
  stow_stream_fault fault;
  return stow_stream_verify_places(&n->problem, streams, count, places, &fault) ==
         STOW_STREAM_HOLDS;
}

static uint64_t bytes_apart(const network *n, const stow_stream_schedule *s) {
  uint64_t bytes = 0;
  for (size_t b = 0; b < n->problem.buffer_count; ++b) {
    const stow_stream_window *w = stow_stream_find_window(s, b);
    if (n->buffers[b].local)
      bytes += w ? (uint64_t)w->kept * n->buffers[b].row_bytes : n->buffers[b].bytes;
  }
  return bytes;
}

static uint64_t end_of(const network *n, const stow_stream_schedule *s,
                       const stow_stream_place *place) {
  const stow_stream_window *w = stow_stream_find_window(s, place->buffer);
  const stow_stream_buffer *it = &n->buffers[place->buffer];
  return place->offset + (w ? (uint64_t)w->kept * it->row_bytes : it->bytes);
}

// How many buffers lie over another one: bytes of both are the same.
static size_t check_over(const network *n, const stow_stream_schedule *s,
                         const stow_stream_places *places) {
  size_t count = 0;
  for (const stow_stream_place *it = places->at; it < places->at + places->count; ++it)
    if (it->over != SIZE_MAX) {
      const stow_stream_place *below = stow_stream_find_place(places, it->over);
      CHECK(below && below != it && below->offset < end_of(n, s, it) &&
            it->offset < end_of(n, s, below));
      ++count;
    }
  return count;
}

static void all_places_hold(void) {
  static network n;
  size_t gained = 0, over = 0;
  for (uint64_t seed = 1; seed <= 3000; seed += TEST_STEP) {
    bool asked[BUFFERS];
    stow_stream_schedule s;
    stow_stream_places places;
    test_note("seed %" PRIu64, seed);
    draw_stream(&n, seed, &s);
    ask_for_local(&n, asked);
    CHECK(stow_stream_place_buffers(&n.problem, &s, 1, asked, &places));
    CHECK(places_hold(&n, &s, 1, &places));
    gained += places.bytes < bytes_apart(&n, &s);
    over += check_over(&n, &s, &places);
    stow_stream_places_free(&places);
    stow_stream_schedule_free(&s);
  }
  test_note(NULL);
  CHECK(gained * TEST_STEP > 1200);
  CHECK(over * TEST_STEP > 900);
}

static void overlaps_of_cuts_hold(void) {
  static network n;
  size_t smaller = 0;
  for (uint64_t seed = 1; seed <= 2000; seed += TEST_STEP) {
    const stow_stream_options options = {.rows = (int64_t)(seed % 3), .max_moved = 0.3};
    bool asked[BUFFERS];
    stow_stream_cut cut;
    stow_stream_places places;
    test_note("seed %" PRIu64, seed);
    draw_network(&n, seed, 1 + seed % 7, 20 + (int64_t)(seed % 21));
    n.problem.alignment = seed % 2 ? 8 : 0;
    ask_for_local(&n, asked);
    CHECK(stow_stream_cut_problem(&n.problem, &options, &cut));
    CHECK(stow_stream_overlap(&n.problem, &options, asked, &cut, &places));
    CHECK(places_hold(&n, cut.streams, cut.stream_count, &places));
    for (size_t i = 0; i < cut.stream_count; ++i)
      check_holds(&n.problem, &cut.streams[i]);
    smaller += places.bytes < cut.peak_bytes;
    stow_stream_places_free(&places);
    stow_stream_cut_free(&cut);
  }
  test_note(NULL);
  CHECK(smaller * TEST_STEP > 900);
}

// The fewest bytes in which two buffers hold, of all distances.
static uint64_t least_by_trial(const network *n, const stow_stream_schedule *s,
                               const stow_stream_places *places, const int64_t sizes[2]) {
  stow_stream_place at[2] = {places->at[0], places->at[1]};
  stow_stream_places tried = {.at = at, .count = 2};
  uint64_t least = UINT64_MAX;
  for (int64_t by = -sizes[0]; by <= sizes[1]; ++by) {
    at[0].offset = by > 0 ? (uint64_t)by : 0;
    at[1].offset = by < 0 ? (uint64_t)-by : 0;
    const uint64_t one = at[0].offset + (uint64_t)sizes[0],
                   other = at[1].offset + (uint64_t)sizes[1];
    tried.bytes = one > other ? one : other;
    if (tried.bytes < least && places_hold(n, s, 1, &tried))
      least = tried.bytes;
  }
  return least;
}

// Whether the buffers, a byte closer to each other, are found to be wrong.
static bool one_byte_less_is_found(const network *n, const stow_stream_schedule *s,
                                   const stow_stream_places *places) {
  stow_stream_place at[2] = {places->at[0], places->at[1]};
  const stow_stream_places closer = {at, 2, places->bytes};
  --at[at[0].offset < at[1].offset].offset;
  return !places_hold(n, s, 1, &closer);
}

typedef struct tally {
  size_t pairs, least, faults, found;
} tally;

static void check_pair(const network *n, const stow_stream_schedule *s, size_t a, size_t b,
                       tally *t) {
  bool asked[BUFFERS] = {false};
  stow_stream_places places;
  int64_t sizes[2];
  asked[a] = asked[b] = true;
  CHECK(stow_stream_place_buffers(&n->problem, s, 1, asked, &places));
  for (size_t i = 0; i < 2; ++i) {
    const stow_stream_window *w = stow_stream_find_window(s, i ? b : a);
    const stow_stream_buffer *it = &n->buffers[i ? b : a];
    sizes[i] = (w ? w->kept : it->rows) * (int64_t)it->row_bytes;
  }
  const uint64_t least = least_by_trial(n, s, &places, sizes);
  CHECK(least <= places.bytes);
  ++t->pairs;
  t->least += least == places.bytes;
  if (places.bytes > (uint64_t)(sizes[0] > sizes[1] ? sizes[0] : sizes[1])) {
    ++t->faults;
    t->found += one_byte_less_is_found(n, s, &places);
  }
  stow_stream_places_free(&places);
}

// Layers of which each reads all rows of the one before, now and then with a frame around them.
static void draw_chain(network *n, uint64_t seed, size_t layers) {
  int64_t rows = 2 + (int64_t)(seed % 7), widths[8], strides[8], most[9];
  memset(n, 0, sizeof *n);
  n->state = seed;
  n->problem = (stow_stream_problem){.statements = n->statements, .buffers = n->buffers};
  most[layers] = rows;
  for (size_t i = layers; i-- > 0;) {
    strides[i] = 1 + (int64_t)draw(n, 2);
    widths[i] = strides[i] + (int64_t)draw(n, 3);
    most[i] = rows = strides[i] * (rows - 1) + widths[i];
    rows -= i > 0 && rows > 4 && draw(n, 2) == 0 ? 2 : 0; // the layer before makes all but a frame
  }
  add_buffer(n, most[0], false);
  for (size_t i = 0; i < layers; ++i) {
    const size_t out = add_buffer(n, most[i + 1], true);
    const int64_t frame = i + 1 < layers && (most[i] - widths[i]) / strides[i] + 1 < most[i + 1];
    if (frame)
      add_access(n, add_statement(n, most[i + 1]),
                 (stow_stream_access){out, true, false, 1, 0, 0, 0});
    stow_stream_statement *layer = add_statement(n, most[i + 1] - 2 * frame);
    add_access(n, layer,
               (stow_stream_access){out - 1, false, false, strides[i], 0, widths[i] - 1, 0});
    add_access(n, layer, (stow_stream_access){out, true, false, 1, frame, frame, 0});
  }
}

// Where rows are made and die in their order no distance is less, and less by one byte is found.
static void distances_are_least(void) {
  static network n;
  tally t = {0};
  for (uint64_t seed = 1; seed <= 1500; seed += TEST_STEP) {
    stow_stream_schedule s;
    const stow_stream_options options = {
        .rows = 1 + (int64_t)(seed % 2), .max_moved = -1, .overlap = seed % 3 > 0};
    test_note("seed %" PRIu64, seed);
    draw_chain(&n, seed, 2 + seed % 4);
    CHECK(stow_stream_schedule_range(&n.problem, seed % 5 == 0, n.problem.statement_count, &options,
                                     &s));
    for (size_t b = 2; b < n.problem.buffer_count; ++b)
      check_pair(&n, &s, b - 1, b, &t);
    stow_stream_schedule_free(&s);
  }
  test_note(NULL);
  CHECK(t.pairs * TEST_STEP > 3000 && t.faults * TEST_STEP > 3000);
  CHECK(t.least * 100 >= t.pairs * 99); // a last move of rows that nobody reads is taken for one
  CHECK_EQ(t.found, t.faults);
}

//===----------------------------------------------------------------------===//
// Long networks
//===----------------------------------------------------------------------===//

typedef struct joins {
  stow_stream_problem problem;
  stow_stream_statement *statements;
  stow_stream_access (*accesses)[2];
  stow_stream_buffer *buffers;
} joins;

static void add_join_op(joins *j, size_t read, size_t written) {
  const size_t at = j->problem.statement_count++;
  j->accesses[at][0] = (stow_stream_access){read, false, false, 1, 0, 0, 0};
  j->accesses[at][1] = (stow_stream_access){written, true, false, 1, 0, 0, 0};
  j->statements[at] = (stow_stream_statement){48, j->accesses[at], 2, 0};
}

static size_t add_join_buffer(joins *j, uint64_t row_bytes) {
  const size_t at = j->problem.buffer_count++;
  j->buffers[at] = (stow_stream_buffer){48, row_bytes, 48 * row_bytes, at > 0, false, false};
  return at;
}

// Concatenations of two parts, one after the other.
static void create_joins(joins *j, size_t layers) {
  *j = (joins){.statements = calloc(4 * layers, sizeof *j->statements),
               .accesses = calloc(4 * layers, sizeof *j->accesses),
               .buffers = calloc(3 * layers + 1, sizeof *j->buffers)};
  CHECK(j->statements && j->accesses && j->buffers);
  j->problem = (stow_stream_problem){.statements = j->statements, .buffers = j->buffers};
  for (size_t last = add_join_buffer(j, 64), i = 0; i < layers; ++i) {
    const size_t whole = add_join_buffer(j, 64);
    for (size_t part = 0; part < 2; ++part) {
      const size_t made = add_join_buffer(j, 32);
      add_join_op(j, last, made);
      add_join_op(j, made, whole);
    }
    last = whole;
  }
}

static void free_joins(joins *j) {
  free(j->statements);
  free(j->accesses);
  free(j->buffers);
}

// 0: they share none.
static uint64_t bytes_of_joins(size_t layers, uint64_t most) {
  const stow_stream_options options = {.max_moved = 0.2, .most_shared = most};
  stow_stream_cut cut;
  stow_stream_places places;
  joins j;
  create_joins(&j, layers);
  bool *asked = calloc(j.problem.buffer_count, sizeof *asked);
  CHECK(asked);
  for (size_t b = 0; b < j.problem.buffer_count; ++b)
    asked[b] = j.buffers[b].local;
  CHECK(stow_stream_cut_problem(&j.problem, &options, &cut));
  CHECK(stow_stream_overlap(&j.problem, &options, asked, &cut, &places));
  CHECK_EQ(stow_stream_verify_places(&j.problem, cut.streams, cut.stream_count, &places, NULL),
           STOW_STREAM_HOLDS);
  const uint64_t bytes = places.bytes;
  stow_stream_places_free(&places);
  stow_stream_cut_free(&cut);
  free(asked);
  free_joins(&j);
  return bytes;
}

// No search gives up because there are more layers of the same kind.
static void more_layers_take_no_more_bytes(void) {
  const size_t layers = TEST_STEP > 1 ? 300 : 1000; // fewer under a sanitizer
  const uint64_t bytes = bytes_of_joins(250, 0), more = bytes_of_joins(layers, 0);
  CHECK(bytes > 0 && more > 0);
  CHECK_EQ(more, bytes);
}

static void more_bytes_than_are_of_use_are_not_shared(void) {
  const uint64_t bytes = bytes_of_joins(10, 0);
  CHECK(bytes > 1);
  CHECK_EQ(bytes_of_joins(10, bytes), bytes);
  CHECK_EQ(bytes_of_joins(10, 1), 0);
}

TEST_MAIN({"all_ranges_hold", all_ranges_hold},
          {"slots_are_those_of_the_window", slots_are_those_of_the_window},
          {"windows_are_minimal", windows_are_minimal},
          {"planted_faults_are_found", planted_faults_are_found},
          {"cuts_never_cost", cuts_never_cost}, {"weights_end_streams", weights_end_streams},
          {"weights_ask_for_rows", weights_ask_for_rows},
          {"registers_ask_for_rows", registers_ask_for_rows},
          {"bytes_of_all_buffers_are_counted", bytes_of_all_buffers_are_counted},
          {"cuts_hold_no_more_than_before", cuts_hold_no_more_than_before},
          {"all_places_hold", all_places_hold}, {"overlaps_of_cuts_hold", overlaps_of_cuts_hold},
          {"distances_are_least", distances_are_least},
          {"more_layers_take_no_more_bytes", more_layers_take_no_more_bytes},
          {"more_bytes_than_are_of_use_are_not_shared", more_bytes_than_are_of_use_are_not_shared})
