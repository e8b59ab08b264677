//===- plan_test.c - the planner by its header ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "instances.h"

#include <stdlib.h>
#include <string.h>

static stow_plan_options with_strategy(stow_strategy strategy) {
  return (stow_plan_options){
      .struct_size = sizeof(stow_plan_options), .strategy = strategy, .max_effort = 1000000};
}

//===----------------------------------------------------------------------===//
// Small cases worked out by hand
//===----------------------------------------------------------------------===//

static void empty_problem_is_optimal(void) {
  const stow_problem problem = STOW_PROBLEM(NULL, 0);
  stow_plan_result result;
  CHECK_EQ(stow_plan(&problem, NULL, NULL, &result), STOW_OK);
  CHECK_EQ(result.outcome, STOW_OPTIMAL);
  CHECK_EQ(result.arena_size, 0);
}

static void disjoint_lives_share(void) {
  const stow_buffer buffers[] = {{.size = 4096, .begin = 0, .end = 2},
                                 {.size = 4096, .begin = 2, .end = 4}};
  const stow_problem problem = STOW_PROBLEM(buffers, 2);
  uint64_t offsets[2];
  stow_plan_result result;
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_OK);
  CHECK_EQ(result.arena_size, 4096);
  CHECK_EQ(result.lower_bound, 4096);
  CHECK_EQ(result.outcome, STOW_OPTIMAL);
  CHECK_EQ(offsets[0], 0);
  CHECK_EQ(offsets[1], 0);
}

static void empty_buffers_take_nothing(void) {
  const stow_buffer buffers[] = {{.size = 0, .begin = 0, .end = 9},
                                 {.size = 8, .begin = 0, .end = 9, .alignment = 8}};
  const stow_problem problem = STOW_PROBLEM(buffers, 2);
  uint64_t offsets[2], load;
  stow_plan_result result;
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_OK);
  CHECK_EQ(result.arena_size, 8);
  CHECK_EQ(stow_load(&problem, &load, NULL), STOW_OK);
  CHECK_EQ(load, 8);
}

static void extreme_times_are_fine(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = INT64_MIN, .end = INT64_MAX},
                                 {.size = 4, .begin = INT64_MIN, .end = -1},
                                 {.size = 4, .begin = -1, .end = INT64_MAX}};
  const stow_problem problem = STOW_PROBLEM(buffers, 3);
  for (stow_strategy s = STOW_AUTO; s < STOW_STRATEGY_COUNT; ++s) {
    const stow_plan_options options = with_strategy(s);
    uint64_t offsets[3];
    stow_plan_result result;
    CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
    CHECK_EQ(result.arena_size, 12);
  }
}

static void bound_counts_common_padding(void) {
  const stow_buffer buffers[] = {{.size = 10, .begin = 0, .end = 4, .alignment = 16},
                                 {.size = 20, .begin = 0, .end = 4, .alignment = 16},
                                 {.size = 33, .begin = 2, .end = 3, .alignment = 32}};
  const stow_problem problem = STOW_PROBLEM(buffers, 3);
  uint64_t bound, load;
  int64_t point;
  CHECK_EQ(stow_lower_bound(&problem, &bound), STOW_OK);
  CHECK_EQ(bound, 16 + 32 + 48 - 15);
  CHECK_EQ(stow_load(&problem, &load, &point), STOW_OK);
  CHECK_EQ(load, 63);
  CHECK_EQ(point, 2);
}

static void bound_counts_padding_of_some(void) {
  const stow_buffer buffers[] = {{.size = 9, .alignment = 8, .end = 1},
                                 {.size = 9, .alignment = 8, .end = 1},
                                 {.size = 1, .alignment = 1, .end = 2}};
  const stow_problem problem = STOW_PROBLEM(buffers, 3);
  uint64_t bound;
  CHECK_EQ(stow_lower_bound(&problem, &bound), STOW_OK);
  CHECK_EQ(bound, 25);
}

