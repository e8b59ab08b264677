//===- verify_test.c - planted faults are found ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "instances.h"

static stow_fault verify(const stow_problem *problem, const uint64_t *offsets, uint64_t arena) {
  stow_fault fault;
  CHECK_EQ(stow_verify(problem, offsets, arena, &fault), STOW_OK);
  return fault;
}

static void each_kind_of_fault(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 4, .alignment = 8},
                                 {.size = 8, .begin = 3, .end = 5},
                                 {.size = 8, .begin = 4, .end = 9}};
  const uint64_t fixed[] = {STOW_ANY_OFFSET, 8, STOW_ANY_OFFSET};
  stow_problem problem = STOW_PROBLEM(buffers, 3);
  problem.fixed_offsets = fixed;
  CHECK_EQ(verify(&problem, (uint64_t[]){0, 8, 0}, 16).kind, STOW_FAULT_NONE);
  CHECK_EQ(verify(&problem, (uint64_t[]){0, 8, 0}, 15).kind, STOW_FAULT_ARENA_SIZE);
  CHECK_EQ(verify(&problem, (uint64_t[]){0, 8, 0}, 15).first, 1);
  CHECK_EQ(verify(&problem, (uint64_t[]){4, 8, 0}, 16).kind, STOW_FAULT_ALIGNMENT);
  CHECK_EQ(verify(&problem, (uint64_t[]){0, 9, 0}, 17).kind, STOW_FAULT_FIXED);
  CHECK_EQ(verify(&problem, (uint64_t[]){0, 8, UINT64_MAX}, UINT64_MAX).kind,
           STOW_FAULT_ARENA_SIZE);
  const stow_fault fault = verify(&problem, (uint64_t[]){0, 8, 1}, 16);
  CHECK_EQ(fault.kind, STOW_FAULT_OVERLAP);
  CHECK_EQ(fault.first, 1);
  CHECK_EQ(fault.second, 2);
}

static void missing_offsets_are_invalid(void) {
  const stow_buffer buffer = {.size = 1, .begin = 0, .end = 1};
  const stow_problem problem = STOW_PROBLEM(&buffer, 1);
  stow_fault fault;
  CHECK_EQ(stow_verify(&problem, NULL, 1, &fault), STOW_INVALID);
}

// Random offsets, most of them wrong somewhere: the verdict is the definition's, and a reported
// pair is a true one.
static const unsigned feature_sets[] = {0, INSTANCE_ALL, INSTANCE_ALL | INSTANCE_PIECES,
                                        INSTANCE_PIECES | INSTANCE_EXCLUSIVE | INSTANCE_COLOCATED |
                                            INSTANCE_MAY_COLOCATE};

static void agrees_with_definition(void) {
  unsigned valid_count = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 1 + seed % 7, feature_sets[seed % 4]);
    test_random random = {seed};
    uint64_t offsets[MAX_BUFFERS];
    for (size_t i = 0; i < instance.problem.buffer_count; ++i)
      offsets[i] = random_below(&random, 8) * 16;
    const uint64_t arena_size = 60 + random_below(&random, 90);
    test_note("seed %" PRIu64, seed);
    const bool valid = valid_by_definition(&instance, offsets, arena_size);
    const stow_fault fault = verify(&instance.problem, offsets, arena_size);
    CHECK_EQ(fault.kind == STOW_FAULT_NONE, valid);
    valid_count += valid;
    if (fault.kind == STOW_FAULT_OVERLAP)
      CHECK(fault.first < fault.second &&
            clash_by_definition(&instance, fault.first, offsets[fault.first], fault.second,
                                offsets[fault.second]));
  }
  test_note(NULL);
  CHECK(valid_count > 1000 && valid_count < 19000);
}

// A valid plan, then one buffer pushed by one byte into a neighbour.
static void one_byte_too_far(void) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, MAX_BUFFERS, 0);
    uint64_t offsets[MAX_BUFFERS];
    stow_plan_result result;
    const stow_plan_options options = {.max_effort = 100000};
    CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &result), STOW_OK);
    for (size_t i = 0; i < MAX_BUFFERS; ++i) {
      test_note("seed %" PRIu64 " buffer %zu", seed, i);
      ++offsets[i];
      const bool valid = valid_by_definition(&instance, offsets, UINT64_MAX);
      CHECK_EQ(verify(&instance.problem, offsets, UINT64_MAX).kind == STOW_FAULT_NONE, valid);
      --offsets[i];
    }
  }
}

TEST_MAIN(TEST(each_kind_of_fault), TEST(missing_offsets_are_invalid), TEST(agrees_with_definition),
          TEST(one_byte_too_far))
