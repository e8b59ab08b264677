//===- shapes.c - instances of several shapes, from a seed ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An instance in the making.
typedef struct maker {
  tool_random random;
  size_t count;
  uint64_t alignment;
  tool_instance *instance;
} maker;

// Adds a buffer named by its number.
static bool add(maker *make, uint64_t size, int64_t begin, int64_t end) {
  char id[24];
  const int length = snprintf(id, sizeof id, "%zu", make->instance->count);
  tool_entry entry = {.buffer = {size, make->alignment, begin, end},
                      .offset = STOW_ANY_OFFSET,
                      .hint = STOW_ANY_OFFSET};
  return tool_instance_text(make->instance, id, (size_t)length, &entry.labels.id) &&
         tool_instance_add(make->instance, &entry);
}

static uint64_t at_least_one(uint64_t value) { return value ? value : 1; }

static bool make_random(maker *make) {
  const uint64_t points = at_least_one(make->count / 5);
  const uint64_t longest = points < 10000 ? points : 10000;
  for (size_t i = 0; i < make->count; i++) {
    const uint64_t size = tool_random_magnitude(&make->random, 64, 1 << 20);
    const uint64_t length = tool_random_magnitude(&make->random, 1, longest);
    const uint64_t begin = tool_random_between(&make->random, 0, points - length);
    if (!add(make, size, (int64_t)begin, (int64_t)(begin + length)))
      return false;
  }
  return true;
}

// Result i is made at point i and read last by one of the next few steps; one in eight is a skip
// connection that lives longer. Sizes drift, as feature maps do.
static bool make_chain(maker *make) {
  uint64_t size = (uint64_t)256 << 10;
  for (size_t i = 0; i < make->count; i++) {
    const bool skip = tool_random_next(&make->random) % 8 == 0;
    const uint64_t last = tool_random_between(&make->random, 1, skip ? 24 : 3);
    if (!add(make, size, (int64_t)i, (int64_t)(i + last + 1)))
      return false;
    const uint64_t drawn = tool_random_magnitude(&make->random, 4096, (uint64_t)4 << 20);
    size = (size * 3 + drawn) / 4 / 64 * 64;
  }
  return true;
}

// Half of the buffers are results of the way forth, needed again on the way back in reverse order;
// the other half are gradients with short lives.
static bool make_training(maker *make) {
  const size_t forth = (make->count + 1) / 2;
  for (size_t i = 0; i < make->count; i++) {
    const uint64_t size = tool_random_magnitude(&make->random, 4096, (uint64_t)8 << 20) / 64 * 64;
    const size_t begin = i, mirrored = 2 * forth - i;
    const uint64_t wait = tool_random_between(&make->random, 2, 4);
    const size_t end = i < forth ? mirrored + 1 : begin + wait;
    if (!add(make, at_least_one(size), (int64_t)begin, (int64_t)end))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// A packing: a rectangle cut again and again
//===----------------------------------------------------------------------===//

typedef struct rectangle {
  uint64_t begin, end, low, high;
} rectangle;

// Cuts the one at `at` in two; the second half becomes the last. False where it is too small.
static bool cut(maker *make, rectangle *all, size_t at, size_t last) {
  rectangle *const first = &all[at], *const second = &all[last];
  const bool across = tool_random_next(&make->random) & 1;
  const uint64_t width = first->end - first->begin, height = first->high - first->low;
  if ((across ? width : height) < 2)
    return false;
  *second = *first;
  if (across)
    first->end = second->begin = first->begin + tool_random_between(&make->random, 1, width - 1);
  else
    first->high = second->low = first->low + tool_random_between(&make->random, 1, height - 1);
  return true;
}

static bool make_packing(maker *make) {
  rectangle *const all = malloc((make->count + 1) * sizeof *all);
  if (!all)
    return false;
  const uint64_t side = at_least_one(make->count) * 64;
  all[0] = (rectangle){0, side, 0, side};
  for (size_t used = 1; used < make->count;)
    used += cut(make, all, tool_random_next(&make->random) % used, used);
  const uint64_t unit = make->alignment > 1 ? make->alignment : 1;
  bool done = true;
  for (size_t i = 0; i < make->count && done; i++)
    done = add(make, (all[i].high - all[i].low) * unit, (int64_t)all[i].begin, (int64_t)all[i].end);
  free(all);
  return done;
}

static const struct {
  const char *name;
  bool (*make)(maker *);
} shapes[] = {
#define TOOL_SHAPE_ROW(NAME, FUNCTION, HELP) {NAME, FUNCTION},
    TOOL_SHAPES(TOOL_SHAPE_ROW)
#undef TOOL_SHAPE_ROW
};

bool tool_make_shape(const char *name, size_t count, uint64_t seed, uint64_t alignment,
                     tool_instance *out_instance, bool *out_known) {
  size_t shape = 0;
  while (shape < sizeof shapes / sizeof *shapes && strcmp(shapes[shape].name, name))
    shape++;
  *out_known = shape < sizeof shapes / sizeof *shapes;
  if (!*out_known)
    return false;
  tool_instance_open(out_instance);
  maker make = {{seed}, count, alignment ? alignment : 1, out_instance};
  const bool done = shapes[shape].make(&make);
  if (!done)
    tool_instance_release(out_instance);
  return done;
}