// Two halves, each of its own buffer, make a whole: what begins inside of a buffer is not aligned.
static void bound_of_pieces_has_no_padding(void) {
  const stow_buffer buffers[] = {{.size = 8, .alignment = 8, .end = 4},
                                 {.size = 8, .alignment = 8, .end = 4}};
  const stow_piece pieces[] = {{0, 4, 4, 8}, {0, 4, 0, 4}};
  const size_t starts[] = {0, 1, 2};
  stow_problem problem = STOW_PROBLEM(buffers, 2);
  problem.pieces = pieces;
  problem.piece_starts = starts;
  const stow_plan_options options = {.capacity = 8};
  uint64_t offsets[2];
  stow_plan_result result;
  CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
  CHECK_EQ(result.outcome, STOW_OPTIMAL);
  CHECK_EQ(result.arena_size, 8);
}

static void load_point_is_the_first(void) {
  const stow_buffer buffers[] = {{.size = 5, .begin = 3, .end = 9},
                                 {.size = 5, .begin = 7, .end = 20},
                                 {.size = 10, .begin = 30, .end = 31}};
  const stow_problem problem = STOW_PROBLEM(buffers, 3);
  uint64_t load;
  int64_t point;
  CHECK_EQ(stow_load(&problem, &load, &point), STOW_OK);
  CHECK_EQ(load, 10);
  CHECK_EQ(point, 7);
}

//===----------------------------------------------------------------------===//
// Malformed input
//===----------------------------------------------------------------------===//

static stow_status status_of(const stow_problem *problem, const stow_plan_options *options) {
  uint64_t offsets[8];
  stow_plan_result result;
  memset(&result, 0xff, sizeof result);
  const stow_status status = stow_plan(problem, options, offsets, &result);
  if (status != STOW_OK) {
    const stow_plan_result zero = {0};
    CHECK(memcmp(&result, &zero, sizeof zero) == 0);
  }
  return status;
}

static stow_status status_of_buffer(stow_buffer buffer) {
  const stow_problem problem = STOW_PROBLEM(&buffer, 1);
  uint64_t number;
  stow_fault fault;
  const uint64_t offset = 0;
  const stow_status status = status_of(&problem, NULL);
  CHECK_EQ(stow_lower_bound(&problem, &number), status);
  CHECK_EQ(stow_load(&problem, &number, NULL), status);
  CHECK_EQ(stow_verify(&problem, &offset, UINT64_MAX, &fault), status);
  return status;
}

static void malformed_buffers_are_invalid(void) {
  CHECK_EQ(status_of_buffer((stow_buffer){.size = 1, .begin = 0, .end = 1}), STOW_OK);
  CHECK_EQ(status_of_buffer((stow_buffer){.size = 1, .begin = 1, .end = 1}), STOW_INVALID);
  CHECK_EQ(status_of_buffer((stow_buffer){.size = 1, .begin = 2, .end = 1}), STOW_INVALID);
  CHECK_EQ(status_of_buffer((stow_buffer){.size = 0, .begin = 2, .end = 1}), STOW_INVALID);
  CHECK_EQ(status_of_buffer((stow_buffer){.size = 1, .end = 1, .alignment = 3}), STOW_INVALID);
}

static void malformed_structs_are_invalid(void) {
  const stow_buffer buffer = {.size = 1, .begin = 0, .end = 1};
  stow_problem problem = STOW_PROBLEM(&buffer, 1);
  stow_plan_options options = {.strategy = STOW_STRATEGY_COUNT};
  stow_allocator allocator = {NULL, NULL};
  CHECK_EQ(status_of(NULL, NULL), STOW_INVALID);
  CHECK_EQ(status_of(&problem, &options), STOW_INVALID);
  options = (stow_plan_options){.struct_size = 3};
  CHECK_EQ(status_of(&problem, &options), STOW_INVALID);
  options = (stow_plan_options){.allocator = &allocator};
  CHECK_EQ(status_of(&problem, &options), STOW_INVALID);
  problem.buffers = NULL;
  CHECK_EQ(status_of(&problem, NULL), STOW_INVALID);
  problem = (stow_problem){.struct_size = 8};
  CHECK_EQ(status_of(&problem, NULL), STOW_INVALID);
  CHECK_EQ(stow_plan(&problem, NULL, NULL, NULL), STOW_INVALID);
}

