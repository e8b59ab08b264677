//===- overlap.c - streams whose rows lie over each other -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a cut into streams. Makes a few others, by rows and with one row at a time, places the
// buffers of each so that their rows share bytes, and keeps the one with the fewest bytes that is
// worth its traffic.
//
//===----------------------------------------------------------------------===//

#include "stream/limits.h"
#include "stream/schedule.h"

#include <stdlib.h>

// Streams, and where buffers then lie.
typedef struct choice {
  bool made;
  stow_stream_cut cut;
  stow_stream_places places;
} choice;

// What may be chosen, in the order in which it is looked at.
enum { AS_CUT, ANEW, BY_ROWS, ONE_ROW, JOINED, CHOICES };

static void free_choice(choice *c) {
  stow_stream_cut_free(&c->cut);
  stow_stream_places_free(&c->places);
}

// The ranges of a cut, scheduled so that rows may overlap.
static bool schedule_anew(const stow_stream_problem *problem, const stow_stream_options *options,
                          const stow_stream_cut *cut, choice *out) {
  stow_stream_options how = *options;
  how.rows = how.rows > 0 ? how.rows : 1;
  how.overlap = true;
  out->made = true;
  out->cut = (stow_stream_cut){.peak_bytes = cut->peak_bytes,
                               .peak_before = cut->peak_before,
                               .most_bytes = cut->most_bytes};
  out->cut.streams = calloc(cut->stream_count + 1, sizeof *out->cut.streams);
  stow_stream_scheduler scheduler;
  bool done = stow_stream_scheduler_create(problem, &scheduler) && out->cut.streams;
  for (size_t i = 0; i < cut->stream_count && done; ++i) {
    const stow_stream_schedule *as_it_was = &cut->streams[i];
    done = stow_stream_schedule_on(&scheduler, as_it_was->first, as_it_was->end, &how,
                                   &out->cut.streams[out->cut.stream_count++]);
  }
  stow_stream_scheduler_free(&scheduler);
  return done;
}

// Ranges chosen by what rows need.
static bool cut_anew(const stow_stream_problem *problem, const stow_stream_options *options,
                     choice *out) {
  stow_stream_options how = *options;
  how.overlap = true;
  out->made = true;
  return stow_stream_cut_problem(problem, &how, &out->cut);
}

// What a cut keeps with one row at a time. More rows cost no byte of its peak, but may leave gaps.
static bool schedule_one_row(const stow_stream_problem *problem, const stow_stream_options *options,
                             const stow_stream_cut *cut, choice *out) {
  return options->rows > 0 || problem->statement_count > STOW_STREAM_MOST_ONE_ROW ||
         schedule_anew(problem, options, cut, out);
}

static bool fits_between(const stow_stream_cut *cut, size_t next, const stow_stream_schedule *it) {
  return (next == 0 || cut->streams[next - 1].end <= it->first) &&
         (next == cut->stream_count || it->end <= cut->streams[next].first);
}

// The ranges of a cut, and those of another one that lie between them.
static bool join_ranges(const stow_stream_cut *cut, const stow_stream_cut *more,
                        stow_stream_cut *out) {
  *out = *cut;
  out->stream_count = 0;
  out->most_bytes = more->most_bytes < cut->most_bytes ? more->most_bytes : cut->most_bytes;
  out->streams = calloc(cut->stream_count + more->stream_count + 1, sizeof *out->streams);
  for (size_t i = 0, k = 0; out->streams && (i < cut->stream_count || k < more->stream_count);) {
    const stow_stream_schedule *it = &more->streams[k];
    const bool ours =
        k == more->stream_count || (i < cut->stream_count && cut->streams[i].first <= it->first);
    if (!ours && !fits_between(cut, i, it)) {
      ++k;
      continue;
    }
    it = ours ? &cut->streams[i++] : &more->streams[k++];
    out->streams[out->stream_count++] = (stow_stream_schedule){.first = it->first, .end = it->end};
  }
  return out->streams;
}

// Whether no more is in use than before, with buffers that are not local.
static bool fits_heap(const choice *c) {
  return c->places.count > 0 && c->places.bytes <= c->cut.most_bytes;
}

static double traffic_of(const choice *c) {
  double traffic = 0;
  for (size_t i = 0; i < c->cut.stream_count; ++i)
    traffic += c->cut.streams[i].traffic;
  return traffic;
}

static double used_once(const choice *c) {
  double bytes = 0;
  for (size_t i = 0; i < c->cut.stream_count; ++i)
    bytes += c->cut.streams[i].used_once;
  return bytes;
}

