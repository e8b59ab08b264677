//===- stacking_test.c - plans for sizes that are not known yet -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stackings of random plans, placed at the plan's sizes and at others. The verifier of plans says
// whether what is placed is a plan.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "instances.h"
#include "stowage/stacking.h"

#include <stdlib.h>
#include <string.h>

enum { FEATURE_SETS = 4, SIZE_VECTORS = 64 };

// A problem, its plan and the plan's stacking.
struct stacked {
  struct instance instance;
  size_t count;
  uint64_t offsets[MAX_BUFFERS], arena_size;
  stow_stacking stacking;
};

// Pieces are of whole buffers, as a part has no size of its own.
static void forget_parts(struct instance *instance) {
  for (size_t i = 0; i < MAX_PIECES; ++i)
    instance->pieces[i].low = instance->pieces[i].high = 0;
}

static void stack(struct stacked *s, uint64_t seed) {
  static const unsigned features[FEATURE_SETS] = {
      0, INSTANCE_ALIGNMENT | INSTANCE_PIECES, INSTANCE_ALIGNMENT | INSTANCE_EXCLUSIVE,
      INSTANCE_ALIGNMENT | INSTANCE_PIECES | INSTANCE_EXCLUSIVE};
  s->count = seed % 97 % (MAX_BUFFERS + 1);
  instance_random(&s->instance, seed, s->count, features[seed % FEATURE_SETS]);
  forget_parts(&s->instance);
  const stow_plan_options options = {.strategy = (stow_strategy)(seed / 4 % STOW_STRATEGY_COUNT),
                                     .max_effort = 20000};
  stow_plan_result result;
  CHECK_EQ(stow_plan(&s->instance.problem, &options, s->offsets, &result), STOW_OK);
  s->arena_size = result.arena_size;
  CHECK_EQ(stow_stacking_of(&s->instance.problem, s->offsets, &s->stacking), STOW_OK);
}

static bool holds(const struct stacked *s) {
  int answer;
  CHECK_EQ(stow_stacking_verify(&s->instance.problem, &s->stacking, &answer), STOW_OK);
  return answer;
}

// Places the stacking for the sizes that the instance has now, and returns the arena's.
static uint64_t place(const struct stacked *s) {
  uint64_t offsets[MAX_BUFFERS], arena_size;
  stow_fault fault;
  CHECK_EQ(stow_stacking_place(&s->stacking, s->instance.buffers, offsets, &arena_size), STOW_OK);
  CHECK_EQ(arena_size, arena_by_definition(&s->instance, offsets));
  CHECK_EQ(stow_verify(&s->instance.problem, offsets, arena_size, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  return arena_size;
}

//===----------------------------------------------------------------------===//
// Plans for all sizes
//===----------------------------------------------------------------------===//

static void no_larger_than_the_plan(void) {
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    struct stacked s;
    test_note("seed %" PRIu64, seed);
    stack(&s, seed);
    CHECK(place(&s) <= s.arena_size);
    CHECK(holds(&s));
    stow_stacking_free(&s.stacking);
  }
}

static uint64_t random_size(test_random *random, uint64_t unit) {
  switch (random_below(random, 6)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return UINT64_C(1) << random_below(random, 50);
  case 3:
    return unit;
  default:
    return random_below(random, 5000);
  }
}

static void valid_for_all_sizes(void) {
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    struct stacked s;
    test_random random = {seed};
    stack(&s, seed);
    for (size_t vector = 0; vector < SIZE_VECTORS; ++vector) {
      const uint64_t unit = UINT64_C(1) << random_below(&random, 40);
      test_note("seed %" PRIu64 " sizes %zu", seed, vector);
      for (size_t i = 0; i < s.count; ++i) {
        s.instance.buffers[i].size = random_size(&random, unit);
        s.instance.buffers[i].alignment = UINT64_C(1) << random_below(&random, 8);
      }
      place(&s);
    }
    stow_stacking_free(&s.stacking);
  }
}

// Times a factor, every size and every offset.
static void proportional_sizes_scale_the_plan(void) {
  for (uint64_t seed = 0; seed < 1000; seed += TEST_STEP) {
    struct stacked s;
    stack(&s, seed * FEATURE_SETS);
    const uint64_t before = place(&s);
    for (size_t i = 0; i < s.count; ++i)
      s.instance.buffers[i].size *= 1000;
    CHECK_EQ(place(&s), 1000 * before);
    stow_stacking_free(&s.stacking);
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static size_t count_edges(const stow_stacking *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->buffer_count; ++i)
    count += s->below_count[i];
  return count;
}

static void few_edges(void) {
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    struct stacked s;
    test_note("seed %" PRIu64, seed);
    stack(&s, seed * FEATURE_SETS);
    CHECK(count_edges(&s.stacking) <= 3 * s.count);
    stow_stacking_free(&s.stacking);
  }
}