// By stow_plan and stow_verify alike.
static void check_told(const stow_problem *problem, stow_fault_kind kind, size_t first) {
  uint64_t offsets[3] = {0};
  stow_fault fault, verified;
  stow_plan_result result;
  const stow_plan_options options = {.out_fault = &fault};
  stow_plan(problem, &options, offsets, &result);
  stow_verify(problem, offsets, UINT64_MAX, &verified);
  CHECK_EQ(fault.kind, kind);
  CHECK_EQ(fault.first, first);
  CHECK_EQ(verified.kind, kind);
  CHECK_EQ(verified.first, first);
}

static void what_is_malformed_is_told(void) {
  const stow_buffer good = {.size = 8, .begin = 0, .end = 4};
  stow_buffer buffers[3] = {good, good, good};
  stow_problem problem = STOW_PROBLEM(buffers, 3);
  check_told(NULL, STOW_FAULT_BAD_STRUCT, 0);
  buffers[1].end = 0;
  check_told(&problem, STOW_FAULT_BAD_LIFE, 1);
  buffers[1] = good;
  buffers[2].alignment = 12;
  check_told(&problem, STOW_FAULT_BAD_ALIGNMENT, 2);
  buffers[2] = good;
  const size_t starts[] = {0, 0, 1, 1};
  const stow_piece late = {.begin = 2, .end = 9};
  problem.piece_starts = starts;
  problem.pieces = &late;
  check_told(&problem, STOW_FAULT_BAD_PIECES, 1);
  problem.piece_starts = NULL;
  const stow_relation relations[] = {{STOW_EXCLUSIVE, 0, 1}, {STOW_EXCLUSIVE, 2, 3}};
  problem.relations = relations;
  problem.relation_count = 2;
  check_told(&problem, STOW_FAULT_BAD_RELATION, 1);
  problem.relation_count = 0;
  const uint64_t fixed[] = {0, STOW_ANY_OFFSET, UINT64_MAX - 4};
  problem.fixed_offsets = fixed;
  check_told(&problem, STOW_FAULT_BAD_OFFSET, 2);
  problem.fixed_offsets = NULL;
  const stow_space space = {0, 1};
  const uint64_t allowed[] = {1, 1, 2};
  problem.spaces = &space;
  problem.space_count = 1;
  problem.allowed_spaces = allowed;
  check_told(&problem, STOW_FAULT_NO_SPACE, 2);
  problem.spaces = NULL;
  check_told(&problem, STOW_FAULT_BAD_STRUCT, 0);
}

static void older_and_newer_callers(void) {
  struct {
    stow_problem known;
    uint64_t unknown[2];
  } newer = {.known = {.struct_size = sizeof newer}};
  const stow_buffer buffer = {.size = 1, .begin = 0, .end = 1};
  const uint64_t fixed = 7;
  newer.known.buffers = &buffer;
  newer.known.buffer_count = 1;
  CHECK_EQ(status_of(&newer.known, NULL), STOW_OK);
  newer.unknown[1] = 1;
  CHECK_EQ(status_of(&newer.known, NULL), STOW_INVALID);
  stow_problem older = STOW_PROBLEM(&buffer, 1);
  older.struct_size = offsetof(stow_problem, fixed_offsets);
  older.fixed_offsets = &fixed; // beyond what this caller says it has
  uint64_t offset;
  stow_plan_result result;
  CHECK_EQ(stow_plan(&older, NULL, &offset, &result), STOW_OK);
  CHECK_EQ(offset, 0);
}

static void large_sizes_overflow(void) {
  const uint64_t half = UINT64_C(1) << 63;
  stow_buffer buffers[] = {{.size = half, .begin = 0, .end = 2},
                           {.size = half, .begin = 1, .end = 3}};
  const stow_problem problem = STOW_PROBLEM(buffers, 2);
  uint64_t number;
  CHECK_EQ(status_of(&problem, NULL), STOW_OVERFLOW);
  CHECK_EQ(stow_load(&problem, &number, NULL), STOW_OVERFLOW);
  CHECK_EQ(stow_lower_bound(&problem, &number), STOW_OVERFLOW);
  buffers[1].begin = 2;
  CHECK_EQ(status_of(&problem, NULL), STOW_OK);
  buffers[1] = (stow_buffer){.size = half - 1, .begin = 1, .end = 3};
  CHECK_EQ(status_of(&problem, NULL), STOW_OK);
  buffers[0].size = 1;
  buffers[0].alignment = buffers[1].alignment = half;
  CHECK_EQ(status_of(&problem, NULL), STOW_OK);
  buffers[1].size = half + 1;
  CHECK_EQ(status_of(&problem, NULL), STOW_OVERFLOW);
}

