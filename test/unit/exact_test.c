//===- exact_test.c - answers against brute force -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "brute.h"
#include "check.h"

#include <string.h>

static stow_plan_options thorough(void) {
  return (stow_plan_options){.strategy = STOW_AUTO, .max_effort = 50000000};
}

static void check_optimum(const struct instance *instance, const stow_plan_options *options,
                          uint64_t optimum) {
  uint64_t offsets[MAX_BUFFERS];
  stow_plan_result result;
  stow_fault fault;
  if (!CHECK_EQ(stow_plan(&instance->problem, options, offsets, &result), STOW_OK))
    return;
  CHECK_EQ(result.outcome, optimum == UINT64_MAX ? STOW_INFEASIBLE : STOW_OPTIMAL);
  if (result.outcome == STOW_INFEASIBLE)
    return;
  CHECK_EQ(result.arena_size, optimum);
  CHECK_EQ(stow_verify(&instance->problem, offsets, result.arena_size, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  CHECK(valid_by_definition(instance, offsets, result.arena_size));
}

static void plain_equals_all_orders(void) {
  const stow_plan_options options = thorough();
  for (uint64_t seed = 0; seed < 10000; seed += TEST_STEP) {
    struct instance instance;
    instance_random(&instance, seed, 1 + seed % 7, seed % 2 ? INSTANCE_ALL : 0);
    test_note("seed %" PRIu64, seed);
    check_optimum(&instance, &options, optimum_by_definition(&instance));
  }
}

static void nine_buffers_equal_all_orders(void) {
  const stow_plan_options options = thorough();
  for (uint64_t seed = 0; seed < 40; seed += TEST_STEP) {
    struct instance instance;
    instance_random(&instance, seed, 8 + seed % 2, seed % 4 ? 0 : INSTANCE_ALIGNMENT);
    test_note("seed %" PRIu64, seed);
    check_optimum(&instance, &options, optimum_by_definition(&instance));
  }
}

static unsigned everything(const struct instance *instance) {
  return (1u << instance->problem.buffer_count) - 1;
}

// Every set of features in turn, every number of buffers up to nine.
static void features_equal_brute_force(void) {
  const stow_plan_options options = thorough();
  for (uint64_t seed = 0; seed < 10000; seed += TEST_STEP) {
    struct instance instance;
    const unsigned features = INSTANCE_TINY | (seed % 128);
    instance_random(&instance, seed, 1 + seed / 128 % 9, features);
    test_note("seed %" PRIu64, seed);
    check_optimum(&instance, &options, optimum_by_brute_force(&instance, everything(&instance)));
  }
}

// The first may start with either of the others, of which never the same bytes are alive together.
static void parts_that_lie_apart_start_together(void) {
  const stow_buffer buffers[] = {{.size = 2, .begin = 0, .end = 3},
                                 {.size = 3, .begin = 0, .end = 3},
                                 {.size = 3, .begin = 2, .end = 5}};
  const size_t starts[] = {0, 0, 2, 4};
  const stow_piece pieces[] = {{0, 1, 0, 0}, {2, 3, 1, 2}, {2, 3, 0, 1}, {4, 5, 0, 0}};
  const stow_relation relations[] = {{STOW_MAY_COLOCATE, 0, 1}, {STOW_MAY_COLOCATE, 0, 2}};
  stow_problem problem = STOW_PROBLEM(buffers, 3);
  problem.piece_starts = starts;
  problem.pieces = pieces;
  problem.relation_count = 2;
  problem.relations = relations;
  const stow_plan_options options = thorough();
  uint64_t offsets[3];
  stow_plan_result result;
  CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
  CHECK_EQ(result.arena_size, 3);
  CHECK_EQ(result.outcome, STOW_OPTIMAL);
}

// Alignments of 1 to 4 or, where `least` is 2, of 2 to 8.
static void align(struct instance *instance, uint64_t seed, uint64_t least) {
  test_random random = {seed};
  for (size_t i = 0; i < instance->problem.buffer_count; ++i)
    instance->buffers[i].alignment = least << random_below(&random, 3);
}

// Where the optimum is above the load, padding is the reason nearly always, and the bound knows it
// half of the time.
static void bound_is_below_optimum(void) {
  unsigned above = 0, reached = 0;
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    struct instance instance;
    instance_random(&instance, seed, 3 + seed % 5, INSTANCE_TINY);
    align(&instance, seed, 1);
    uint64_t load, bound;
    int64_t point;
    const uint64_t optimum = optimum_by_definition(&instance);
    load_by_definition(&instance, &load, &point);
    test_note("seed %" PRIu64, seed);
    CHECK_EQ(stow_lower_bound(&instance.problem, &bound), STOW_OK);
    CHECK(load <= bound && bound <= optimum);
    above += optimum > load;
    reached += optimum > load && bound == optimum;
  }
  test_note(NULL);
  CHECK(above > 100 / TEST_STEP && reached > above / 3);
}

static void bound_of_pieces_is_below_optimum(void) {
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    struct instance instance;
    const unsigned features =
        INSTANCE_TINY | INSTANCE_PIECES | (seed % 4 ? 0 : INSTANCE_COLOCATED | INSTANCE_EXCLUSIVE);
    instance_random(&instance, seed, 2 + seed % 4, features);
    align(&instance, seed, 2);
    uint64_t bound;
    const uint64_t optimum = optimum_by_brute_force(&instance, everything(&instance));
    test_note("seed %" PRIu64, seed);
    CHECK_EQ(stow_lower_bound(&instance.problem, &bound), STOW_OK);
    CHECK(bound <= optimum);
  }
}

