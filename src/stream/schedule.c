//===- schedule.c - the schedule of one range, and its bytes --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The moments of a range are its statements that run before the steps, the steps as one,
// and the statements after them.
//
//===----------------------------------------------------------------------===//

#include "stream/schedule.h"

#include "stream/alive.h"
#include "stream/limits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_buffer(const void *a, const void *b) {
  const size_t left = ((const stow_stream_window *)a)->buffer;
  const size_t right = ((const stow_stream_window *)b)->buffer;
  return (left > right) - (left < right);
}

// Windows that need no fewer rows than the buffer has are none.
static void set_windows(const stow_stream_scheduler *s, stow_stream_schedule *out) {
  for (size_t i = 0; i < s->touched_count; ++i) {
    const size_t buffer = s->touched[i];
    if (!s->inside[buffer])
      continue;
    const stow_stream_window window = stow_stream_window_of(s, buffer);
    if (window.kept < s->problem->buffers[buffer].rows)
      out->windows[out->window_count++] = window;
  }
  if (out->window_count > 1)
    qsort(out->windows, out->window_count, sizeof *out->windows, by_buffer);
}

static void give_slack(stow_stream_scheduler *s, double max_moved, stow_stream_schedule *out) {
  for (size_t i = 0; i < out->window_count && max_moved >= 0; ++i)
    if (out->windows[i].moved > 0)
      s->rings[i] = stow_stream_ring_of(s, out->windows[i].buffer);
  stow_stream_give_slack(s->problem, max_moved, s->rings, out);
}

static void set_steps(const stow_stream_scheduler *s, stow_stream_schedule *out) {
  for (size_t i = 0; i < s->count; ++i)
    if (stow_stream_in_steps(s, i) && stow_stream_ends(s, i) > out->steps)
      out->steps = stow_stream_ends(s, i);
}

static bool move_together(const stow_stream_window *a, const stow_stream_window *b) {
  return a->moved > 0 && b->moved > 0 && a->period == b->period && a->phase == b->phase;
}

// Those that move in the same steps, one after the other.
static void set_moves_together(stow_stream_schedule *out) {
  const stow_stream_window *all = out->windows;
  for (size_t i = 0; i < out->window_count; ++i) {
    bool first = all[i].moved > 0;
    for (size_t k = 0; k < i && first; ++k)
      first = !move_together(&all[k], &all[i]);
    for (size_t k = i; k < out->window_count && first; ++k)
      if (move_together(&all[i], &all[k]))
        out->moves[out->move_count++] = k;
  }
}

// The statement that touches a window first; steps go as the program does.
static size_t first_touch(const stow_stream_scheduler *s, const stow_stream_window *window) {
  int64_t n = s->lists[window->buffer].head;
  while (s->nodes[n].next >= 0)
    n = s->nodes[n].next;
  return s->nodes[n].statement;
}

// What is made of a row moves before that row does.
static void set_moves_last_first(const stow_stream_scheduler *s, stow_stream_schedule *out) {
  size_t *places = s->stack;
  for (size_t i = 0; i < out->window_count; ++i) {
    if (out->windows[i].moved == 0)
      continue;
    const size_t place = first_touch(s, &out->windows[i]);
    size_t at = out->move_count++;
    for (; at > 0 && places[at - 1] < place; --at) {
      places[at] = places[at - 1];
      out->moves[at] = out->moves[at - 1];
    }
    places[at] = place;
    out->moves[at] = i;
  }
}

// No row is there before the first step that touches one, and none is needed behind the last.
static void set_moving_steps(const stow_stream_scheduler *s, stow_stream_window *window) {
  window->begin = INT64_MAX;
  window->end = 0;
  for (int64_t n = s->lists[window->buffer].head; n >= 0; n = s->nodes[n].next) {
    const int64_t first = s->orders[s->nodes[n].statement].delay;
    const int64_t last = stow_stream_ends(s, s->nodes[n].statement) - 1;
    window->begin = first < window->begin ? first : window->begin;
    window->end = last > window->end ? last : window->end;
  }
}

