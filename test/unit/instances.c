//===- instances.c - small problems and what is true of them --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instances.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static stow_buffer random_buffer(test_random *random, size_t count, unsigned features) {
  const int64_t span = (int64_t)count + 2;
  const int64_t begin = random_between(random, -span, span);
  stow_buffer buffer = {.size = 1 + random_below(random, 30),
                        .begin = begin,
                        .end = begin + random_between(random, 1, span)};
  if (features & INSTANCE_ALIGNMENT)
    buffer.alignment = random_below(random, 2) ? UINT64_C(1) << random_below(random, 5) : 0;
  if ((features & INSTANCE_EMPTY) && random_below(random, 12) == 0)
    buffer.size = 0;
  return buffer;
}

static uint64_t random_fixed(test_random *random, const stow_buffer *buffer) {
  if (random_below(random, 6))
    return STOW_ANY_OFFSET;
  const uint64_t unit = buffer->alignment ? buffer->alignment : 1;
  return random_below(random, 60) / unit * unit;
}

void instance_random(struct instance *out_instance, uint64_t seed, size_t count,
                     unsigned features) {
  test_random random = {seed * 7919 + features};
  memset(out_instance, 0, sizeof *out_instance);
  out_instance->problem = (stow_problem)STOW_PROBLEM(out_instance->buffers, count);
  for (size_t i = 0; i < count; ++i) {
    out_instance->buffers[i] = random_buffer(&random, count, features);
    out_instance->fixed[i] = random_fixed(&random, &out_instance->buffers[i]);
  }
  if (features & INSTANCE_FIXED)
    out_instance->problem.fixed_offsets = out_instance->fixed;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

bool conflict_by_definition(const struct instance *instance, size_t a, size_t b) {
  const stow_buffer *x = &instance->buffers[a], *y = &instance->buffers[b];
  return a != b && x->size && y->size && x->begin < y->end && y->begin < x->end;
}

static bool meet(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
  return a < b + b_size && b < a + a_size;
}

uint64_t arena_by_definition(const struct instance *instance, const uint64_t *offsets) {
  uint64_t arena_size = 0;
  for (size_t i = 0; i < instance->problem.buffer_count; ++i) {
    const uint64_t end = offsets[i] + instance->buffers[i].size;
    arena_size = end > arena_size ? end : arena_size;
  }
  return arena_size;
}

static bool alone_by_definition(const struct instance *instance, const uint64_t *offsets,
                                size_t i) {
  const stow_buffer *buffer = &instance->buffers[i];
  const uint64_t *fixed = instance->problem.fixed_offsets;
  if (buffer->alignment && offsets[i] % buffer->alignment)
    return false;
  return !fixed || fixed[i] == STOW_ANY_OFFSET || fixed[i] == offsets[i];
}

bool valid_by_definition(const struct instance *instance, const uint64_t *offsets,
                         uint64_t arena_size) {
  const stow_buffer *buffers = instance->buffers;
  bool valid = arena_by_definition(instance, offsets) <= arena_size;
  for (size_t i = 0; i < instance->problem.buffer_count && valid; ++i) {
    valid = alone_by_definition(instance, offsets, i);
    for (size_t j = 0; j < i && valid; ++j)
      valid = !conflict_by_definition(instance, i, j) ||
              !meet(offsets[i], buffers[i].size, offsets[j], buffers[j].size);
  }
  return valid;
}

void load_by_definition(const struct instance *instance, uint64_t *out_load, int64_t *out_point) {
  *out_load = 0;
  *out_point = 0;
  for (size_t i = 0; i < instance->problem.buffer_count; ++i) {
    const int64_t point = instance->buffers[i].begin;
    uint64_t load = 0;
    for (size_t j = 0; j < instance->problem.buffer_count; ++j)
      if (instance->buffers[j].begin <= point && point < instance->buffers[j].end)
        load += instance->buffers[j].size;
    if (load > *out_load || (load == *out_load && load && point < *out_point)) {
      *out_load = load;
      *out_point = point;
    }
  }
}

//===----------------------------------------------------------------------===//
// The optimum
//===----------------------------------------------------------------------===//
//
// Some plan of least arena arises by placing the buffers in some order, each at the lowest offset
// where it fits beside those before it: push any optimal plan down, then take the order of offsets.
// Fixed buffers come first and stay.

struct orders {
  const struct instance *instance;
  uint64_t offsets[MAX_BUFFERS];
  bool placed[MAX_BUFFERS];
  uint64_t best;
};

static bool fits(const struct orders *orders, size_t i, uint64_t offset) {
  const struct instance *instance = orders->instance;
  for (size_t j = 0; j < instance->problem.buffer_count; ++j)
    if (orders->placed[j] && conflict_by_definition(instance, i, j) &&
        meet(offset, instance->buffers[i].size, orders->offsets[j], instance->buffers[j].size))
      return false;
  return true;
}

static uint64_t lowest(const struct orders *orders, size_t i) {
  const uint64_t alignment = orders->instance->buffers[i].alignment;
  const uint64_t unit = alignment ? alignment : 1;
  uint64_t offset = 0;
  while (!fits(orders, i, offset))
    offset += unit;
  return offset;
}

static void try_orders(struct orders *orders, uint64_t arena_size) {
  bool complete = true;
  if (arena_size >= orders->best)
    return;
  for (size_t i = 0; i < orders->instance->problem.buffer_count; ++i) {
    if (orders->placed[i])
      continue;
    complete = false;
    orders->offsets[i] = lowest(orders, i);
    const uint64_t end = orders->offsets[i] + orders->instance->buffers[i].size;
    orders->placed[i] = true;
    try_orders(orders, end > arena_size ? end : arena_size);
    orders->placed[i] = false;
  }
  if (complete)
    orders->best = arena_size;
}

uint64_t optimum_by_definition(const struct instance *instance) {
  struct orders orders = {.instance = instance, .best = UINT64_MAX};
  uint64_t arena_size = 0;
  for (size_t i = 0; i < instance->problem.buffer_count; ++i) {
    const uint64_t *fixed = instance->problem.fixed_offsets;
    if (!fixed || fixed[i] == STOW_ANY_OFFSET)
      continue;
    if (!fits(&orders, i, fixed[i]))
      return UINT64_MAX;
    orders.offsets[i] = fixed[i];
    orders.placed[i] = true;
    const uint64_t end = fixed[i] + instance->buffers[i].size;
    arena_size = end > arena_size ? end : arena_size;
  }
  try_orders(&orders, arena_size);
  return orders.best;
}