static void large_fixed_offsets_overflow(void) {
  const stow_buffer buffer = {.size = 2, .begin = 0, .end = 2};
  const uint64_t fixed = UINT64_MAX - 1;
  stow_problem problem = STOW_PROBLEM(&buffer, 1);
  problem.fixed_offsets = &fixed;
  CHECK_EQ(status_of(&problem, NULL), STOW_OVERFLOW);
}

//===----------------------------------------------------------------------===//
// Fixed offsets and capacity
//===----------------------------------------------------------------------===//

static void fixed_offsets_are_kept(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 4},
                                 {.size = 8, .begin = 0, .end = 4},
                                 {.size = 8, .begin = 0, .end = 4}};
  const uint64_t fixed[] = {STOW_ANY_OFFSET, 4, STOW_ANY_OFFSET};
  stow_problem problem = STOW_PROBLEM(buffers, 3);
  problem.fixed_offsets = fixed;
  for (stow_strategy s = STOW_AUTO; s < STOW_STRATEGY_COUNT; ++s) {
    const stow_plan_options options = with_strategy(s);
    uint64_t offsets[3];
    stow_plan_result result;
    CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
    CHECK_EQ(offsets[1], 4);
    CHECK_EQ(result.arena_size, 28);
    stow_fault fault;
    CHECK_EQ(stow_verify(&problem, offsets, 28, &fault), STOW_OK);
    CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  }
}

static stow_outcome outcome_of(const stow_problem *problem, uint64_t capacity) {
  const stow_plan_options options = {.capacity = capacity};
  uint64_t offsets[8];
  memset(offsets, 0xab, sizeof offsets);
  stow_plan_result result;
  CHECK_EQ(stow_plan(problem, &options, offsets, &result), STOW_OK);
  const bool has_plan = result.outcome == STOW_FEASIBLE || result.outcome == STOW_OPTIMAL;
  CHECK_EQ(offsets[0] == UINT64_C(0xabababababababab), !has_plan);
  CHECK_EQ(result.strategy == STOW_AUTO, !has_plan);
  return result.outcome;
}

static void impossible_fixed_offsets(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 4, .alignment = 8},
                                 {.size = 8, .begin = 3, .end = 5}};
  uint64_t fixed[] = {8, 15};
  stow_problem problem = STOW_PROBLEM(buffers, 2);
  problem.fixed_offsets = fixed;
  CHECK_EQ(outcome_of(&problem, 0), STOW_INFEASIBLE);
  fixed[1] = 16;
  CHECK_EQ(outcome_of(&problem, 0), STOW_OPTIMAL);
  CHECK_EQ(outcome_of(&problem, 23), STOW_INFEASIBLE);
  fixed[0] = 4;
  CHECK_EQ(outcome_of(&problem, 0), STOW_INFEASIBLE);
}

static void an_empty_buffer_is_aligned_too(void) {
  const stow_buffer buffer = {.size = 0, .begin = 0, .end = 4, .alignment = 8};
  uint64_t fixed = 4;
  stow_problem problem = STOW_PROBLEM(&buffer, 1);
  problem.fixed_offsets = &fixed;
  CHECK_EQ(outcome_of(&problem, 0), STOW_INFEASIBLE);
  fixed = 8;
  CHECK_EQ(outcome_of(&problem, 0), STOW_OPTIMAL);
  CHECK_EQ(outcome_of(&problem, 7), STOW_INFEASIBLE);
}

