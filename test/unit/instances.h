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

enum { MAX_BUFFERS = 60 };

// What a random instance may have beyond size and life.
enum {
  INSTANCE_ALIGNMENT = 1,
  INSTANCE_FIXED = 2,
  INSTANCE_EMPTY = 4,
  INSTANCE_ALL = 7,
};

struct instance {
  stow_problem problem;
  stow_buffer buffers[MAX_BUFFERS];
  uint64_t fixed[MAX_BUFFERS];
};

void instance_random(struct instance *out_instance, uint64_t seed, size_t count, unsigned features);

// Whether two buffers may not share bytes.
bool conflict_by_definition(const struct instance *instance, size_t a, size_t b);

// The arena of a plan, and the first pair of indices that breaks it, if any.
uint64_t arena_by_definition(const struct instance *instance, const uint64_t *offsets);
bool valid_by_definition(const struct instance *instance, const uint64_t *offsets,
                         uint64_t arena_size);

void load_by_definition(const struct instance *instance, uint64_t *out_load, int64_t *out_point);

// The smallest arena of any plan, or UINT64_MAX where there is none. Tries every order.
uint64_t optimum_by_definition(const struct instance *instance);

#endif // STOWAGE_TEST_UNIT_INSTANCES_H
