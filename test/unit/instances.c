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
  if (features & INSTANCE_TINY)
    buffer.size = 1 + random_below(random, 4);
  if (features & INSTANCE_ALIGNMENT)
    buffer.alignment = random_below(random, 2)
                           ? UINT64_C(1) << random_below(random, features & INSTANCE_TINY ? 3 : 5)
                           : 0;
  if ((features & INSTANCE_EMPTY) && random_below(random, 12) == 0)
    buffer.size = 0;
  return buffer;
}

static stow_piece random_piece(test_random *random, int64_t begin, int64_t end, uint64_t size) {
  stow_piece piece = {.begin = begin, .end = end};
  if (random_below(random, 2)) {
    piece.high = 1 + random_below(random, size);
    piece.low = random_below(random, 3) ? 0 : random_below(random, piece.high);
  }
  return piece;
}

// Half of those that live long enough get a piece, a hole, which may be empty, and another piece.
static void random_pieces(test_random *random, struct instance *instance, size_t i) {
  const stow_buffer *buffer = &instance->buffers[i];
  size_t *end = &instance->piece_starts[i + 1];
  *end = instance->piece_starts[i];
  if (random_below(random, 2) || buffer->end - buffer->begin < 3 || !buffer->size)
    return;
  const int64_t hole = random_between(random, buffer->begin + 1, buffer->end - 2);
  const int64_t past_hole = random_between(random, hole, buffer->end - 1);
  instance->pieces[(*end)++] = random_piece(random, buffer->begin, hole, buffer->size);
  instance->pieces[(*end)++] = random_piece(random, past_hole, buffer->end, buffer->size);
}

static void random_relations(test_random *random, struct instance *instance, unsigned features) {
  static const unsigned feature_of[] = {INSTANCE_EXCLUSIVE, INSTANCE_COLOCATED,
                                        INSTANCE_MAY_COLOCATE};
  stow_problem *problem = &instance->problem;
  const size_t count = problem->buffer_count;
  for (size_t i = 0; count > 1 && i < 4; ++i) {
    const stow_relation_kind kind = (stow_relation_kind)random_below(random, 3);
    const size_t first = random_below(random, count);
    const size_t second = (first + 1 + random_below(random, count - 1)) % count;
    if (features & feature_of[kind])
      instance->relations[problem->relation_count++] = (stow_relation){kind, first, second};
  }
  problem->relations = instance->relations;
}

static void random_spaces(test_random *random, struct instance *instance) {
  stow_problem *problem = &instance->problem;
  problem->space_count = 2 + random_below(random, MAX_TEST_SPACES - 1);
  problem->spaces = instance->spaces;
  problem->allowed_spaces = instance->allowed;
  for (size_t i = 0; i < problem->space_count; ++i)
    instance->spaces[i] = (stow_space){random_below(random, 3) ? 2 + random_below(random, 10) : 0,
                                       1 + random_below(random, 4)};
  for (size_t i = 0; i < problem->buffer_count; ++i)
    instance->allowed[i] =
        1 + random_below(random, 7) % ((UINT64_C(1) << problem->space_count) - 1);
}

static uint64_t random_fixed(test_random *random, const stow_buffer *buffer, unsigned features) {
  if (random_below(random, 6))
    return STOW_ANY_OFFSET;
  const uint64_t unit = buffer->alignment ? buffer->alignment : 1;
  return random_below(random, features & INSTANCE_TINY ? 8 : 60) / unit * unit;
}

