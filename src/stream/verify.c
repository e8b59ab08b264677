//===- verify.c - a schedule replayed row by row --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row of every buffer has a *version*, a hash of all writes to it so far. The range
// is run twice: once statement by statement on whole buffers, which tells what each
// iteration must read, and once as the schedule has it, on slots. A slot knows which row
// it holds; one that holds another row gives a version that no row has.
//
// Where buffers share bytes, what is written to a slot is lost to all others that have one of
// its bytes; and a statement loses it before it reads, as it may write first.
//
// Nothing is shared with what makes schedules but the definitions of stream.h.
//
//===----------------------------------------------------------------------===//

#include "stowage/stream.h"

#include <stdlib.h>

typedef struct slot {
  int64_t row; // -1: none
  uint64_t version;
} slot;

typedef struct memory {
  slot *slots;
  int64_t count;
  const stow_stream_window *window; // NULL: whole
  int64_t offset;                   // of its first byte, or -1: it shares none
} memory;

typedef struct replay {
  const stow_stream_problem *problem;
  const stow_stream_schedule *streams, *schedule; // schedule: that which runs, or NULL
  size_t stream_count;
  const stow_stream_places *places; // or NULL
  size_t first, end;                // statements
  memory *memories;                 // per buffer
  uint64_t **expected;              // per statement of the range: what each iteration reads
  uint8_t **made;                   // which iterations have run
  stow_stream_fault *fault;
  bool compares, broken;
  int64_t step;
  int64_t last; // row of what a statement touches at a time
} replay;

static uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15u + (a << 12) + (a >> 4);
  a *= 0xFF51AFD7ED558CCDu;
  return a ^ (a >> 32);
}

static void fail(replay *r, const char *what, size_t statement, int64_t iteration, size_t buffer,
                 int64_t row) {
  if (!r->broken && r->fault)
    *r->fault = (stow_stream_fault){what, statement, buffer, iteration, row};
  r->broken = true;
}