static void set_moves(const stow_stream_scheduler *s, bool overlap, stow_stream_schedule *out) {
  for (size_t i = 0; i < out->window_count; ++i)
    if (overlap)
      set_moving_steps(s, &out->windows[i]);
    else {
      out->windows[i].begin = 0;
      out->windows[i].end = out->steps;
    }
  if (overlap)
    set_moves_last_first(s, out);
  else
    set_moves_together(out);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static uint64_t bytes_of(const stow_stream_scheduler *s, const stow_stream_window *window) {
  return stow_stream_taken(s->problem,
                           (uint64_t)window->kept * s->problem->buffers[window->buffer].row_bytes);
}

// A range of moments, of statements of the range.
static void add_alive(stow_stream_scheduler *s, size_t first, size_t last, uint64_t bytes) {
  s->alive[first] += bytes;
  s->alive[last + 1] -= bytes; // wraps, and back in the sum
}

static uint64_t largest_sum(stow_stream_scheduler *s, size_t moments) {
  uint64_t largest = 0;
  for (size_t i = 0; i < moments; ++i) {
    s->alive[i] += i > 0 ? s->alive[i - 1] : 0;
    largest = s->alive[i] > largest ? s->alive[i] : largest;
  }
  return largest;
}

static void clear_alive(stow_stream_scheduler *s) {
  memset(s->alive, 0, (s->count + 2) * sizeof *s->alive);
  memset(s->made, 0, (s->count + 2) * sizeof *s->made);
}

static void touches_of(const stow_stream_scheduler *s, const size_t *places, size_t buffer,
                       size_t *out_first, size_t *out_last) {
  *out_first = *out_last = places[s->nodes[s->lists[buffer].head].statement];
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const size_t place = places[s->nodes[n].statement];
    *out_first = place < *out_first ? place : *out_first;
    *out_last = place > *out_last ? place : *out_last;
  }
}

static void set_kept_bytes(stow_stream_scheduler *s, stow_stream_schedule *out) {
  uint64_t always = 0;
  size_t *places = s->stack;
  clear_alive(s);
  for (size_t i = 0; i < out->sequence_count; ++i)
    places[out->sequence[i] - s->first] = i;
  for (size_t i = 0; i < out->window_count; ++i) {
    const stow_stream_window *window = &out->windows[i];
    size_t first, last;
    touches_of(s, places, window->buffer, &first, &last);
    if (window->storage == STOW_STREAM_LOCAL)
      add_alive(s, first, last, bytes_of(s, window));
    else
      always += bytes_of(s, window);
  }
  out->kept_bytes = always + largest_sum(s, s->count);
  out->moved_bytes = stow_stream_moved_bytes(s->problem, out);
}

// Numbers moments as they follow each other; `out_steps` is that of the steps.
static void set_moments(const stow_stream_scheduler *s, size_t *moments, size_t *out_steps) {
  size_t moment = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (s->orders[i].stage == STOW_STREAM_BEFORE)
      moments[i] = moment++;
  *out_steps = moment++;
  for (size_t i = 0; i < s->count; ++i)
    if (s->orders[i].stage == STOW_STREAM_STEPS)
      moments[i] = *out_steps;
    else if (s->orders[i].stage == STOW_STREAM_AFTER)
      moments[i] = moment++;
}

// Adds the life of a buffer that is whole. Returns its bytes if it is alive when the range begins.
static uint64_t add_whole(stow_stream_scheduler *s, const size_t *moments, size_t buffer) {
  const stow_stream_buffer *it = &s->problem->buffers[buffer];
  const stow_stream_span span = s->spans[buffer];
  const bool enters = span.first < s->first, leaves = span.last >= s->first + s->count;
  size_t first = enters ? 0 : SIZE_MAX, last = leaves ? s->count : 0;
  for (int64_t n = s->lists[buffer].head; n >= 0; n = s->nodes[n].next) {
    const size_t moment = moments[s->nodes[n].statement];
    first = moment < first ? moment : first;
    last = moment > last ? moment : last;
  }
  const uint64_t bytes = stow_stream_taken(s->problem, it->bytes);
  if (it->local)
    add_alive(s, first, last, bytes);
  else if (!enters)
    s->made[first] += bytes;
  if (it->passing && !leaves)
    s->made[last + 1] -= bytes;
  return it->local && enters ? bytes : 0;
}

