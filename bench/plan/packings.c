//===- packings.c - hard small problems with a known answer ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "packings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct rectangle {
  int64_t begin, end;
  uint64_t low, high;
};

struct maker {
  uint64_t random;
  struct rectangle *all;
  size_t count, wanted;
  uint64_t height;
};

static uint64_t next(struct maker *make) {
  uint64_t value = make->random += UINT64_C(0x9e3779b97f4a7c15);
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

static uint64_t between(struct maker *make, uint64_t least, uint64_t most) {
  return least + next(make) % (most - least + 1);
}

static void add(struct maker *make, struct rectangle rectangle) {
  make->all[make->count++] = rectangle;
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

// Of some drawn at random the one with the largest area, so that few become tiny.
static struct rectangle *draw(struct maker *make, unsigned draws) {
  struct rectangle *best = NULL;
  uint64_t best_area = 0;
  for (unsigned i = 0; i < draws; ++i) {
    struct rectangle *drawn = &make->all[next(make) % make->count];
    const uint64_t area = (uint64_t)(drawn->end - drawn->begin) * (drawn->high - drawn->low);
    if (best && area <= best_area)
      continue;
    best = drawn;
    best_area = area;
  }
  return best;
}

// Cuts at a multiple of `step`. False where there is none inside.
static bool cut_time(struct maker *make, struct rectangle *it, int64_t step) {
  const int64_t first = it->begin / step + 1, last = (it->end - 1) / step;
  if (first > last)
    return false;
  struct rectangle other = *it;
  it->end = other.begin = (int64_t)between(make, (uint64_t)first, (uint64_t)last) * step;
  add(make, other);
  return true;
}

static bool cut_bytes(struct maker *make, struct rectangle *it, uint64_t step) {
  const uint64_t first = it->low / step + 1, last = (it->high - 1) / step;
  if (first > last)
    return false;
  struct rectangle other = *it;
  it->high = other.low = between(make, first, last) * step;
  add(make, other);
  return true;
}

// Five rectangles: four around one in the middle.
static bool cut_pinwheel(struct maker *make, struct rectangle *it, int64_t time_step,
                         uint64_t byte_step) {
  const struct rectangle w = *it;
  const uint64_t times = (uint64_t)((w.end - w.begin) / time_step) / 3;
  const uint64_t rows = (w.high - w.low) / byte_step / 3;
  if (!times || !rows || times * rows < 2)
    return false;
  const int64_t left = w.begin + (int64_t)between(make, 1, times) * time_step;
  const int64_t right = w.end - (int64_t)between(make, 1, times) * time_step;
  const uint64_t low = w.low + between(make, 1, rows) * byte_step;
  const uint64_t high = w.high - between(make, 1, rows) * byte_step;
  *it = (struct rectangle){left, right, low, high};
  add(make, (struct rectangle){w.begin, right, w.low, low});
  add(make, (struct rectangle){right, w.end, w.low, high});
  add(make, (struct rectangle){left, w.end, high, w.high});
  add(make, (struct rectangle){w.begin, left, low, w.high});
  return true;
}

static void cut_all(struct maker *make, unsigned draws, int64_t time_step, uint64_t byte_step,
                    unsigned pinwheels_of_8) {
  for (size_t failures = 0; make->count < make->wanted && failures < 1000;) {
    struct rectangle *it = draw(make, draws);
    const bool done = next(make) % 8 < pinwheels_of_8 ? cut_pinwheel(make, it, time_step, byte_step)
                      : next(make) % 2                ? cut_time(make, it, time_step)
                                                      : cut_bytes(make, it, byte_step);
    failures = done ? 0 : failures + 1;
  }
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static void begin(struct maker *make, int64_t width, uint64_t height) {
  make->height = height;
  add(make, (struct rectangle){0, width, 0, height});
}

static void cut_straight(struct maker *make) {
  begin(make, 1024, 1024);
  cut_all(make, 2, 1, 1, 0);
}

static void cut_around(struct maker *make) {
  begin(make, 2048, 4096);
  cut_all(make, 3, 1, 1, 4);
}

static void cut_on_grid(struct maker *make) {
  const uint64_t step = between(make, 32, 128);
  begin(make, 64 * (int64_t)between(make, 24, 48), step * between(make, 24, 48));
  cut_all(make, 3, 64, step, 3);
}

static void cut_aligned(struct maker *make) {
  begin(make, 1024, 16384);
  cut_all(make, 2, 1, 64, 1);
}

// First strips of time and of bytes, then each kind is cut along its length only.
static void cut_long_and_fat(struct maker *make) {
  begin(make, 4096, 65536);
  const size_t whole = make->wanted;
  make->wanted = whole / 6 + 2;
  cut_all(make, 4, 1, 16, 0);
  make->wanted = whole;
  for (size_t failures = 0; make->count < whole && failures < 1000;) {
    struct rectangle *it = draw(make, 3);
    const bool is_long = (it->begin ^ (int64_t)(it->low / 16)) & 1;
    const bool done = is_long ? cut_bytes(make, it, 16) : cut_time(make, it, 1);
    failures = done ? 0 : failures + 1;
  }
}

// A range of bytes as tiles of equal size, the last one smaller, each with one to three lives: what
// is loaded, computed, stored.
static void add_tiles(struct maker *make, struct rectangle range, uint64_t tile) {
  for (uint64_t low = range.low; low < range.high; low += tile) {
    const uint64_t high = low + tile < range.high ? low + tile : range.high;
    const int64_t lives = (int64_t)between(make, 1, 3), width = range.end - range.begin;
    for (int64_t i = 0; i < lives; ++i)
      add(make, (struct rectangle){range.begin + width * i / lives,
                                   range.begin + width * (i + 1) / lives, low, high});
  }
}

// Ranges of bytes, each for a time of its own, are weights or tiles of one of four sizes.
static void cut_phases(struct maker *make) {
  enum { SLOTS = 24, PHASE = 12, SIZES = 4 };
  uint64_t sizes[SIZES];
  const uint64_t slot = 8 * between(make, 24, 64);
  int64_t free_from[SLOTS] = {0};
  make->height = SLOTS * slot;
  for (unsigned i = 0; i < SIZES; ++i)
    sizes[i] = 8 * between(make, 12, 120);
  for (int64_t now = 0; make->count < make->wanted; now += PHASE)
    for (uint64_t i = 0; i < SLOTS; ++i) {
      if (free_from[i] > now)
        continue;
      const uint64_t most = between(make, 1, 8);
      uint64_t many = 1;
      while (many < most && i + many < SLOTS && free_from[i + many] <= now)
        ++many;
      const bool weights = next(make) % 3 == 0;
      const int64_t end = now + PHASE * (int64_t)between(make, 1, weights ? 9 : 3);
      const struct rectangle range = {now, end, i * slot, (i + many) * slot};
      for (uint64_t k = i; k < i + many; ++k)
        free_from[k] = end;
      if (weights)
        add(make, range);
      else
        add_tiles(make, range, sizes[next(make) % SIZES]);
    }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static const struct {
  const char *name;
  void (*make)(struct maker *);
} families[] = {
#define PACKING_ROW(NAME, FUNCTION, HELP) {NAME, FUNCTION},
    PACKING_FAMILIES(PACKING_ROW)
#undef PACKING_ROW
};

// Takes away up to a tenth of them, and shuffles the rest.
static void make_holes(struct maker *make) {
  const uint64_t per_mille = next(make) % 3 ? between(make, 0, 100) : 0;
  size_t kept = 0;
  for (size_t i = 0; i < make->count; ++i)
    if (next(make) % 1000 >= per_mille)
      make->all[kept++] = make->all[i];
  make->count = kept;
  for (size_t i = kept; i > 1; --i) {
    struct rectangle *const drawn = &make->all[next(make) % i], swapped = *drawn;
    *drawn = make->all[i - 1];
    make->all[i - 1] = swapped;
  }
}

// With `odd`, the largest alignment of 16 to 64 that the offset has, and a size it rounds up.
static stow_buffer buffer_of(struct maker *make, const struct rectangle *it, bool odd) {
  stow_buffer buffer = {.size = it->high - it->low, .begin = it->begin, .end = it->end};
  if (!odd)
    return buffer;
  buffer.alignment = (uint64_t)16 << between(make, 0, 2);
  buffer.size -= between(make, 0, 15);
  return buffer;
}

int packing_make(uint64_t seed, size_t count, packing *out_packing) {
  struct maker make = {.random = seed};
  const size_t family = seed % PACKING_FAMILY_COUNT;
  make.wanted = count ? count : between(&make, 40, 250);
  make.all = calloc(make.wanted + 400, sizeof *make.all);
  out_packing->buffers = calloc(make.wanted + 400, sizeof *out_packing->buffers);
  out_packing->family = families[family].name;
  if (!make.all || !out_packing->buffers)
    return 0;
  families[family].make(&make);
  make_holes(&make);
  out_packing->count = make.count;
  out_packing->capacity = make.height;
  for (size_t i = 0; i < make.count; ++i)
    out_packing->buffers[i] =
        buffer_of(&make, &make.all[i], strcmp(families[family].name, "aligned") == 0);
  free(make.all);
  return 1;
}