static void capacity_decides_the_outcome(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 4},
                                 {.size = 8, .begin = 2, .end = 6}};
  const stow_problem problem = STOW_PROBLEM(buffers, 2);
  CHECK_EQ(outcome_of(&problem, 15), STOW_INFEASIBLE);
  CHECK_EQ(outcome_of(&problem, 16), STOW_OPTIMAL);
  CHECK_EQ(outcome_of(&problem, 99), STOW_OPTIMAL);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static void names_parse_back(void) {
  for (stow_strategy s = STOW_AUTO; s < STOW_STRATEGY_COUNT; ++s) {
    stow_strategy parsed = STOW_STRATEGY_COUNT;
    CHECK_EQ(stow_strategy_parse(stow_strategy_name(s), &parsed), 1);
    CHECK_EQ(parsed, s);
  }
  stow_strategy untouched = STOW_FIRST_FIT_AREA;
  CHECK_EQ(stow_strategy_parse("no-such", &untouched), 0);
  CHECK_EQ(stow_strategy_parse(NULL, &untouched), 0);
  CHECK_EQ(untouched, STOW_FIRST_FIT_AREA);
  CHECK(stow_strategy_name(STOW_STRATEGY_COUNT) == NULL);
  CHECK(strcmp(stow_status_name(STOW_NO_MEMORY), "no-memory") == 0);
  CHECK(strcmp(stow_outcome_name(STOW_INFEASIBLE), "infeasible") == 0);
  CHECK(strcmp(stow_fault_name(STOW_FAULT_OVERLAP), "overlap") == 0);
  CHECK(stow_status_name((stow_status)99) && stow_outcome_name((stow_outcome)99));
}

//===----------------------------------------------------------------------===//
// Random instances
//===----------------------------------------------------------------------===//

static void check_plan(const struct instance *instance, stow_strategy strategy) {
  const stow_plan_options options = with_strategy(strategy);
  uint64_t offsets[MAX_BUFFERS], again[MAX_BUFFERS], bound;
  stow_plan_result result;
  stow_fault fault;
  CHECK_EQ(stow_plan(&instance->problem, &options, offsets, &result), STOW_OK);
  if (result.outcome == STOW_INFEASIBLE)
    return;
  CHECK_EQ(stow_verify(&instance->problem, offsets, result.arena_size, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  CHECK_EQ(stow_lower_bound(&instance->problem, &bound), STOW_OK);
  CHECK(bound <= result.lower_bound && result.lower_bound <= result.arena_size);
  CHECK_EQ(arena_by_definition(instance, offsets), result.arena_size);
  CHECK_EQ(stow_plan(&instance->problem, &options, again, &result), STOW_OK);
  CHECK(memcmp(offsets, again, instance->problem.buffer_count * sizeof *offsets) == 0);
}

static void every_strategy_is_valid(void) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 1 + seed % MAX_BUFFERS, seed % 2 ? INSTANCE_ALL : 0);
    for (stow_strategy s = STOW_AUTO; s < STOW_STRATEGY_COUNT; ++s) {
      test_note("seed %" PRIu64 " %s", seed, stow_strategy_name(s));
      check_plan(&instance, s);
    }
  }
}

static void bound_optimum_plan_in_order(void) {
  unsigned met = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 1 + seed % 6, seed % 2 ? INSTANCE_ALL : 0);
    test_note("seed %" PRIu64, seed);
    const uint64_t optimum = optimum_by_definition(&instance);
    uint64_t offsets[MAX_BUFFERS];
    stow_plan_result result;
    CHECK_EQ(stow_plan(&instance.problem, NULL, offsets, &result), STOW_OK);
    CHECK_EQ(result.outcome == STOW_INFEASIBLE, optimum == UINT64_MAX);
    CHECK(result.lower_bound <= optimum);
    CHECK(result.outcome == STOW_INFEASIBLE || optimum <= result.arena_size);
    CHECK(result.outcome != STOW_OPTIMAL || optimum == result.arena_size);
    met += optimum == result.arena_size;
  }
  test_note(NULL);
  CHECK(met > 1500);
}

static void load_agrees_with_definition(void) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    struct instance instance;
    instance_random(&instance, seed, 1 + seed % MAX_BUFFERS, 0);
    test_note("seed %" PRIu64, seed);
    uint64_t load, expected;
    int64_t point, expected_point;
    load_by_definition(&instance, &expected, &expected_point);
    CHECK_EQ(stow_load(&instance.problem, &load, &point), STOW_OK);
    CHECK_EQ(load, expected);
    CHECK_EQ(point, expected_point);
  }
}

