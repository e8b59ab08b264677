//===- instances.h - small problems and what is true of them --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems and slow answers straight from the definition, to hold the
// planner's against.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TEST_UNIT_INSTANCES_H
#define STOWAGE_TEST_UNIT_INSTANCES_H

#include "check.h"
#include "stowage/plan.h"

enum { MAX_BUFFERS = 60, MAX_PIECES = 3 * MAX_BUFFERS, MAX_RELATIONS = 8, MAX_TEST_SPACES = 3 };

// What a random instance may have beyond size and life.
enum {
  INSTANCE_ALIGNMENT = 1,
  INSTANCE_FIXED = 2,
  INSTANCE_EMPTY = 4,
  INSTANCE_ALL = 7,
  INSTANCE_PIECES = 8,     // lives with holes, and parts of buffers
  INSTANCE_EXCLUSIVE = 16, // pairs of each kind
  INSTANCE_COLOCATED = 32,
  INSTANCE_MAY_COLOCATE = 64,
  INSTANCE_SPACES = 128,
  INSTANCE_TINY = 256, // sizes of a few bytes, for brute force
};

struct instance {
  stow_problem problem;
  stow_buffer buffers[MAX_BUFFERS];
  uint64_t fixed[MAX_BUFFERS];
  stow_piece pieces[MAX_PIECES];
  size_t piece_starts[MAX_BUFFERS + 1];
  stow_relation relations[MAX_RELATIONS];
  stow_space spaces[MAX_TEST_SPACES];
  uint64_t allowed[MAX_BUFFERS];
};

void instance_random(struct instance *out_instance, uint64_t seed, size_t count, unsigned features);

// Whether two buffers may not share bytes.
bool conflict_by_definition(const struct instance *instance, size_t a, size_t b);

// Whether they may not lie at these two offsets of one space.
bool clash_by_definition(const struct instance *instance, size_t a, uint64_t a_offset, size_t b,
                         uint64_t b_offset);

// Whether they must start at one offset, by way of others perhaps.
bool must_colocate(const struct instance *instance, size_t a, size_t b);

// Whether the buffer may lie at its offset at all.
bool alone_by_definition(const struct instance *instance, const uint64_t *offsets, size_t buffer);

// The arena of a plan, and the first pair of indices that breaks it, if any.
uint64_t arena_by_definition(const struct instance *instance, const uint64_t *offsets);
bool valid_by_definition(const struct instance *instance, const uint64_t *offsets,
                         uint64_t arena_size);

void load_by_definition(const struct instance *instance, uint64_t *out_load, int64_t *out_point);

// The smallest arena of any plan, or UINT64_MAX where there is none. Tries every order.
uint64_t optimum_by_definition(const struct instance *instance);

#endif // STOWAGE_TEST_UNIT_INSTANCES_H