static int64_t iterations_of(const stow_stream_statement *statement) {
  return statement->iterations > 0 ? statement->iterations : 1;
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t modulo(int64_t a, int64_t b) { return a - floor_divide(a, b) * b; }

// Where a row lies in the present step, or -1.
static int64_t slot_of(const replay *r, const memory *m, int64_t row) {
  const stow_stream_window *w = r->compares ? m->window : NULL;
  int64_t at = row;
  if (w && w->storage == STOW_STREAM_RING) {
    at = w->moved + modulo(r->last - w->base, w->advance) - (r->last - row);
  } else if (w) {
    at = row - (w->advance * floor_divide(r->step - w->phase, w->period) + w->base);
  }
  return at >= 0 && at < m->count ? at : -1;
}

static slot *find(replay *r, size_t statement, int64_t iteration, size_t buffer, int64_t row) {
  memory *m = &r->memories[buffer];
  if (row < 0 || row >= r->problem->buffers[buffer].rows) {
    fail(r, "a row that does not exist", statement, iteration, buffer, row);
    return NULL;
  }
  const int64_t at = slot_of(r, m, row);
  if (at < 0)
    fail(r, "a row outside of its window", statement, iteration, buffer, row);
  return at < 0 ? NULL : &m->slots[at];
}

// The bytes of a slot, of those that buffers share.
typedef struct bytes {
  int64_t first, end;
} bytes;

static bytes bytes_of(const replay *r, size_t buffer, int64_t slot_index) {
  const stow_stream_buffer *it = &r->problem->buffers[buffer];
  const memory *m = &r->memories[buffer];
  const int64_t size = (int64_t)it->row_bytes;
  if (it->scattered)
    return (bytes){m->offset, m->offset + m->count * size};
  return (bytes){m->offset + slot_index * size, m->offset + (slot_index + 1) * size};
}

static void lose(replay *r, size_t buffer, bytes written) {
  memory *m = &r->memories[buffer];
  const bytes all = {bytes_of(r, buffer, 0).first, bytes_of(r, buffer, m->count - 1).end};
  if (m->count == 0 || written.end <= all.first || all.end <= written.first)
    return;
  for (int64_t i = 0; i < m->count; ++i) {
    const bytes own = bytes_of(r, buffer, i);
    if (own.first < written.end && written.first < own.end)
      m->slots[i] = (slot){-1, 0};
  }
}

// What others have in the bytes of a slot that is written is lost.
static void overwrite(replay *r, size_t buffer, int64_t slot_index) {
  if (!r->compares || r->memories[buffer].offset < 0)
    return;
  for (size_t i = 0; i < r->places->count; ++i)
    if (r->places->at[i].buffer != buffer)
      lose(r, r->places->at[i].buffer, bytes_of(r, buffer, slot_index));
}

static void clear(memory *m) {
  for (int64_t i = 0; i < m->count; ++i)
    m->slots[i] = (slot){-1, 0};
}

// What is local to a step is gone when it ends.
static void forget_local(replay *r) {
  for (size_t b = 0; b < r->problem->buffer_count; ++b)
    if (r->memories[b].window && r->memories[b].window->storage == STOW_STREAM_LOCAL)
      clear(&r->memories[b]);
}

// Where a period ends, rows are copied to the front. In what is no ring, the slots behind them hold
// none that may be read.
static void move_rows(replay *r, size_t buffer) {
  memory *m = &r->memories[buffer];
  const stow_stream_window *w = m->window;
  if (modulo(r->step + 1 - w->phase, w->period) != 0 || r->step < w->begin || r->step >= w->end)
    return;
  for (int64_t i = 0; i < w->moved; ++i) {
    m->slots[i] = m->slots[i + w->kept - w->moved];
    overwrite(r, buffer, i);
  }
  for (int64_t i = w->moved; i < m->count && w->storage == STOW_STREAM_SHIFT; ++i)
    m->slots[i] = (slot){-1, 0};
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

typedef void row_function(replay *r, size_t statement, int64_t iteration, size_t buffer,
                          int64_t row, uint64_t *hash);

static void read_row(replay *r, size_t statement, int64_t iteration, size_t buffer, int64_t row,
                     uint64_t *hash) {
  const slot *at = find(r, statement, iteration, buffer, row);
  if (at)
    *hash = mix(*hash, at->row == row ? at->version : 0);
}

// Part of the row may keep what was there.
static void write_row(replay *r, size_t statement, int64_t iteration, size_t buffer, int64_t row,
                      uint64_t *hash) {
  slot *at = find(r, statement, iteration, buffer, row);
  if (!at)
    return;
  const uint64_t old = at->row == row ? at->version : 0;
  *at = (slot){row, mix(mix(old, statement + 1), (uint64_t)iteration + 1)};
  (void)hash;
}

static void overwrite_row(replay *r, size_t statement, int64_t iteration, size_t buffer,
                          int64_t row, uint64_t *hash) {
  const slot *at = find(r, statement, iteration, buffer, row);
  if (at)
    overwrite(r, buffer, at - r->memories[buffer].slots);
  (void)hash;
}

// The last row of an access of all iterations that a statement makes together with this one.
static int64_t last_row(const replay *r, size_t statement, int64_t iteration,
                        const stow_stream_access *access) {
  const stow_stream_order *order =
      r->schedule ? &r->schedule->orders[statement - r->schedule->first] : NULL;
  if (!order || order->stage != STOW_STREAM_STEPS)
    return access->stride * iteration + access->high;
  return access->stride * ((iteration / order->rate + 1) * order->rate - 1) + access->high;
}

static void for_rows(replay *r, size_t statement, int64_t iteration,
                     const stow_stream_access *access, row_function *function, uint64_t *hash) {
  const int64_t rows = r->problem->buffers[access->buffer].rows;
  const int64_t first = access->whole ? 0 : access->stride * iteration + access->low;
  const int64_t last = access->whole ? rows - 1 : access->stride * iteration + access->high;
  r->last = last_row(r, statement, iteration, access);
  for (int64_t row = first; row <= last && !r->broken; ++row)
    function(r, statement, iteration, access->buffer, row, hash);
}

static void run_iteration(replay *r, size_t statement, int64_t iteration) {
  const stow_stream_statement *it = &r->problem->statements[statement];
  const size_t local = statement - r->first;
  uint64_t hash = 0;
  for (size_t a = 0; a < it->access_count; ++a)
    for_rows(r, statement, iteration, &it->accesses[a], read_row, &hash);
  for (size_t a = 0; a < it->access_count; ++a)
    if (it->accesses[a].writes)
      for_rows(r, statement, iteration, &it->accesses[a], write_row, &hash);
  if (!r->compares)
    r->expected[local][iteration] = hash;
  else if (r->expected[local][iteration] != hash)
    fail(r, "a row that is not the right one", statement, iteration, SIZE_MAX, -1);
  else if (r->made[local][iteration]++)
    fail(r, "an iteration made twice", statement, iteration, SIZE_MAX, -1);
}

// Iterations that a statement makes at a time, in any order of what they read and write.
static void run_iterations(replay *r, size_t statement, int64_t first, int64_t end) {
  const stow_stream_statement *it = &r->problem->statements[statement];
  const int64_t count = iterations_of(it);
  first = first < 0 ? 0 : first;
  end = end < count ? end : count;
  for (int64_t i = first; i < end && r->compares && r->places; ++i)
    for (size_t a = 0; a < it->access_count; ++a)
      if (it->accesses[a].writes)
        for_rows(r, statement, i, &it->accesses[a], overwrite_row, NULL);
  for (int64_t i = first; i < end && !r->broken; ++i)
    run_iteration(r, statement, i);
}

static void run_whole(replay *r, size_t statement) { run_iterations(r, statement, 0, INT64_MAX); }

static void run_stage(replay *r, stow_stream_stage stage) {
  for (size_t i = r->schedule->first; i < r->schedule->end; ++i)
    if (r->schedule->orders[i - r->schedule->first].stage == stage)
      run_whole(r, i);
}

static void run_step(replay *r) {
  for (size_t k = 0; k < r->schedule->sequence_count; ++k) {
    const size_t i = r->schedule->sequence[k];
    const stow_stream_order *order = &r->schedule->orders[i - r->schedule->first];
    if (modulo(r->step - order->delay, order->period) != 0)
      continue;
    const int64_t first = order->rate * floor_divide(r->step - order->delay, order->period);
    run_iterations(r, i, first, first + order->rate);
  }
  forget_local(r);
  for (size_t i = 0; i < r->schedule->move_count; ++i)
    move_rows(r, r->schedule->windows[r->schedule->moves[i]].buffer);
}

static void run_stream(replay *r, const stow_stream_schedule *stream) {
  r->schedule = stream;
  run_stage(r, STOW_STREAM_BEFORE);
  for (r->step = 0; r->step < stream->steps && !r->broken; ++r->step)
    run_step(r);
  run_stage(r, STOW_STREAM_AFTER);
  r->schedule = NULL;
}

static void run_as_written(replay *r) {
  for (size_t i = r->first; i < r->end; ++i)
    run_whole(r, i);
}

static void run_as_scheduled(replay *r) {
  size_t stream = 0;
  for (size_t i = r->first; i < r->end && !r->broken;)
    if (stream < r->stream_count && r->streams[stream].first == i) {
      run_stream(r, &r->streams[stream]);
      i = r->streams[stream++].end;
    } else {
      run_whole(r, i++);
    }
  for (size_t i = r->first; i < r->end; ++i)
    for (int64_t n = 0; n < iterations_of(&r->problem->statements[i]); ++n)
      if (!r->made[i - r->first][n])
        fail(r, "an iteration never made", i, n, SIZE_MAX, -1);
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static const stow_stream_window *find_window(const replay *r, size_t buffer) {
  const stow_stream_window *window = NULL;
  for (size_t i = 0; i < r->stream_count && !window; ++i)
    window = stow_stream_find_window(&r->streams[i], buffer);
  return window;
}

static bool give_slots(replay *r) {
  for (size_t b = 0; b < r->problem->buffer_count; ++b) {
    memory *m = &r->memories[b];
    free(m->slots);
    m->window = find_window(r, b);
    m->count = r->compares && m->window ? m->window->kept : r->problem->buffers[b].rows;
    m->offset = -1;
    m->slots = calloc((size_t)m->count + 1, sizeof *m->slots);
    if (!m->slots)
      return false;
    clear(m);
  }
  return true;
}

static void give_offsets(replay *r) {
  for (size_t i = 0; r->places && i < r->places->count; ++i) {
    const stow_stream_place *place = &r->places->at[i];
    memory *m = &r->memories[place->buffer];
    const uint64_t size = (uint64_t)m->count * r->problem->buffers[place->buffer].row_bytes;
    m->offset = (int64_t)place->offset;
    if (place->offset + size > r->places->bytes)
      fail(r, "bytes outside of the memory", 0, 0, place->buffer, -1);
  }
}

// Only what is local is kept otherwise than it was.
static void check_local(replay *r) {
  for (size_t b = 0; b < r->problem->buffer_count; ++b)
    if (!r->problem->buffers[b].local && (r->memories[b].window || r->memories[b].offset >= 0))
      fail(r, "a window or a place of a buffer that is not local", 0, 0, b, -1);
}

static bool create(replay *r) {
  const size_t count = r->end - r->first;
  r->memories = calloc(r->problem->buffer_count + 1, sizeof *r->memories);
  r->expected = calloc(count + 1, sizeof *r->expected);
  r->made = calloc(count + 1, sizeof *r->made);
  bool created = r->memories && r->expected && r->made;
  for (size_t i = 0; i < count && created; ++i) {
    const size_t n = (size_t)iterations_of(&r->problem->statements[r->first + i]);
    r->expected[i] = calloc(n, sizeof **r->expected);
    r->made[i] = calloc(n, sizeof **r->made);
    created = r->expected[i] && r->made[i];
  }
  return created && give_slots(r);
}

static void destroy(replay *r) {
  for (size_t b = 0; r->memories && b < r->problem->buffer_count; ++b)
    free(r->memories[b].slots);
  for (size_t i = 0; i < r->end - r->first; ++i) {
    free(r->expected ? r->expected[i] : NULL);
    free(r->made ? r->made[i] : NULL);
  }
  free(r->memories);
  free(r->expected);
  free(r->made);
}

static stow_stream_verdict verify(replay *r) {
  stow_stream_verdict verdict = STOW_STREAM_NO_MEMORY;
  if (create(r)) {
    run_as_written(r);
    r->compares = true;
    if (r->broken || give_slots(r)) {
      give_offsets(r);
      check_local(r);
      run_as_scheduled(r);
      verdict = r->broken ? STOW_STREAM_BROKEN : STOW_STREAM_HOLDS;
    }
  }
  destroy(r);
  return verdict;
}

stow_stream_verdict stow_stream_verify(const stow_stream_problem *problem,
                                       const stow_stream_schedule *schedule,
                                       stow_stream_fault *out_fault) {
  replay r = {.problem = problem,
              .streams = schedule,
              .stream_count = 1,
              .first = schedule->first,
              .end = schedule->end,
              .fault = out_fault};
  return verify(&r);
}

stow_stream_verdict stow_stream_verify_places(const stow_stream_problem *problem,
                                              const stow_stream_schedule *streams,
                                              size_t stream_count, const stow_stream_places *places,
                                              stow_stream_fault *out_fault) {
  replay r = {.problem = problem,
              .streams = streams,
              .stream_count = stream_count,
              .places = places,
              .end = problem->statement_count,
              .fault = out_fault};
  return verify(&r);
}