// Sizes of 2^0 to 2^14 times 64 and lives of 2^0 to 2^12 points, all powers equally often.
static void make_many(stow_buffer *buffers, size_t count, uint64_t seed) {
  test_random random = {seed};
  for (size_t i = 0; i < count; ++i) {
    const uint64_t size = UINT64_C(1) << random_below(&random, 14);
    const uint64_t length = UINT64_C(1) << random_below(&random, 12);
    const int64_t begin = (int64_t)random_below(&random, count / 5);
    buffers[i] = (stow_buffer){.size = 64 * (size + random_below(&random, size)),
                               .begin = begin,
                               .end = begin + (int64_t)(length + random_below(&random, length))};
  }
}

// Many buffers get one good plan, and no time for a better one.
static void many_buffers_lie_close(void) {
  enum { COUNT = 60000, EFFORT = 1000000 };
  stow_buffer *buffers = calloc(COUNT, sizeof *buffers);
  uint64_t *offsets = calloc(COUNT, sizeof *offsets);
  make_many(buffers, COUNT, 1);
  const stow_problem problem = STOW_PROBLEM(buffers, COUNT);
  const stow_plan_options options = {.max_effort = EFFORT};
  stow_plan_result result;
  stow_fault fault;
  CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
  CHECK_EQ(stow_verify(&problem, offsets, result.arena_size, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  CHECK_EQ(result.strategy, STOW_LAYERED);
  CHECK(result.arena_size - result.lower_bound < result.lower_bound / 50);
  free(offsets);
  free(buffers);
}

// Without a step to improve on them, `auto` has the best of the orders that it begins with, and
// each of these is the best now and then.
static void first_plans_are_the_best_of_some(void) {
  enum { COUNT = 200, PROBLEMS = 60 };
  static const stow_strategy orders[] = {STOW_FIRST_FIT_SIZE, STOW_BEST_FIT_START,
                                         STOW_FIRST_FIT_AREA, STOW_FIRST_FIT_DURATION};
  unsigned best[STOW_STRATEGY_COUNT] = {0};
  stow_buffer buffers[COUNT];
  uint64_t offsets[COUNT];
  for (uint64_t seed = 1; seed <= PROBLEMS; ++seed) {
    make_many(buffers, COUNT, seed);
    const stow_problem problem = STOW_PROBLEM(buffers, COUNT);
    stow_plan_options options = {.max_effort = 1};
    stow_plan_result result, other;
    CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
    ++best[result.strategy];
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
      test_note("seed %" PRIu64 " %s", seed, stow_strategy_name(orders[i]));
      options.strategy = orders[i];
      CHECK_EQ(stow_plan(&problem, &options, offsets, &other), STOW_OK);
      CHECK(result.arena_size <= other.arena_size);
    }
  }
  test_note(NULL);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i)
    CHECK(best[orders[i]] > 0);
}

TEST_MAIN(TEST(empty_problem_is_optimal), TEST(disjoint_lives_share),
          TEST(empty_buffers_take_nothing), TEST(extreme_times_are_fine),
          TEST(bound_counts_common_padding), TEST(bound_counts_padding_of_some),
          TEST(bound_of_pieces_has_no_padding), TEST(load_point_is_the_first),
          TEST(malformed_buffers_are_invalid), TEST(malformed_structs_are_invalid),
          TEST(what_is_malformed_is_told), TEST(older_and_newer_callers),
          TEST(large_sizes_overflow), TEST(large_fixed_offsets_overflow),
          TEST(fixed_offsets_are_kept), TEST(impossible_fixed_offsets),
          TEST(an_empty_buffer_is_aligned_too), TEST(capacity_decides_the_outcome),
          TEST(names_parse_back), TEST(every_strategy_is_valid), TEST(bound_optimum_plan_in_order),
          TEST(first_plans_are_the_best_of_some), TEST(load_agrees_with_definition),
          TEST(many_buffers_lie_close))