// Whether more rows share what is loaded, in a small part of the peak as it was.
static bool shares_more(const choice *one, const choice *other) {
  return used_once(one) < used_once(other) &&
         one->places.bytes <= one->cut.peak_before / STOW_STREAM_PART_FOR_REGISTERS;
}

// Whether the other one saves bytes, and not for more traffic than they are worth.
static bool is_worth_it(const choice *best, const choice *other) {
  const double more = traffic_of(other) - traffic_of(best);
  if (shares_more(best, other) || shares_more(other, best))
    return shares_more(other, best);
  return other->places.bytes < best->places.bytes &&
         more <= STOW_STREAM_PRICE * (double)(best->places.bytes - other->places.bytes);
}

// The bytes in which another one may be better than the best.
static uint64_t most_bytes(const stow_stream_options *options, const choice *best,
                           const choice *other) {
  const uint64_t shared = other->cut.peak_before / STOW_STREAM_PART_FOR_REGISTERS;
  uint64_t most = UINT64_MAX;
  if (fits_heap(best))
    most = best->places.bytes - (best->places.bytes > 0);
  if (used_once(other) < used_once(best) && shared > most)
    most = shared;
  if (options->most_shared > 0 && options->most_shared < most)
    most = options->most_shared;
  return other->cut.most_bytes < most ? other->cut.most_bytes : most;
}

// The first cut has as few streams as cost nothing without overlaps. With them, what stands between
// its streams may be the worst.
static bool schedule_joined(const stow_stream_problem *problem, const stow_stream_options *options,
                            const stow_stream_cut *cut, const stow_stream_cut *more, choice *out) {
  stow_stream_cut ranges;
  bool done = join_ranges(cut, more, &ranges);
  if (done && ranges.stream_count > cut->stream_count)
    done = schedule_anew(problem, options, &ranges, out);
  stow_stream_cut_free(&ranges);
  return done;
}

static bool schedule_all(const stow_stream_problem *problem, const stow_stream_options *options,
                         choice *all) {
  const stow_stream_cut *cut = &all[AS_CUT].cut, *by_rows = &all[BY_ROWS].cut;
  return schedule_anew(problem, options, cut, &all[ANEW]) &&
         cut_anew(problem, options, &all[BY_ROWS]) &&
         schedule_one_row(problem, options, by_rows, &all[ONE_ROW]) &&
         schedule_joined(problem, options, cut, by_rows, &all[JOINED]);
}

// Places what may be better than the best one so far. False: no memory.
static bool place_all(const stow_stream_problem *problem, const stow_stream_options *options,
                      const bool *asked, choice *all, choice **out_best) {
  *out_best = &all[AS_CUT];
  for (choice *it = all; it < all + CHOICES; ++it) {
    if (!it->made)
      continue;
    const uint64_t most = most_bytes(options, *out_best, it);
    if (!stow_stream_place_within(problem, it->cut.streams, it->cut.stream_count, asked, most,
                                  STOW_STREAM_COMPARE_EFFORT, &it->places))
      return false;
    if (fits_heap(it) && (!fits_heap(*out_best) || is_worth_it(*out_best, it)))
      *out_best = it;
  }
  return true;
}

// Places the best one with all effort. False: no memory.
static bool place_best(const stow_stream_problem *problem, const bool *asked, choice *best) {
  stow_stream_places places;
  if (!fits_heap(best))
    return true;
  const bool done =
      stow_stream_place_buffers(problem, best->cut.streams, best->cut.stream_count, asked, &places);
  if (!done || places.bytes >= best->places.bytes) {
    stow_stream_places_free(&places);
    return done;
  }
  stow_stream_places_free(&best->places);
  best->places = places;
  return true;
}

bool stow_stream_overlap(const stow_stream_problem *problem, const stow_stream_options *options,
                         const bool *asked, stow_stream_cut *cut, stow_stream_places *out_places) {
  choice all[CHOICES] = {{.made = true, .cut = *cut}}, *best = &all[AS_CUT];
  const bool done = schedule_all(problem, options, all) &&
                    place_all(problem, options, asked, all, &best) &&
                    place_best(problem, asked, best);
  if (!fits_heap(best))
    stow_stream_places_free(&best->places);
  *cut = best->cut;
  *out_places = best->places;
  for (choice *it = all; it < all + CHOICES; ++it)
    if (it != best)
      free_choice(it);
  return done;
}