// What begins less what ends, by moments.
typedef struct sums {
  uint64_t *alive, *made; // of local buffers, of others
  uint64_t moments;
} sums;

static void set_largest(const stow_stream_scheduler *s, const sums *all, uint64_t around,
                        stow_stream_schedule *out) {
  const bool leaves = s->alive_in.last >= s->first + s->count;
  bool begun = s->alive_in.first < s->first;
  uint64_t alive = around, held = s->held[s->first], most = 0;
  out->peak_bytes = out->heap_bytes = out->held_bytes = 0;
  for (uint64_t i = 0; i < all->moments; ++i) {
    alive += all->alive[i];
    held += all->made[i];
    out->peak_bytes = alive > out->peak_bytes ? alive : out->peak_bytes;
    out->heap_bytes = alive + held > out->heap_bytes ? alive + held : out->heap_bytes;
    begun |= alive > 0;
    most = begun && held > most ? held : most;
    if (alive > 0 || leaves)
      out->held_bytes = most;
  }
}

static void set_peak(stow_stream_scheduler *s, stow_stream_schedule *out) {
  size_t steps, *moments = s->stack;
  set_moments(s, moments, &steps);
  clear_alive(s);
  uint64_t around = s->crossing[s->first];
  for (size_t i = 0; i < s->touched_count; ++i)
    if (!stow_stream_find_window(out, s->touched[i]))
      around -= add_whole(s, moments, s->touched[i]);
  add_alive(s, steps, steps, out->kept_bytes);
  set_largest(s, &(sums){s->alive, s->made, s->count + 1}, around, out);
}

//===----------------------------------------------------------------------===//
// Bytes, row by row
//===----------------------------------------------------------------------===//

static void add_other(const stow_stream_scheduler *s, size_t buffer,
                      const stow_stream_profile *profile, sums *out) {
  const uint64_t bytes = stow_stream_taken(s->problem, s->problem->buffers[buffer].bytes);
  if (profile->count == 0)
    return;
  const uint64_t end = profile->entries[profile->count - 1].from;
  if (s->spans[buffer].first >= s->first)
    out->made[profile->entries[0].from] += bytes;
  if (s->problem->buffers[buffer].passing && end < out->moments)
    out->made[end] -= bytes; // wraps, and back in the sum
}

static void add_profile(const stow_stream_scheduler *s, size_t buffer,
                        const stow_stream_profile *profile, sums *out) {
  uint64_t size = 0;
  if (!s->problem->buffers[buffer].local)
    add_other(s, buffer, profile, out);
  for (size_t i = 0; i < profile->count && s->problem->buffers[buffer].local; ++i) {
    const stow_stream_alive *now = &profile->entries[i];
    if (now->from >= out->moments)
      break;
    out->alive[now->from] += (uint64_t)(now->end - now->low) - size; // wraps, and back in the sum
    size = (uint64_t)(now->end - now->low);
  }
}

static uint64_t bytes_around(const stow_stream_scheduler *s) {
  uint64_t around = s->crossing[s->first];
  for (size_t i = 0; i < s->touched_count; ++i) {
    const stow_stream_buffer *it = &s->problem->buffers[s->touched[i]];
    if (it->local && s->spans[s->touched[i]].first < s->first)
      around -= stow_stream_taken(s->problem, it->bytes);
  }
  return around;
}

