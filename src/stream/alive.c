//===- alive.c - which bytes of a buffer are needed, and when -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is alive from the first moment in which it is touched to the last. Rows are born, and
// die, in their order, or are taken to: row r is born no later than the rows after it, and
// dies no earlier than those before it. So those alive are always a run of rows.
//
//===----------------------------------------------------------------------===//

#include "stream/alive.h"

#include "stream/grow.h"

#include <stdlib.h>

#define NO_STREAM SIZE_MAX

typedef struct timeline {
  const stow_stream_scope *scope;
  const stow_stream_problem *problem;
  const stow_stream_schedule *streams;
  size_t *stream_of; // per statement of the scope: the stream in whose steps it runs
  uint64_t *moments; // per statement: its moment, or its place in a step
  uint64_t *begins;  // per stream: the moment in which its first step begins
} timeline;

// The rows of one buffer, and its window, if it has one.
typedef struct lives {
  size_t stream;
  const stow_stream_window *window;
  int64_t count;
  uint64_t *born, *dies; // the moments; born > dies: never alive
} lives;

static uint64_t width_of(const stow_stream_schedule *stream) {
  return stream->sequence_count + stream->move_count;
}

static uint64_t step_at(const timeline *t, size_t stream, int64_t step) {
  return t->begins[stream] + (uint64_t)step * width_of(&t->streams[stream]);
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

uint64_t stow_stream_moments(const stow_stream_schedule *stream) {
  return stream->end - stream->first - stream->sequence_count +
         (uint64_t)stream->steps * width_of(stream);
}

static uint64_t add_stage(timeline *t, const stow_stream_schedule *s, stow_stream_stage stage,
                          uint64_t moment) {
  for (size_t i = s->first; i < s->end; ++i)
    if (s->orders[i - s->first].stage == stage)
      t->moments[i - t->scope->first] = moment++;
  return moment;
}

static uint64_t add_stream(timeline *t, size_t stream, uint64_t moment) {
  const stow_stream_schedule *s = &t->streams[stream];
  t->begins[stream] = moment = add_stage(t, s, STOW_STREAM_BEFORE, moment);
  for (size_t i = 0; i < s->sequence_count; ++i) {
    t->stream_of[s->sequence[i] - t->scope->first] = stream;
    t->moments[s->sequence[i] - t->scope->first] = i;
  }
  return add_stage(t, s, STOW_STREAM_AFTER, step_at(t, stream, s->steps));
}

static void set_moments(timeline *t) {
  uint64_t moment = 0;
  for (size_t i = t->scope->first; i < t->scope->end; ++i)
    t->stream_of[i - t->scope->first] = NO_STREAM;
  for (size_t i = t->scope->first, stream = 0; i < t->scope->end;)
    if (stream < t->scope->stream_count && t->streams[stream].first == i) {
      i = t->streams[stream].end;
      moment = add_stream(t, stream++, moment);
    } else {
      t->moments[i++ - t->scope->first] = moment++;
    }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static void touch(lives *r, int64_t low, int64_t high, uint64_t moment) {
  for (int64_t row = low < 0 ? 0 : low; row <= high && row < r->count; ++row) {
    r->born[row] = moment < r->born[row] ? moment : r->born[row];
    r->dies[row] = moment > r->dies[row] ? moment : r->dies[row];
  }
}

static void touch_all_times(lives *r, const stow_stream_access *access, uint64_t first,
                            uint64_t last) {
  const int64_t low = access->whole ? 0 : access->low;
  const int64_t high = access->whole ? r->count - 1 : access->high;
  touch(r, low, high, first);
  touch(r, low, high, last);
}

// In each step in which the statement runs it makes some iterations together.
static void touch_in_steps(const timeline *t, lives *r, size_t statement,
                           const stow_stream_access *access) {
  const size_t stream = t->stream_of[statement - t->scope->first];
  const stow_stream_schedule *s = &t->streams[stream];
  const stow_stream_order *order = &s->orders[statement - s->first];
  const int64_t count = t->problem->statements[statement].iterations, rate = order->rate;
  const uint64_t first = step_at(t, stream, order->delay) + t->moments[statement - t->scope->first];
  const uint64_t by = (uint64_t)order->period * width_of(s);
  uint64_t moment = first;
  if (access->whole || access->stride == 0) { // the same rows: first and last time
    touch_all_times(r, access, first, first + (uint64_t)((count - 1) / rate) * by);
    return;
  }
  for (int64_t i = 0; i < count; i += rate, moment += by) {
    const int64_t last = (rate < count - i ? i + rate : count) - 1;
    touch(r, access->stride * i + access->low, access->stride * last + access->high, moment);
  }
}

static void touch_by(const timeline *t, lives *r, size_t statement,
                     const stow_stream_access *access) {
  const int64_t last = t->problem->statements[statement].iterations - 1;
  const size_t at = statement - t->scope->first;
  if (t->stream_of[at] != NO_STREAM)
    touch_in_steps(t, r, statement, access);
  else if (access->whole || last < 0)
    touch(r, 0, r->count - 1, t->moments[at]);
  else
    touch(r, access->low, access->stride * last + access->high, t->moments[at]);
}

// Rows that are never touched are alive never, or with their neighbours.
static void put_in_order(lives *r) {
  for (int64_t row = r->count - 1; row-- > 0;)
    if (r->born[row] > r->born[row + 1])
      r->born[row] = r->born[row + 1];
  for (int64_t row = 1; row < r->count; ++row)
    if (r->dies[row] < r->dies[row - 1])
      r->dies[row] = r->dies[row - 1];
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

static bool add_entry(stow_stream_profile *p, uint64_t from, int64_t low, int64_t end) {
  if (end <= low)
    low = end = 0;
  if (p->count > 0 && p->entries[p->count - 1].from == from)
    --p->count;
  const stow_stream_alive none = {0}, *last = p->count > 0 ? &p->entries[p->count - 1] : &none;
  if (last->low == low && last->end == end)
    return true;
  if (!STOW_STREAM_ROOM(p->entries, p->count, p->capacity))
    return false;
  p->entries[p->count++] = (stow_stream_alive){from, low, end};
  return true;
}

// Rows that are alive, as a profile of rows.
static bool add_rows(const lives *r, stow_stream_profile *out) {
  int64_t born = 0, dead = 0;
  while (dead < r->count) {
    const uint64_t death = r->dies[dead] + 1;
    const uint64_t moment = born < r->count && r->born[born] < death ? r->born[born] : death;
    while (born < r->count && r->born[born] <= moment)
      ++born;
    while (dead < r->count && r->dies[dead] < moment)
      ++dead;
    if (!add_entry(out, moment, dead, born))
      return false;
  }
  return true;
}

// A window, and where it is while its rows are followed.
typedef struct place {
  const timeline *timeline;
  const stow_stream_window *window;
  size_t stream;
  uint64_t move;  // place of its move in a step
  int64_t offset; // row r is in slot r - offset
} place;

static bool add_slots(const place *p, uint64_t from, int64_t low, int64_t end,
                      stow_stream_profile *out) {
  low -= p->offset;
  end -= p->offset;
  return add_entry(out, from, low < 0 ? 0 : low, end < p->window->kept ? end : p->window->kept);
}

// After step `step` the window begins `advance` rows further on. While rows move, they are alive in
// both places, and so is whatever is moved with them.
static bool add_move(place *p, int64_t step, const stow_stream_alive *rows,
                     stow_stream_profile *out) {
  const stow_stream_window *w = p->window;
  const uint64_t end_of_step = step_at(p->timeline, p->stream, step + 1);
  const uint64_t moment = step_at(p->timeline, p->stream, step) + p->move;
  const int64_t last = rows->end - p->offset < w->moved ? w->moved : rows->end - p->offset;
  const bool moves = w->moved > 0 && step >= w->begin && step < w->end;
  if (moves && !add_entry(out, moment, 0, last < w->kept ? last : w->kept))
    return false;
  p->offset += w->advance;
  return add_slots(p, moves ? moment + 1 : end_of_step, rows->low, rows->end, out);
}

// The first step after which a period of the window begins.
static int64_t first_move(const stow_stream_window *w) {
  return stow_stream_modulo(w->phase - 1, w->period);
}

// Slots of a window, of its rows.
static bool follow_window(place *p, const stow_stream_profile *rows, stow_stream_profile *out) {
  const stow_stream_schedule *s = &p->timeline->streams[p->stream];
  stow_stream_alive now = {0};
  int64_t step = first_move(p->window);
  for (size_t i = 0; i < rows->count || step < s->steps;) {
    const uint64_t moment =
        step < s->steps ? step_at(p->timeline, p->stream, step) + p->move : UINT64_MAX;
    if (i < rows->count && rows->entries[i].from <= moment) {
      now = rows->entries[i++];
      if (!add_slots(p, now.from, now.low, now.end, out))
        return false;
    } else {
      if (!add_move(p, step, &now, out))
        return false;
      step += p->window->period;
    }
  }
  return true;
}

// All of a ring, from its first row to its last, or as long as rows are copied.
static bool follow_ring(const place *p, const stow_stream_profile *rows, stow_stream_profile *out) {
  const stow_stream_window *w = p->window;
  if (rows->count == 0)
    return true;
  uint64_t begin = rows->entries[0].from, end = rows->entries[rows->count - 1].from;
  const uint64_t first_copy = step_at(p->timeline, p->stream, w->begin);
  const uint64_t last_copy = step_at(p->timeline, p->stream, w->end);
  if (w->moved > 0) {
    begin = first_copy < begin ? first_copy : begin;
    end = last_copy > end ? last_copy : end;
  }
  return add_entry(out, begin, 0, w->kept) && add_entry(out, end, 0, 0);
}

// From rows to bytes.
static void scale(const stow_stream_buffer *buffer, int64_t rows, stow_stream_profile *p) {
  const int64_t by = (int64_t)buffer->row_bytes;
  for (size_t i = 0; i < p->count; ++i) {
    stow_stream_alive *it = &p->entries[i];
    if (buffer->scattered && it->low < it->end) {
      it->low = 0;
      it->end = rows;
    }
    it->low *= by;
    it->end *= by;
  }
}

static bool follow(const timeline *t, size_t stream, const stow_stream_window *window,
                   const stow_stream_profile *rows, stow_stream_profile *out) {
  const stow_stream_schedule *s = &t->streams[stream];
  place p = {t, window, stream, width_of(s), 0};
  p.offset = window->advance * stow_stream_floor(-window->phase, window->period) + window->base;
  for (size_t i = 0; i < s->move_count; ++i)
    if (&s->windows[s->moves[i]] == window)
      p.move = s->sequence_count + i;
  return window->storage == STOW_STREAM_RING ? follow_ring(&p, rows, out)
                                             : follow_window(&p, rows, out);
}

static bool find_profile(const timeline *t, size_t buffer, const lives *r,
                         stow_stream_profile *out) {
  const stow_stream_buffer *it = &t->problem->buffers[buffer];
  stow_stream_profile of_rows = {0};
  const bool done = r->window
                        ? add_rows(r, &of_rows) && follow(t, r->stream, r->window, &of_rows, out)
                        : add_rows(r, out);
  free(of_rows.entries);
  scale(it, r->window ? r->window->kept : it->rows, out);
  return done;
}

//===----------------------------------------------------------------------===//
// All buffers
//===----------------------------------------------------------------------===//

// Rows that somebody touched before are alive from the beginning, and those that somebody touches
// afterwards to the end.
static void begin_lives(const timeline *t, size_t buffer, lives *r) {
  const stow_stream_span *span = t->scope->spans ? &t->scope->spans[buffer] : NULL;
  const bool enters = span && span->first < t->scope->first;
  const bool leaves = span && span->last >= t->scope->end;
  for (int64_t i = 0; i < r->count; ++i) {
    r->born[i] = enters ? 0 : UINT64_MAX;
    r->dies[i] = leaves ? UINT64_MAX - 1 : 0;
  }
}

// Moments for the rows of all buffers, in one array; NULL: no memory.
static uint64_t *create_lives(const timeline *t, lives *all) {
  const stow_stream_scope *scope = t->scope;
  size_t rows = 0;
  for (size_t i = 0; i < scope->buffer_count; ++i)
    rows += (size_t)t->problem->buffers[scope->buffers[i]].rows;
  uint64_t *moments = malloc((2 * rows + 1) * sizeof *moments), *next = moments;
  for (size_t i = 0; moments && i < scope->buffer_count; ++i) {
    all[i].count = t->problem->buffers[scope->buffers[i]].rows;
    all[i].born = next;
    next += all[i].count;
    all[i].dies = next;
    next += all[i].count;
    begin_lives(t, scope->buffers[i], &all[i]);
  }
  return moments;
}

static void touch_all(const timeline *t, const size_t *index, lives *all) {
  for (size_t i = t->scope->first; i < t->scope->end; ++i)
    for (size_t a = 0; a < t->problem->statements[i].access_count; ++a) {
      const stow_stream_access *access = &t->problem->statements[i].accesses[a];
      if (index[access->buffer] != SIZE_MAX)
        touch_by(t, &all[index[access->buffer]], i, access);
    }
}

static void set_windows(const timeline *t, const size_t *index, lives *all) {
  for (size_t i = 0; i < t->scope->stream_count; ++i)
    for (size_t w = 0; w < t->streams[i].window_count; ++w) {
      const stow_stream_window *window = &t->streams[i].windows[w];
      if (index[window->buffer] != SIZE_MAX) {
        all[index[window->buffer]].stream = i;
        all[index[window->buffer]].window = window;
      }
    }
}

static bool find_all(timeline *t, const size_t *index, lives *all, stow_stream_profile *profiles) {
  const stow_stream_scope *scope = t->scope;
  uint64_t *moments = create_lives(t, all);
  bool done = moments;
  if (done) {
    set_moments(t);
    set_windows(t, index, all);
    touch_all(t, index, all);
  }
  for (size_t i = 0; i < scope->buffer_count && done; ++i) {
    put_in_order(&all[i]);
    done = find_profile(t, scope->buffers[i], &all[i], &profiles[i]);
  }
  free(moments);
  return done;
}

bool stow_stream_find_profiles(const stow_stream_scope *scope, size_t *index,
                               stow_stream_profile *profiles) {
  const size_t count = scope->end - scope->first;
  timeline t = {.scope = scope,
                .problem = scope->problem,
                .streams = scope->streams,
                .stream_of = calloc(count + 1, sizeof(size_t)),
                .moments = calloc(count + 1, sizeof(uint64_t)),
                .begins = calloc(scope->stream_count + 1, sizeof(uint64_t))};
  lives *all = calloc(scope->buffer_count + 1, sizeof *all);
  for (size_t i = 0; i < scope->buffer_count; ++i)
    index[scope->buffers[i]] = i;
  const bool done =
      t.stream_of && t.moments && t.begins && all && find_all(&t, index, all, profiles);
  for (size_t i = 0; i < scope->buffer_count; ++i)
    index[scope->buffers[i]] = SIZE_MAX;
  free(all);
  free(t.stream_of);
  free(t.moments);
  free(t.begins);
  return done;
}

void stow_stream_profiles_free(stow_stream_profile *profiles, size_t count) {
  for (size_t i = 0; profiles && i < count; ++i)
    free(profiles[i].entries);
  free(profiles);
}
