//===- overlap.c - streams whose rows lie over each other -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stowage/stream.h"

#include <stdlib.h>

static void free_streams(stow_stream_schedule *streams, size_t count) {
  for (size_t i = 0; streams && i < count; ++i)
    stow_stream_schedule_free(&streams[i]);
  free(streams);
}

static bool schedule_as_written(const stow_stream_problem *problem,
                                const stow_stream_options *options, const stow_stream_cut *cut,
                                stow_stream_schedule **out) {
  stow_stream_options how = *options;
  how.rows = how.rows > 0 ? how.rows : 1, how.as_written = true;
  *out = calloc(cut->stream_count + 1, sizeof **out);
  for (size_t i = 0; *out && i < cut->stream_count; ++i)
    if (!stow_stream_schedule_range(problem, cut->streams[i].first, cut->streams[i].end, &how,
                                    &(*out)[i]))
      return false;
  return *out != NULL;
}

// Takes the streams and their places where these are fewer bytes.
static void take_better(stow_stream_cut *cut, stow_stream_schedule **streams,
                        stow_stream_places *best, stow_stream_places *places) {
  if (places->bytes >= best->bytes)
    return;
  stow_stream_schedule *kept = cut->streams;
  cut->streams = *streams, *streams = kept;
  stow_stream_places_free(best);
  *best = *places, *places = (stow_stream_places){0};
}

bool stow_stream_overlap(const stow_stream_problem *problem, const stow_stream_options *options,
                         const bool *asked, stow_stream_cut *cut, stow_stream_places *out_places) {
  stow_stream_schedule *streams = NULL;
  stow_stream_places places = {0};
  bool done =
      stow_stream_place_buffers(problem, cut->streams, cut->stream_count, asked, out_places) &&
      schedule_as_written(problem, options, cut, &streams) &&
      stow_stream_place_buffers(problem, streams, cut->stream_count, asked, &places);
  if (done)
    take_better(cut, &streams, out_places, &places);
  stow_stream_places_free(&places);
  free_streams(streams, cut->stream_count);
  return done;
}