void instance_random(struct instance *out_instance, uint64_t seed, size_t count,
                     unsigned features) {
  test_random random = {seed * 7919 + features};
  memset(out_instance, 0, sizeof *out_instance);
  out_instance->problem = (stow_problem)STOW_PROBLEM(out_instance->buffers, count);
  for (size_t i = 0; i < count; ++i) {
    out_instance->buffers[i] = random_buffer(&random, count, features);
    out_instance->fixed[i] = random_fixed(&random, &out_instance->buffers[i], features);
  }
  if (features & INSTANCE_FIXED)
    out_instance->problem.fixed_offsets = out_instance->fixed;
  if (features & INSTANCE_PIECES) {
    for (size_t i = 0; i < count; ++i)
      random_pieces(&random, out_instance, i);
    out_instance->problem.pieces = out_instance->pieces;
    out_instance->problem.piece_starts = out_instance->piece_starts;
  }
  random_relations(&random, out_instance, features);
  if (features & INSTANCE_SPACES)
    random_spaces(&random, out_instance);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

bool conflict_by_definition(const struct instance *instance, size_t a, size_t b) {
  const stow_buffer *x = &instance->buffers[a], *y = &instance->buffers[b];
  return a != b && x->size && y->size && x->begin < y->end && y->begin < x->end;
}

static stow_piece nth_piece(const struct instance *instance, size_t buffer, size_t n) {
  const stow_buffer *b = &instance->buffers[buffer];
  const size_t *starts = instance->problem.piece_starts;
  const bool has_pieces = starts && starts[buffer] < starts[buffer + 1];
  stow_piece piece = has_pieces ? instance->pieces[starts[buffer] + n]
                                : (stow_piece){b->begin, b->end, 0, b->size};
  piece.high = piece.high ? piece.high : b->size;
  return piece;
}

static size_t count_pieces(const struct instance *instance, size_t buffer) {
  const size_t *starts = instance->problem.piece_starts;
  const size_t count = starts ? starts[buffer + 1] - starts[buffer] : 0;
  return count ? count : 1;
}

bool must_colocate(const struct instance *instance, size_t a, size_t b) {
  bool reached[MAX_BUFFERS] = {false};
  reached[a] = true;
  for (size_t round = 0; round < instance->problem.relation_count; ++round)
    for (size_t i = 0; i < instance->problem.relation_count; ++i) {
      const stow_relation *relation = &instance->relations[i];
      if (relation->kind == STOW_COLOCATED &&
          (reached[relation->first] || reached[relation->second]))
        reached[relation->first] = reached[relation->second] = true;
    }
  return reached[b];
}

static bool may_overlap(const struct instance *instance, size_t a, size_t b, bool same_offset) {
  for (size_t i = 0; i < instance->problem.relation_count; ++i) {
    const stow_relation *relation = &instance->relations[i];
    if (!((relation->first == a && relation->second == b) ||
          (relation->first == b && relation->second == a)))
      continue;
    if (relation->kind == STOW_EXCLUSIVE || (relation->kind == STOW_MAY_COLOCATE && same_offset))
      return true;
  }
  return must_colocate(instance, a, b);
}

bool clash_by_definition(const struct instance *instance, size_t a, uint64_t a_offset, size_t b,
                         uint64_t b_offset) {
  if (must_colocate(instance, a, b) && a_offset != b_offset)
    return true;
  if (!instance->buffers[a].size || !instance->buffers[b].size)
    return false;
  for (size_t i = 0; i < count_pieces(instance, a); ++i)
    for (size_t k = 0; k < count_pieces(instance, b); ++k) {
      const stow_piece x = nth_piece(instance, a, i), y = nth_piece(instance, b, k);
      if (x.begin < y.end && y.begin < x.end && a_offset + x.low < b_offset + y.high &&
          b_offset + y.low < a_offset + x.high)
        return !may_overlap(instance, a, b, a_offset == b_offset);
    }
  return false;
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

bool alone_by_definition(const struct instance *instance, const uint64_t *offsets, size_t i) {
  const stow_buffer *buffer = &instance->buffers[i];
  const uint64_t *fixed = instance->problem.fixed_offsets;
  if (buffer->alignment && offsets[i] % buffer->alignment)
    return false;
  return !fixed || fixed[i] == STOW_ANY_OFFSET || fixed[i] == offsets[i];
}

bool valid_by_definition(const struct instance *instance, const uint64_t *offsets,
                         uint64_t arena_size) {
  bool valid = arena_by_definition(instance, offsets) <= arena_size;
  for (size_t i = 0; i < instance->problem.buffer_count && valid; ++i) {
    valid = alone_by_definition(instance, offsets, i);
    for (size_t j = 0; j < i && valid; ++j)
      valid = !clash_by_definition(instance, i, offsets[i], j, offsets[j]);
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