static void rules_change_nothing(void) {
  for (uint64_t seed = 0; seed < 60; seed += TEST_STEP) {
    struct instance instance;
    const unsigned features = seed % 2 ? INSTANCE_TINY | INSTANCE_PIECES | INSTANCE_EXCLUSIVE |
                                             INSTANCE_COLOCATED | INSTANCE_ALIGNMENT
                                       : INSTANCE_ALL;
    instance_random(&instance, seed, 2 + seed % 4, features);
    const uint64_t optimum = seed % 2 ? optimum_by_brute_force(&instance, everything(&instance))
                                      : optimum_by_definition(&instance);
    for (unsigned off = 0; off < 1u << STOW_RULE_COUNT; ++off) {
      stow_plan_options options = thorough();
      options.strategy = off % 2 ? STOW_EXACT : STOW_AUTO;
      options.rules_off = off;
      test_note("seed %" PRIu64 " rules off %x", seed, off);
      check_optimum(&instance, &options, optimum);
    }
  }
}

static void capacity_equals_optimum(void) {
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    struct instance instance;
    instance_random(&instance, seed, 2 + seed % 5, seed % 2 ? INSTANCE_ALL : 0);
    const uint64_t optimum = optimum_by_definition(&instance);
    uint64_t offsets[MAX_BUFFERS];
    stow_plan_result result;
    test_note("seed %" PRIu64, seed);
    for (uint64_t capacity = optimum > 2 ? optimum - 2 : 1;
         optimum != UINT64_MAX && capacity < optimum + 2; ++capacity) {
      stow_plan_options options = thorough();
      options.capacity = capacity;
      CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &result), STOW_OK);
      CHECK_EQ(result.outcome == STOW_INFEASIBLE, capacity < optimum);
      CHECK(result.outcome == STOW_INFEASIBLE || result.arena_size <= capacity);
    }
  }
}

// What is left has no plan, and has one without any one of its buffers.
static void check_culprits(const struct instance *instance, const unsigned char *culprits,
                           uint64_t capacity) {
  unsigned set = 0;
  for (size_t i = 0; i < instance->problem.buffer_count; ++i)
    set |= (unsigned)culprits[i] << i;
  const bool several = instance->problem.space_count > 1;
  for (size_t i = 0; i <= instance->problem.buffer_count; ++i) {
    const bool all = i == instance->problem.buffer_count;
    const unsigned kept = all ? set : set & ~(1u << i);
    if (!all && kept == set)
      continue;
    const bool fits = several ? cost_by_brute_force(instance, kept) != UINT64_MAX
                              : fits_by_brute_force(instance, kept, capacity);
    CHECK_EQ(fits, !all);
  }
}

