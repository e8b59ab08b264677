//===- overlap.c - streams whose rows lie over each other -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stream/limits.h"
#include "stream/schedule.h"

#include <stdlib.h>

// Streams, and where buffers then lie.
typedef struct choice {
  stow_stream_cut cut;
  stow_stream_places places;
} choice;

static void free_choice(choice *c) {
  stow_stream_cut_free(&c->cut);
  stow_stream_places_free(&c->places);
}

// The ranges of a cut, scheduled so that rows may overlap.
static bool schedule_anew(const stow_stream_problem *problem, const stow_stream_options *options,
                          const stow_stream_cut *cut, stow_stream_cut *out) {
  stow_stream_options how = *options;
  how.rows = how.rows > 0 ? how.rows : 1, how.overlap = true;
  *out = (stow_stream_cut){.peak_bytes = cut->peak_bytes,
                           .peak_before = cut->peak_before,
                           .most_bytes = cut->most_bytes};
  out->streams = calloc(cut->stream_count + 1, sizeof *out->streams);
  stow_stream_scheduler scheduler;
  bool done = stow_stream_scheduler_create(problem, &scheduler) && out->streams;
  for (size_t i = 0; i < cut->stream_count && done; ++i) {
    const stow_stream_schedule *as_it_was = &cut->streams[i];
    done = stow_stream_schedule_on(&scheduler, as_it_was->first, as_it_was->end, &how,
                                   &out->streams[out->stream_count++]);
  }
  stow_stream_scheduler_free(&scheduler);
  return done;
}

// Ranges chosen by what rows need.
static bool cut_anew(const stow_stream_problem *problem, const stow_stream_options *options,
                     stow_stream_cut *out) {
  stow_stream_options how = *options;
  how.overlap = true;
  return stow_stream_cut_problem(problem, &how, out);
}

static bool fits_between(const stow_stream_cut *cut, size_t next, const stow_stream_schedule *it) {
  return (next == 0 || cut->streams[next - 1].end <= it->first) &&
         (next == cut->stream_count || it->end <= cut->streams[next].first);
}

static bool place(const stow_stream_problem *problem, const bool *asked, choice *c) {
  return stow_stream_place_buffers(problem, c->cut.streams, c->cut.stream_count, asked, &c->places);
}

// What a cut keeps with one row at a time. More rows cost no byte of its peak, but may leave gaps.
static bool place_with_one_row(const stow_stream_problem *problem,
                               const stow_stream_options *options, const bool *asked,
                               const stow_stream_cut *cut, choice *out) {
  return options->rows > 0 || problem->statement_count > STOW_STREAM_MOST_ONE_ROW ||
         (schedule_anew(problem, options, cut, &out->cut) && place(problem, asked, out));
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

// The better one, in `best`.
static void take_better(choice *best, choice *other) {
  const choice kept = *best;
  if (!fits_heap(other) || (fits_heap(best) && !is_worth_it(best, other)))
    return;
  *best = *other, *other = kept;
}

// The first cut has as few streams as cost nothing without overlaps. With them, what stands between
// its streams may be the worst.
static bool place_joined(const stow_stream_problem *problem, const stow_stream_options *options,
                         const bool *asked, const stow_stream_cut *cut, const stow_stream_cut *more,
                         choice *out) {
  stow_stream_cut ranges;
  bool done = join_ranges(cut, more, &ranges);
  if (done && ranges.stream_count > cut->stream_count)
    done = schedule_anew(problem, options, &ranges, &out->cut) && place(problem, asked, out);
  stow_stream_cut_free(&ranges);
  return done;
}

bool stow_stream_overlap(const stow_stream_problem *problem, const stow_stream_options *options,
                         const bool *asked, stow_stream_cut *cut, stow_stream_places *out_places) {
  choice best = {*cut, {0}}, anew = {0}, by_rows = {0}, one_row = {0}, joined = {0};
  const bool done = place(problem, asked, &best) &&
                    schedule_anew(problem, options, cut, &anew.cut) &&
                    place(problem, asked, &anew) && cut_anew(problem, options, &by_rows.cut) &&
                    place(problem, asked, &by_rows) &&
                    place_with_one_row(problem, options, asked, &by_rows.cut, &one_row) &&
                    place_joined(problem, options, asked, cut, &by_rows.cut, &joined);
  if (done) {
    take_better(&best, &anew);
    take_better(&best, &by_rows);
    take_better(&best, &one_row);
    take_better(&best, &joined);
  }
  if (!fits_heap(&best))
    stow_stream_places_free(&best.places);
  *cut = best.cut, *out_places = best.places;
  free_choice(&anew), free_choice(&by_rows), free_choice(&one_row), free_choice(&joined);
  return done;
}
