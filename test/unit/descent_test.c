//===- descent_test.c - minimising against fitting ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever tries smaller and smaller capacities with some effort each should not end
// below what minimising finds with the effort of one. Effort is counted in steps, so
// the answers are the same on every machine.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "packings.h"

#include <stdlib.h>

enum { EFFORT = 60000000, BUFFERS = 96, FIRST_SEED = 7036, PAST_SEED = 7079, STEPS = 4 };

static stow_plan_result plan(const packing *tight, uint64_t capacity, uint64_t effort,
                             uint64_t *offsets) {
  const stow_plan_options options = {.capacity = capacity, .max_effort = effort};
  const stow_problem problem = STOW_PROBLEM(tight->buffers, tight->count);
  stow_plan_result result;
  stow_fault fault = {STOW_FAULT_NONE, 0, 0};
  if (CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK) && result.arena_size &&
      CHECK_EQ(stow_verify(&problem, offsets, result.arena_size, &fault), STOW_OK))
    CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  return result;
}

static void check_no_smaller(const packing *tight, uint64_t capacity, uint64_t *offsets) {
  const stow_plan_result fitted = plan(tight, capacity, EFFORT, offsets);
  test_note("%s, capacity %" PRIu64, tight->family, capacity);
  CHECK(fitted.outcome == STOW_UNKNOWN || fitted.outcome == STOW_INFEASIBLE);
}

// The bound, what a plan is known for, some between it and the smallest found, and one less.
static void check_capacities(const packing *tight, const stow_plan_result *least,
                             uint64_t *offsets) {
  const uint64_t gap = least->arena_size - least->lower_bound;
  if (tight->capacity < least->arena_size)
    check_no_smaller(tight, tight->capacity, offsets);
  for (uint64_t i = 0; i < STEPS && gap; ++i)
    check_no_smaller(tight, least->lower_bound + gap * i / STEPS, offsets);
  if (gap)
    check_no_smaller(tight, least->arena_size - 1, offsets);
}

static void minimising_is_no_worse_than_fitting(void) {
  unsigned open = 0;
  for (uint64_t seed = FIRST_SEED; seed < PAST_SEED; seed += TEST_STEP) {
    packing tight;
    if (!CHECK(packing_make(seed, BUFFERS, &tight)))
      return;
    uint64_t *offsets = calloc(tight.count, sizeof *offsets);
    const stow_plan_result least = plan(&tight, 0, EFFORT, offsets);
    open += least.arena_size > least.lower_bound;
    check_capacities(&tight, &least, offsets);
    test_note(NULL);
    free(offsets);
    free(tight.buffers);
  }
  CHECK(open > 0);
}

// Nothing is alive between this one's two parts. The lower of them takes no effort from the higher.
static void the_highest_part_is_lowered(void) {
  packing tight;
  if (!CHECK(packing_make(7036, BUFFERS, &tight)))
    return;
  uint64_t *offsets = calloc(tight.count, sizeof *offsets);
  CHECK(plan(&tight, 0, EFFORT / 3, offsets).arena_size <= tight.capacity);
  free(offsets);
  free(tight.buffers);
}

TEST_MAIN(TEST(minimising_is_no_worse_than_fitting), TEST(the_highest_part_is_lowered))