// Whether a pair that is alive together overlaps at some sizes, of many that are tried: all are 1
// but for one.
static bool breaks(struct stacked *s) {
  uint64_t offsets[MAX_BUFFERS], arena_size;
  stow_fault fault = {.kind = STOW_FAULT_NONE};
  for (size_t i = 0; i < s->count; ++i)
    s->instance.buffers[i].size = 1;
  for (size_t i = 0; i < s->count && fault.kind == STOW_FAULT_NONE; ++i) {
    s->instance.buffers[i].size = 100000;
    stow_stacking_place(&s->stacking, s->instance.buffers, offsets, &arena_size);
    stow_verify(&s->instance.problem, offsets, arena_size, &fault);
    s->instance.buffers[i].size = 1;
  }
  return fault.kind != STOW_FAULT_NONE;
}

// Each edge that is kept is needed: without it the verifiers say no, this one and that of plans.
static void every_edge_is_needed(void) {
  for (uint64_t seed = 0; seed < 400; seed += TEST_STEP) {
    struct stacked s;
    stack(&s, seed);
    test_note("seed %" PRIu64, seed);
    for (size_t i = 0; i < s.count; ++i)
      for (size_t e = 0; e < s.stacking.below_count[i]; ++e) {
        size_t *below = s.stacking.below + s.stacking.first_below[i];
        const size_t last = --s.stacking.below_count[i], dropped = below[e];
        below[e] = below[last];
        below[last] = dropped;
        CHECK(!holds(&s));
        CHECK(breaks(&s));
        below[last] = below[e];
        below[e] = dropped;
        ++s.stacking.below_count[i];
      }
    CHECK(holds(&s));
    stow_stacking_free(&s.stacking);
  }
}

// An order in which a buffer comes before one that it lies on, or in which one is missing.
static void wrong_orders(void) {
  for (uint64_t seed = 0; seed < 400; seed += TEST_STEP) {
    struct stacked s;
    stack(&s, seed);
    test_note("seed %" PRIu64, seed);
    const size_t *order = s.stacking.order;
    for (size_t p = 1; p < s.count; ++p) {
      const size_t upper = order[p], lower = order[p - 1];
      const size_t *below = s.stacking.below + s.stacking.first_below[upper];
      bool on_it = false;
      for (size_t e = 0; e < s.stacking.below_count[upper]; ++e)
        on_it |= below[e] == lower;
      s.stacking.order[p] = lower;
      CHECK(!holds(&s));
      s.stacking.order[p - 1] = upper;
      CHECK_EQ(holds(&s), !on_it);
      s.stacking.order[p - 1] = lower;
      s.stacking.order[p] = upper;
    }
    stow_stacking_free(&s.stacking);
  }
}

//===----------------------------------------------------------------------===//
// Exhausted memory
//===----------------------------------------------------------------------===//

// The linker sends this program's allocations here: the n-th may fail.
static struct {
  size_t calls, fail_at;
  int64_t blocks;
} meter = {.fail_at = SIZE_MAX};

void *__real_calloc(size_t count, size_t size); // NOLINT: the linker's names
void *__real_realloc(void *block, size_t size); // NOLINT
void __real_free(void *block);                  // NOLINT
void *__wrap_calloc(size_t count, size_t size); // NOLINT
void *__wrap_realloc(void *block, size_t size); // NOLINT
void __wrap_free(void *block);                  // NOLINT

void *__wrap_calloc(size_t count, size_t size) { // NOLINT
  void *block = ++meter.calls == meter.fail_at ? NULL : __real_calloc(count, size);
  meter.blocks += block != NULL;
  return block;
}

void *__wrap_realloc(void *block, size_t size) { // NOLINT
  void *grown = ++meter.calls == meter.fail_at ? NULL : __real_realloc(block, size);
  meter.blocks += !block && grown;
  return grown;
}

void __wrap_free(void *block) { // NOLINT
  meter.blocks -= block != NULL;
  __real_free(block);
}

static stow_status stack_and_verify(const struct stacked *s) {
  stow_stacking stacking;
  int answer;
  stow_status status = stow_stacking_of(&s->instance.problem, s->offsets, &stacking);
  if (status == STOW_OK)
    status = stow_stacking_verify(&s->instance.problem, &stacking, &answer);
  stow_stacking_free(&stacking);
  return status;
}

