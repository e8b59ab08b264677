//===- memory_test.c - every allocation may fail --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "instances.h"

#include <stdlib.h>

// An allocator whose n-th allocation fails, and that keeps the balance of bytes.
struct meter {
  size_t calls, fail_at, live_bytes;
};

static void *metered(void *user, void *block, size_t old_size, size_t new_size) {
  struct meter *meter = user;
  CHECK_EQ(block == NULL, old_size == 0);
  if (new_size == 0) {
    meter->live_bytes -= old_size;
    free(block);
    return NULL;
  }
  if (++meter->calls == meter->fail_at)
    return NULL;
  void *grown = realloc(block, new_size);
  meter->live_bytes += new_size - old_size;
  return grown;
}

static stow_status plan_with(struct meter *meter, const struct instance *instance,
                             stow_strategy strategy, uint64_t capacity) {
  const stow_allocator allocator = {metered, meter};
  stow_plan_options options = {.strategy = strategy, .allocator = &allocator, .max_effort = 200000};
  uint64_t offsets[MAX_BUFFERS];
  uint32_t spaces[MAX_BUFFERS];
  unsigned char culprits[MAX_BUFFERS];
  options.out_spaces = spaces;
  options.out_culprits = culprits;
  options.capacity = instance->problem.space_count ? 0 : capacity;
  stow_plan_result result;
  return stow_plan(&instance->problem, &options, offsets, &result);
}

static void fail_each(const struct instance *instance, stow_strategy strategy, uint64_t capacity) {
  struct meter meter = {.fail_at = SIZE_MAX};
  CHECK_EQ(plan_with(&meter, instance, strategy, capacity), STOW_OK);
  CHECK_EQ(meter.live_bytes, 0);
  const size_t calls = meter.calls;
  CHECK(calls > 0);
  for (size_t n = 1; n <= calls; n += 1 + n / 300) {
    meter = (struct meter){.fail_at = n};
    CHECK_EQ(plan_with(&meter, instance, strategy, capacity), STOW_NO_MEMORY);
    CHECK_EQ(meter.live_bytes, 0);
  }
}

static void the_nth_allocation_fails(void) {
  for (uint64_t seed = 0; seed < 20; seed += 1 + TEST_STEP / 4) {
    struct instance instance;
    instance_random(&instance, seed, 3 + 2 * seed, seed % 2 ? INSTANCE_ALIGNMENT : 0);
    for (stow_strategy s = STOW_AUTO; s < STOW_STRATEGY_COUNT; ++s) {
      test_note("seed %" PRIu64 " %s", seed, stow_strategy_name(s));
      fail_each(&instance, s, 0);
    }
  }
}

static void the_nth_allocation_fails_with_features(void) {
  for (uint64_t seed = 0; seed < 64; seed += TEST_STEP) {
    struct instance instance;
    const unsigned features = INSTANCE_TINY | INSTANCE_PIECES | INSTANCE_EXCLUSIVE |
                              INSTANCE_COLOCATED | INSTANCE_MAY_COLOCATE;
    instance_random(&instance, seed, 3 + seed % 2, features | (seed % 4 ? 0 : INSTANCE_SPACES));
    test_note("seed %" PRIu64, seed);
    fail_each(&instance, STOW_AUTO, 2 + seed % 8);
  }
}

TEST_MAIN(TEST(the_nth_allocation_fails_with_features), TEST(the_nth_allocation_fails))
