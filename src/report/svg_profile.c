//===- svg_profile.c - the profile panel of the SVG picture ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Live bytes as a filled area, the highest offset in use as a line above it. What of it
// is above the lower bound is lost; holes below are not, because the peak needs the
// bytes. Samples that fall into the same quarter of a pixel are drawn as their
// maximum, so the path's length is bounded by the picture.
//
//===----------------------------------------------------------------------===//

#include "svg.h"

#include "profile.h"

#include <stdlib.h>

enum { BUCKET = 25, BUCKETS = STOW_SVG_PLOT / BUCKET };

typedef struct profile_levels {
  uint64_t live[BUCKETS], highest[BUCKETS];
} profile_levels;

static size_t bucket_of(const stow_svg_canvas *canvas, int64_t point) {
  const size_t bucket = (size_t)(stow_report_svg_x(canvas, point) - STOW_SVG_LEFT) / BUCKET;
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static void raise_to(uint64_t *level, uint64_t value) {
  if (*level < value)
    *level = value;
}

static void fill_levels(const stow_svg_canvas *canvas, const stow_profile *profile,
                        profile_levels *drawn) {
  for (size_t i = 0; i + 1 < profile->count; i++) {
    const stow_sample *const sample = &profile->samples[i];
    const size_t first = bucket_of(canvas, sample->point);
    size_t last = bucket_of(canvas, sample[1].point);
    last -=
        last > first && stow_report_svg_x(canvas, sample[1].point) <= STOW_SVG_LEFT + last * BUCKET;
    for (size_t bucket = first; bucket <= last; bucket++) {
      raise_to(&drawn->live[bucket], sample->live);
      raise_to(&drawn->highest[bucket], sample->highest);
    }
  }
}

static uint64_t profile_y(const stow_svg_canvas *canvas, uint64_t bytes) {
  const uint64_t bottom =
      canvas->y + STOW_SVG_HEAD + STOW_SVG_MAP + STOW_SVG_BETWEEN + STOW_SVG_PROFILE;
  const uint64_t shown = bytes < canvas->bounds.top ? bytes : canvas->bounds.top;
  return bottom - stow_report_scale(shown, canvas->bounds.top, STOW_SVG_PROFILE);
}

static void put_coordinate(stow_sink sink, const char *command, uint64_t hundredths) {
  stow_report_put(sink, command);
  stow_report_svg_put_hundredths(sink, hundredths);
}

// The outline of the levels from `base` bytes up.
static void put_steps(const stow_svg_canvas *canvas, const char *class, const uint64_t *levels,
                      uint64_t base) {
  stow_sink sink = canvas->sink;
  STOW_PUT(sink, "<path class=\"", class, "\" d=\"");
  put_coordinate(sink, "M", STOW_SVG_LEFT);
  put_coordinate(sink, " ", profile_y(canvas, base));
  uint64_t drawn = profile_y(canvas, base);
  for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
    const uint64_t y = profile_y(canvas, levels[bucket] > base ? levels[bucket] : base);
    if (y == drawn)
      continue;
    put_coordinate(sink, "H", STOW_SVG_LEFT + bucket * BUCKET);
    put_coordinate(sink, "V", y);
    drawn = y;
  }
  put_coordinate(sink, "H", STOW_SVG_LEFT + STOW_SVG_PLOT);
  put_coordinate(sink, "V", profile_y(canvas, base));
  stow_report_put(sink, "\"/>\n");
}

static void put_point_axis(const stow_svg_canvas *canvas) {
  const stow_canvas *const bounds = &canvas->bounds;
  const uint64_t width = stow_canvas_width(bounds), step = stow_report_tick_points(width, 10);
  const uint64_t y = profile_y(canvas, 0);
  uint64_t at = stow_report_first_tick(bounds, step);
  while (at <= width) {
    const int64_t point = (int64_t)((uint64_t)bounds->begin + at);
    const uint64_t x = stow_report_svg_x(canvas, point);
    stow_report_svg_put_line(canvas->sink, "tick", x, y, x, y + 400);
    stow_report_svg_put_text(canvas->sink, "axis middle", x, y + 1700,
                             stow_report_cell_signed(point).text);
    if (width - at < step)
      break;
    at += step;
  }
  stow_report_svg_put_text(canvas->sink, "axis middle", STOW_SVG_LEFT + STOW_SVG_PLOT / 2, y + 3300,
                           "program order, in points");
  stow_report_svg_put_text_upwards(canvas->sink, "axis middle", 1400, y - STOW_SVG_PROFILE / 2,
                                   "bytes");
}

stow_status stow_report_svg_put_profile(const stow_svg_canvas *canvas) {
  stow_profile profile;
  profile_levels *const drawn = calloc(1, sizeof *drawn);
  const stow_status status = drawn ? stow_profile_make(canvas->arena, &profile) : STOW_NO_MEMORY;
  if (status == STOW_OK) {
    fill_levels(canvas, &profile, drawn);
    put_steps(canvas, "live", drawn->live, 0);
    if (canvas->arena->arena_size > canvas->arena->lower_bound)
      put_steps(canvas, "lost", drawn->highest, canvas->arena->lower_bound);
    put_steps(canvas, "highest", drawn->highest, 0);
    put_point_axis(canvas);
    stow_profile_release(&profile);
  }
  free(drawn);
  return status;
}