static void the_nth_allocation_fails(void) {
  for (uint64_t seed = 1; seed < 200; seed += TEST_STEP) {
    struct stacked s;
    stack(&s, seed);
    const int64_t blocks = meter.blocks;
    meter.calls = 0;
    CHECK_EQ(stack_and_verify(&s), STOW_OK);
    const size_t calls = meter.calls;
    CHECK(calls > 5);
    for (size_t n = 1; n <= calls; ++n) {
      test_note("seed %" PRIu64 " allocation %zu", seed, n);
      meter.calls = 0;
      meter.fail_at = n;
      CHECK_EQ(stack_and_verify(&s), STOW_NO_MEMORY);
      CHECK_EQ(meter.blocks, blocks);
    }
    meter.fail_at = SIZE_MAX;
    stow_stacking_free(&s.stacking);
  }
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static void overflow(void) {
  stow_buffer buffers[] = {{.size = 1, .begin = 0, .end = 2},
                           {.size = 1, .alignment = 64, .begin = 0, .end = 2}};
  const stow_problem problem = STOW_PROBLEM(buffers, 2);
  const uint64_t offsets[] = {0, 64};
  uint64_t placed[2], arena_size;
  stow_stacking s;
  CHECK_EQ(stow_stacking_of(&problem, offsets, &s), STOW_OK);
  buffers[0].size = UINT64_MAX - 63;
  buffers[1].size = 62;
  CHECK_EQ(stow_stacking_place(&s, buffers, placed, &arena_size), STOW_OK);
  CHECK_EQ(arena_size, UINT64_MAX - 1);
  buffers[1].size = 64;
  CHECK_EQ(stow_stacking_place(&s, buffers, placed, &arena_size), STOW_OVERFLOW);
  buffers[0].size = UINT64_MAX - 10;
  buffers[1].size = 0; // rounded up to the alignment
  CHECK_EQ(stow_stacking_place(&s, buffers, placed, &arena_size), STOW_OVERFLOW);
  stow_stacking_free(&s);
}

static void nothing_to_stack(void) {
  const stow_problem problem = STOW_PROBLEM(NULL, 0);
  stow_stacking s;
  uint64_t arena_size;
  int answer;
  CHECK_EQ(stow_stacking_of(&problem, NULL, &s), STOW_OK);
  CHECK_EQ(stow_stacking_place(&s, NULL, NULL, &arena_size), STOW_OK);
  CHECK_EQ(arena_size, 0);
  CHECK_EQ(stow_stacking_verify(&problem, &s, &answer), STOW_OK);
  CHECK(answer);
  stow_stacking_free(&s);
}

static stow_status try_stack(const struct instance *instance) {
  static const uint64_t offsets[MAX_BUFFERS];
  stow_stacking s;
  int answer;
  const stow_status status = stow_stacking_of(&instance->problem, offsets, &s);
  if (status == STOW_OK)
    stow_stacking_free(&s);
  else
    CHECK_EQ(stow_stacking_verify(&instance->problem, &s, &answer), status);
  return status;
}

static void refused(void) {
  struct instance instance;
  instance_random(&instance, 1, 6, INSTANCE_FIXED);
  CHECK_EQ(try_stack(&instance), STOW_INVALID);
  instance_random(&instance, 1, 6, INSTANCE_SPACES);
  CHECK_EQ(try_stack(&instance), STOW_INVALID);
  instance_random(&instance, 1, 6, 0);
  instance.relations[0] = (stow_relation){STOW_COLOCATED, 0, 1};
  instance.problem.relation_count = 1;
  CHECK_EQ(try_stack(&instance), STOW_INVALID);
  instance.relations[0].kind = STOW_MAY_COLOCATE;
  CHECK_EQ(try_stack(&instance), STOW_INVALID);
  instance.relations[0].kind = STOW_EXCLUSIVE;
  CHECK_EQ(try_stack(&instance), STOW_OK);
}

static void too_many_buffers(void) {
  const size_t count = STOW_STACKING_MOST_BUFFERS + 1;
  stow_buffer *buffers = calloc(count, sizeof *buffers);
  uint64_t *offsets = calloc(count, sizeof *offsets);
  for (size_t i = 0; i < count; ++i)
    buffers[i] = (stow_buffer){.size = 1, .begin = (int64_t)i, .end = (int64_t)i + 1};
  const stow_problem problem = STOW_PROBLEM(buffers, count);
  stow_stacking s;
  CHECK_EQ(stow_stacking_of(&problem, offsets, &s), STOW_INVALID);
  free(buffers);
  free(offsets);
}

TEST_MAIN(TEST(no_larger_than_the_plan), TEST(valid_for_all_sizes),
          TEST(proportional_sizes_scale_the_plan), TEST(few_edges), TEST(every_edge_is_needed),
          TEST(wrong_orders), TEST(the_nth_allocation_fails), TEST(overflow),
          TEST(nothing_to_stack), TEST(refused), TEST(too_many_buffers))
