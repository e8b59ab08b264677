//===- overlap.c - streams whose rows lie over each other -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

// Whether no more is in use than before, with buffers that are not local.
static bool fits_heap(const choice *c) {
  return c->places.count > 0 && c->places.bytes <= c->cut.most_bytes;
}

// The better one, in `best`.
static void take_better(choice *best, choice *other) {
  const choice kept = *best;
  if (!fits_heap(other) || (fits_heap(best) && other->places.bytes >= best->places.bytes))
    return;
  *best = *other, *other = kept;
}

static bool place(const stow_stream_problem *problem, const bool *asked, choice *c) {
  return stow_stream_place_buffers(problem, c->cut.streams, c->cut.stream_count, asked, &c->places);
}

bool stow_stream_overlap(const stow_stream_problem *problem, const stow_stream_options *options,
                         const bool *asked, stow_stream_cut *cut, stow_stream_places *out_places) {
  choice best = {*cut, {0}}, anew = {0}, by_rows = {0};
  const bool done = place(problem, asked, &best) &&
                    schedule_anew(problem, options, cut, &anew.cut) &&
                    place(problem, asked, &anew) && cut_anew(problem, options, &by_rows.cut) &&
                    place(problem, asked, &by_rows);
  if (done) {
    take_better(&best, &anew);
    take_better(&best, &by_rows);
  }
  if (!fits_heap(&best))
    stow_stream_places_free(&best.places);
  *cut = best.cut, *out_places = best.places;
  free_choice(&anew), free_choice(&by_rows);
  return done;
}
