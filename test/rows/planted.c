//===- planted.c - stowage-opt that makes one mistake in a stream ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked with stowage-opt's own objects in front of src/stream (the linker's
// --wrap), this changes what src/rows is given. STOWAGE_FAULTS names the kind:
//
//   schedules   a window less one row; a move that is not made, or of a row
//   less; a group of
//               statements one step earlier, or one period
//   places      a buffer or window that lies over others, lower by what memory
//   is given out in
//
// STOWAGE_FAULT is the number of the fault that is made. Without it, none is
// made; all are listed, and whether the checker of src/stream finds them.
// Builds without asserts do not ask it.
//
//     number kind stream what found|passes
//
//===----------------------------------------------------------------------===//

#include "stowage/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool __real_stow_stream_cut_problem(const stow_stream_problem *, const stow_stream_options *,
                                    stow_stream_cut *);
bool __wrap_stow_stream_cut_problem(const stow_stream_problem *, const stow_stream_options *,
                                    stow_stream_cut *);
bool __real_stow_stream_overlap(const stow_stream_problem *, const stow_stream_options *,
                                const bool *, stow_stream_cut *, stow_stream_places *);
bool __wrap_stow_stream_overlap(const stow_stream_problem *, const stow_stream_options *,
                                const bool *, stow_stream_cut *, stow_stream_places *);

// What is broken, for the checker.
typedef struct subject {
  const stow_stream_problem *problem;
  const stow_stream_cut *cut;
  const stow_stream_places *places; // NULL: the stream is checked alone
} subject;

static long faults; // so far, in all blocks

// Counts the fault that was just made, and tells of it. Whether it is to stay.
static bool stays(const subject *it, const char *kind, size_t stream, size_t what) {
  const char *wanted = getenv("STOWAGE_FAULT");
  const long number = faults++;
  if (wanted)
    return strtol(wanted, NULL, 10) == number;
  const stow_stream_verdict verdict =
      it->places ? stow_stream_verify_places(it->problem, it->cut->streams, it->cut->stream_count,
                                             it->places, NULL)
                 : stow_stream_verify(it->problem, &it->cut->streams[stream], NULL);
  fprintf(stderr, "%ld %s %zu %zu %s\n", number, kind, stream, what,
          verdict == STOW_STREAM_BROKEN ? "found" : "passes");
  return false;
}

static bool are_wanted(const char *kind) {
  const char *wanted = getenv("STOWAGE_FAULTS");
  return wanted && strcmp(wanted, kind) == 0;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static bool plant_in_window(const subject *it, size_t stream, stow_stream_window *w) {
  --w->kept;
  if (stays(it, "window", stream, w->buffer))
    return true;
  ++w->kept;
  return false;
}

static bool plant_in_move(const subject *it, stow_stream_schedule *s, size_t stream, size_t move) {
  const size_t window = s->moves[move], after = --s->move_count - move;
  memmove(&s->moves[move], &s->moves[move + 1], after * sizeof *s->moves);
  if (stays(it, "move", stream, s->windows[window].buffer))
    return true;
  memmove(&s->moves[move + 1], &s->moves[move], after * sizeof *s->moves);
  s->moves[move] = window;
  ++s->move_count;
  if (s->windows[window].storage != STOW_STREAM_SHIFT)
    return false;
  --s->windows[window].moved;
  if (stays(it, "moved-row", stream, s->windows[window].buffer))
    return true;
  ++s->windows[window].moved;
  return false;
}

static void delay(stow_stream_schedule *s, size_t group, int64_t by) {
  for (size_t i = 0; i < s->sequence_count; ++i) {
    stow_stream_order *order = &s->orders[s->sequence[i] - s->first];
    if (order->group == group)
      order->delay += by;
  }
}

// `at` is the first of its group in the sequence.
static bool plant_in_group(const subject *it, stow_stream_schedule *s, size_t stream, size_t at,
                           const char *kind, int64_t by) {
  const stow_stream_order *order = &s->orders[s->sequence[at] - s->first];
  if (order->delay < by)
    return false;
  delay(s, order->group, -by);
  if (stays(it, kind, stream, s->sequence[at]))
    return true;
  delay(s, order->group, by);
  return false;
}

// One step earlier, and by as many as lie between two of its turns.
static bool plant_in_delay(const subject *it, stow_stream_schedule *s, size_t stream, size_t at) {
  const int64_t period = s->orders[s->sequence[at] - s->first].period;
  return plant_in_group(it, s, stream, at, "delay", 1) ||
         (period > 1 && plant_in_group(it, s, stream, at, "period", period));
}

static bool begins_group(const stow_stream_schedule *s, size_t at) {
  return at == 0 || s->orders[s->sequence[at] - s->first].group !=
                        s->orders[s->sequence[at - 1] - s->first].group;
}

static bool plant_in_stream(const subject *it, stow_stream_schedule *s, size_t stream) {
  for (size_t i = 0; i < s->window_count; ++i)
    if (plant_in_window(it, stream, &s->windows[i]))
      return true;
  for (size_t i = 0; i < s->move_count; ++i)
    if (plant_in_move(it, s, stream, i))
      return true;
  for (size_t i = 0; i < s->sequence_count; ++i)
    if (begins_group(s, i) && plant_in_delay(it, s, stream, i))
      return true;
  return false;
}

bool __wrap_stow_stream_cut_problem(const stow_stream_problem *problem,
                                    const stow_stream_options *options, stow_stream_cut *cut) {
  const subject it = {problem, cut, NULL};
  if (!__real_stow_stream_cut_problem(problem, options, cut))
    return false;
  bool made = !are_wanted("schedules");
  for (size_t i = 0; i < cut->stream_count && !made; ++i)
    made = plant_in_stream(&it, &cut->streams[i], i);
  return true;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static bool plant_in_place(const subject *it, stow_stream_place *place) {
  const uint64_t kept = place->offset, by = it->problem->alignment;
  if (place->offset < by)
    return false;
  place->offset -= by;
  if (stays(it, "place", 0, place->buffer))
    return true;
  place->offset = kept;
  return false;
}

bool __wrap_stow_stream_overlap(const stow_stream_problem *problem,
                                const stow_stream_options *options, const bool *asked,
                                stow_stream_cut *cut, stow_stream_places *places) {
  const subject it = {problem, cut, places};
  if (!__real_stow_stream_overlap(problem, options, asked, cut, places))
    return false;
  bool made = !are_wanted("places");
  for (size_t i = 0; i < places->count && !made; ++i)
    made = plant_in_place(&it, &places->at[i]);
  return true;
}