static void check_spaces(const struct instance *instance) {
  const uint64_t cost = cost_by_brute_force(instance, everything(instance));
  uint64_t offsets[MAX_BUFFERS], sizes[MAX_TEST_SPACES], total = 0;
  uint32_t spaces[MAX_BUFFERS];
  unsigned char culprits[MAX_BUFFERS];
  stow_plan_options options = thorough();
  options.out_spaces = spaces;
  options.out_space_sizes = sizes;
  options.out_culprits = culprits;
  stow_plan_result result;
  stow_fault fault;
  CHECK_EQ(stow_plan(&instance->problem, &options, offsets, &result), STOW_OK);
  CHECK_EQ(result.outcome, cost == UINT64_MAX ? STOW_INFEASIBLE : STOW_OPTIMAL);
  if (result.outcome == STOW_INFEASIBLE && CHECK_EQ(result.culprits_irreducible, 1))
    check_culprits(instance, culprits, 0);
  if (result.outcome != STOW_OPTIMAL)
    return;
  CHECK_EQ(result.cost, cost);
  CHECK_EQ(stow_verify_spaces(&instance->problem, offsets, spaces, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  for (size_t i = 0; i < instance->problem.space_count; ++i)
    total += sizes[i] * instance->spaces[i].cost;
  CHECK_EQ(total, cost);
}

// In each of many layers a small buffer lives long, others come and go beside it, and at its end
// one begins that lives beside a large one. The memory without cost has room for one: it must be
// that.
static void a_space_without_cost_holds_what_is_at_the_peak(void) {
  enum { LAYERS = 40, EACH = 6, COUNT = EACH * LAYERS };
  static stow_buffer buffers[COUNT];
  static uint64_t allowed[COUNT], offsets[COUNT];
  static uint32_t spaces[COUNT];
  for (int64_t i = 0; i < LAYERS; ++i) {
    const int64_t begin = 30 * i;
    stow_buffer *layer = buffers + EACH * i;
    layer[0] = (stow_buffer){100, 4, begin, begin + 20};
    layer[1] = (stow_buffer){100, 4, begin + 19, begin + 30};
    layer[2] = (stow_buffer){500, 4, begin + 20, begin + 30};
    for (int64_t more = 0; more < 3; ++more)
      layer[3 + more] = (stow_buffer){60, 4, begin + 2 + 5 * more, begin + 8 + 5 * more};
  }
  for (size_t i = 0; i < COUNT; ++i)
    allowed[i] = 3;
  const stow_space memories[] = {{.cost = 1}, {.capacity = 100}};
  uint64_t sizes[2];
  stow_problem problem = STOW_PROBLEM(buffers, COUNT);
  problem.spaces = memories;
  problem.space_count = 2;
  problem.allowed_spaces = allowed;
  const stow_plan_options options = {
      .max_effort = 100000, .out_spaces = spaces, .out_space_sizes = sizes};
  stow_plan_result result;
  stow_fault fault;
  CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
  CHECK_EQ(stow_verify_spaces(&problem, offsets, spaces, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  CHECK_EQ(sizes[0], 500);
}

static void spaces_equal_brute_force(void) {
  for (uint64_t seed = 0; seed < 10000; seed += soak_step(5)) {
    struct instance instance;
    const unsigned features = INSTANCE_TINY | INSTANCE_SPACES | (seed % 128);
    instance_random(&instance, seed, 1 + seed / 128 % 9, features);
    test_note("seed %" PRIu64, seed);
    check_spaces(&instance);
  }
}

// A capacity just too small, of instances of all kinds.
static void culprits_are_irreducible(void) {
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    struct instance instance;
    instance_random(&instance, seed, 2 + seed / 128 % 8, INSTANCE_TINY | (seed % 128));
    const uint64_t optimum = optimum_by_brute_force(&instance, everything(&instance));
    if (optimum < 2)
      continue;
    unsigned char culprits[MAX_BUFFERS];
    uint64_t offsets[MAX_BUFFERS];
    stow_plan_options options = thorough();
    options.capacity = optimum == UINT64_MAX ? 0 : optimum - 1;
    options.out_culprits = culprits;
    stow_plan_result result;
    test_note("seed %" PRIu64, seed);
    CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &result), STOW_OK);
    CHECK_EQ(result.outcome, STOW_INFEASIBLE);
    if (CHECK_EQ(result.culprits_irreducible, 1))
      check_culprits(&instance, culprits, options.capacity ? options.capacity : BRUTE_BYTES);
  }
}

static void plan_twice(const struct instance *instance, stow_plan_options options) {
  uint64_t one[MAX_BUFFERS], other[MAX_BUFFERS];
  uint32_t one_spaces[MAX_BUFFERS], other_spaces[MAX_BUFFERS];
  stow_plan_result one_result, other_result;
  const size_t count = instance->problem.buffer_count;
  memset(one, 0, sizeof one);
  memset(other, 0, sizeof other);
  memset(one_spaces, 0, sizeof one_spaces);
  memset(other_spaces, 0, sizeof other_spaces);
  options.out_spaces = one_spaces;
  CHECK_EQ(stow_plan(&instance->problem, &options, one, &one_result), STOW_OK);
  options.out_spaces = other_spaces;
  for (options.threads = 1; options.threads < 9; options.threads += 3) {
    CHECK_EQ(stow_plan(&instance->problem, &options, other, &other_result), STOW_OK);
    CHECK(memcmp(one, other, count * sizeof *one) == 0);
    CHECK(memcmp(one_spaces, other_spaces, count * sizeof *one_spaces) == 0);
    CHECK_EQ(other_result.effort, one_result.effort);
    CHECK_EQ(other_result.outcome, one_result.outcome);
    CHECK_EQ(other_result.lower_bound, one_result.lower_bound);
  }
}

static void threads_change_nothing(void) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 30 + seed, 0);
    test_note("seed %" PRIu64, seed);
    plan_twice(&instance, (stow_plan_options){.strategy = STOW_EXACT, .max_effort = 20000000});
    plan_twice(&instance, (stow_plan_options){.max_effort = 5000000});
  }
  for (uint64_t seed = 0; seed < 256; seed += TEST_STEP) {
    struct instance instance;
    instance_random(&instance, seed, 12 + seed % 20, seed);
    test_note("seed %" PRIu64 " with features", seed);
    plan_twice(&instance, (stow_plan_options){.max_effort = 300000});
  }
}