// The peak if rows lie over dead rows wherever they can; as it was where that takes too long.
static bool set_peak_by_rows(stow_stream_scheduler *s, stow_stream_schedule *out) {
  const stow_stream_scope scope = {.problem = s->problem,
                                   .streams = out,
                                   .stream_count = 1,
                                   .first = s->first,
                                   .end = s->first + s->count,
                                   .buffers = s->touched,
                                   .buffer_count = s->touched_count,
                                   .spans = s->spans};
  sums all = {.moments = stow_stream_moments(out)};
  if (all.moments > s->effort)
    return true;
  s->effort -= all.moments;
  all.alive = calloc(all.moments + 1, sizeof *all.alive);
  all.made = calloc(all.moments + 1, sizeof *all.made);
  stow_stream_profile *profiles = calloc(s->touched_count + 1, sizeof *profiles);
  const bool done =
      all.alive && all.made && profiles && stow_stream_find_profiles(&scope, s->index, profiles);
  for (size_t i = 0; i < s->touched_count && done; ++i)
    add_profile(s, s->touched[i], &profiles[i], &all);
  if (done)
    set_largest(s, &all, bytes_around(s), out);
  free(all.alive);
  free(all.made);
  stow_stream_profiles_free(profiles, s->touched_count);
  return done;
}

//===----------------------------------------------------------------------===//
// Traffic
//===----------------------------------------------------------------------===//

static int64_t times_of(const stow_stream_scheduler *s, size_t statement) {
  const int64_t rate = s->orders[statement].rate;
  return (s->problem->statements[s->first + statement].iterations + rate - 1) / rate;
}

// What statements touch again each time that they run; 0 where a cache holds what all touch once.
static double again_in_steps(const stow_stream_scheduler *s) {
  double once = 0, again = 0;
  for (size_t i = 0; i < s->count; ++i) {
    const stow_stream_statement *it = &s->problem->statements[s->first + i];
    for (size_t a = 0; a < it->access_count && stow_stream_in_steps(s, i); ++a) {
      once += (double)it->accesses[a].again;
      again += (double)it->accesses[a].again * (double)(times_of(s, i) - 1);
    }
  }
  return once > STOW_STREAM_CACHE_BYTES ? again : 0;
}

static double bytes_of_rows(const stow_stream_scheduler *s, const stow_stream_statement *it) {
  double bytes = 0;
  for (size_t a = 0; a < it->access_count; ++a)
    if (stow_stream_by_rows(&it->accesses[a]))
      bytes += (double)s->problem->buffers[it->accesses[a].buffer].bytes;
  return bytes;
}

// What statements load again each time for few iterations, which registers could share; 0 where the
// first cache holds it, or rows are more.
static double used_once_in_steps(const stow_stream_scheduler *s) {
  double once = 0, again = 0, rows = 0;
  for (size_t i = 0; i < s->count; ++i) {
    const stow_stream_statement *it = &s->problem->statements[s->first + i];
    if (!stow_stream_in_steps(s, i))
      continue;
    rows += bytes_of_rows(s, it);
    if (s->orders[i].rate >= STOW_STREAM_ROWS_OF_REGISTERS)
      continue;
    once += (double)it->used_once;
    again += (double)it->used_once * (double)(times_of(s, i) - 1);
  }
  return once > STOW_STREAM_FIRST_CACHE_BYTES && again > rows ? again : 0;
}

// A cache holds windows, where it does not hold all rows.
static double spared_by(const stow_stream_scheduler *s, const stow_stream_window *window) {
  const uint64_t bytes = s->problem->buffers[window->buffer].bytes;
  double spared = 0;
  for (int64_t n = s->lists[window->buffer].head; n >= 0; n = s->nodes[n].next)
    spared += bytes > STOW_STREAM_CACHE_BYTES ? (double)bytes : 0;
  return spared;
}

static void set_traffic(const stow_stream_scheduler *s, stow_stream_schedule *out) {
  out->again = again_in_steps(s);
  out->used_once = used_once_in_steps(s);
  out->traffic = out->again + 2 * (double)out->moved_bytes;
  for (size_t i = 0; i < out->window_count; ++i)
    out->traffic -= spared_by(s, &out->windows[i]);
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

static void set_sequence(stow_stream_scheduler *s, bool as_written, stow_stream_schedule *out) {
  out->sequence_count = stow_stream_set_groups(s, as_written, out->sequence);
  for (size_t i = 0; i < out->sequence_count; ++i)
    out->sequence[i] += s->first;
}

#ifndef NDEBUG
static bool is_in_range(const stow_stream_schedule *schedule, const stow_stream_window *window) {
  return 0 <= window->phase && window->phase < window->period && 0 <= window->moved &&
         window->moved < window->kept && window->advance >= 0 && 0 <= window->begin &&
         window->end <= schedule->steps;
}
#endif

// Windows by buffer, orders that the sequence names, moves of windows: each once.
static void assert_schedule(const stow_stream_scheduler *s, const stow_stream_schedule *out) {
  size_t in_steps = 0;
  for (size_t i = 0; i < s->count; ++i) {
    in_steps += stow_stream_in_steps(s, i);
    assert(!stow_stream_in_steps(s, i) ||
           (out->orders[i].rate >= 1 && out->orders[i].period >= 1 && out->orders[i].delay >= 0));
  }
  assert(in_steps == out->sequence_count && out->move_count <= out->window_count);
  for (size_t i = 1; i < out->sequence_count; ++i)
    assert(out->orders[out->sequence[i - 1] - s->first].group <=
           out->orders[out->sequence[i] - s->first].group);
  for (size_t i = 0; i < out->window_count; ++i) {
    assert(is_in_range(out, &out->windows[i]));
    assert(out->windows[i].kept < s->problem->buffers[out->windows[i].buffer].rows);
    assert(i == 0 || out->windows[i - 1].buffer < out->windows[i].buffer);
  }
  (void)in_steps;
}

bool stow_stream_schedule_on(stow_stream_scheduler *s, size_t first, size_t end,
                             const stow_stream_options *options, stow_stream_schedule *out) {
  const bool overlap = options && options->overlap;
  *out = (stow_stream_schedule){.first = first, .end = end};
  s->overlap = overlap;
  if (!stow_stream_read_range(s, first, end))
    return false;
  stow_stream_set_rates(s, options && options->rows > 0 ? options->rows : 1);
  stow_stream_set_inside(s);
  stow_stream_set_delays(s);
  out->orders = calloc(s->count + 1, sizeof *out->orders);
  out->windows = calloc(s->touched_count + 1, sizeof *out->windows);
  out->sequence = calloc(s->count + 1, sizeof *out->sequence);
  out->moves = calloc(s->touched_count + 1, sizeof *out->moves);
  if (!out->orders || !out->windows || !out->sequence || !out->moves)
    return false;
  set_sequence(s, overlap, out);
  memcpy(out->orders, s->orders, s->count * sizeof *out->orders);
  set_steps(s, out);
  set_windows(s, out);
  give_slack(s, options ? options->max_moved : -1, out);
  set_moves(s, overlap, out);
  assert_schedule(s, out);
  set_kept_bytes(s, out);
  set_traffic(s, out);
  set_peak(s, out);
  return !overlap || out->window_count == 0 || set_peak_by_rows(s, out);
}

bool stow_stream_schedule_range(const stow_stream_problem *problem, size_t first, size_t end,
                                const stow_stream_options *options,
                                stow_stream_schedule *out_schedule) {
  stow_stream_scheduler scheduler;
  *out_schedule = (stow_stream_schedule){0};
  const bool done = stow_stream_scheduler_create(problem, &scheduler) &&
                    stow_stream_schedule_on(&scheduler, first, end, options, out_schedule);
  stow_stream_scheduler_free(&scheduler);
  return done;
}

void stow_stream_schedule_free(stow_stream_schedule *schedule) {
  free(schedule->orders);
  free(schedule->windows);
  free(schedule->sequence);
  free(schedule->moves);
  *schedule = (stow_stream_schedule){0};
}

//===----------------------------------------------------------------------===//
// The window of a buffer
//===----------------------------------------------------------------------===//

const stow_stream_window *stow_stream_find_window(const stow_stream_schedule *schedule,
                                                  size_t buffer) {
  const stow_stream_window key = {.buffer = buffer};
  return schedule->window_count == 0
             ? NULL
             : bsearch(&key, schedule->windows, schedule->window_count, sizeof key, by_buffer);
}