static int stop_at_once(void *user, const stow_progress *progress) {
  ++*(unsigned *)user;
  CHECK(progress->effort <= progress->max_effort);
  return 1;
}

static void progress_stops_with_a_plan(void) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 40, 0);
    unsigned calls = 0;
    uint64_t offsets[MAX_BUFFERS];
    const stow_plan_options options = {.progress = stop_at_once, .progress_user = &calls};
    stow_plan_result result;
    CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &result), STOW_OK);
    CHECK_EQ(calls, 1);
    CHECK_EQ(result.stopped, 1);
    CHECK(result.outcome == STOW_FEASIBLE || result.outcome == STOW_OPTIMAL);
    CHECK(valid_by_definition(&instance, offsets, result.arena_size));
  }
}

// A search that ends without an answer says so; one without limit ends with an answer.
static void effort_has_an_end(void) {
  struct instance instance;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    instance_random(&instance, seed, 40, 0);
    uint64_t offsets[MAX_BUFFERS];
    stow_plan_options options = {.max_effort = 1};
    stow_plan_result result, unlimited;
    test_note("seed %" PRIu64, seed);
    CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &result), STOW_OK);
    CHECK_EQ(result.exhausted, result.outcome == STOW_FEASIBLE);
    options =
        (stow_plan_options){.max_effort = STOW_UNLIMITED_EFFORT, .capacity = result.arena_size};
    CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &unlimited), STOW_OK);
    CHECK(unlimited.outcome == STOW_FEASIBLE || unlimited.outcome == STOW_OPTIMAL);
    CHECK_EQ(unlimited.exhausted, 0);
  }
  test_note(NULL);
}

static int stop_late(void *user, const stow_progress *progress) {
  CHECK_EQ(progress->max_effort, STOW_UNLIMITED_EFFORT);
  return progress->effort > *(uint64_t *)user;
}

// Pairs that may start at one offset have more plans than a little effort looks at; attempts with
// more of it go on until the callback ends them, and keep the best.
static void attempts_go_on(void) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 40, INSTANCE_MAY_COLOCATE | INSTANCE_EXCLUSIVE);
    uint64_t offsets[MAX_BUFFERS], end = 10000000;
    const stow_plan_options options = {
        .max_effort = STOW_UNLIMITED_EFFORT, .progress = stop_late, .progress_user = &end};
    stow_plan_result result;
    test_note("seed %" PRIu64, seed);
    CHECK_EQ(stow_plan(&instance.problem, &options, offsets, &result), STOW_OK);
    CHECK(result.outcome == STOW_OPTIMAL || result.stopped);
    CHECK(valid_by_definition(&instance, offsets, result.arena_size));
  }
  test_note(NULL);
}

TEST_MAIN(TEST(plain_equals_all_orders), TEST(nine_buffers_equal_all_orders),
          TEST(parts_that_lie_apart_start_together), TEST(features_equal_brute_force),
          TEST(bound_is_below_optimum), TEST(bound_of_pieces_is_below_optimum),
          TEST(rules_change_nothing), TEST(capacity_equals_optimum), TEST(spaces_equal_brute_force),
          TEST(a_space_without_cost_holds_what_is_at_the_peak), TEST(culprits_are_irreducible),
          TEST(threads_change_nothing), TEST(progress_stops_with_a_plan), TEST(effort_has_an_end),
          TEST(attempts_go_on))
