//===- valleys_test.c - the search along a skyline, against brute force ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small tight problems, many of which need more than their load. A "no" of the search
// is a proof: it is asked for every capacity below the optimum. The search along time and
// guesses of what stays empty may find a plan, and prove nothing.
//
//===----------------------------------------------------------------------===//

#include "instances.h"
#include "packings.h"
#include "random.h"
#include "sweep.h"
#include "valleys.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 2000000 };

struct question {
  struct instance instance;
  stow_memory memory;
  stow_model model;
  stow_plan_graph graph;
  uint32_t blocks[MAX_BUFFERS], ranks[MAX_BUFFERS];
  stow_valleys *valleys;
  stow_search *search;
};

// Lives of a few of some points, sizes of a few bytes, with alignments in every second one.
static void make_instance(struct instance *out_instance, uint64_t seed, size_t count) {
  uint64_t random = seed;
  const uint64_t points = 3 + stow_plan_random_next(&random) % count;
  const uint64_t largest = 2 + stow_plan_random_next(&random) % 9;
  memset(out_instance, 0, sizeof *out_instance);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t begin = stow_plan_random_next(&random) % points;
    const uint64_t length = 1 + stow_plan_random_next(&random) % (points - begin);
    out_instance->buffers[i] =
        (stow_buffer){.size = 1 + stow_plan_random_next(&random) % largest,
                      .alignment = seed % 2 ? UINT64_C(1) << stow_plan_random_next(&random) % 3 : 1,
                      .begin = (int64_t)begin,
                      .end = (int64_t)(begin + length)};
  }
  out_instance->problem = (stow_problem)STOW_PROBLEM(out_instance->buffers, count);
}

static bool open_question(struct question *question, uint64_t seed, size_t count) {
  const stow_selection all = {NULL, NULL};
  bool fits;
  make_instance(&question->instance, seed, count);
  stow_memory_begin(&question->memory, NULL);
  for (uint32_t i = 0; i < count; ++i) {
    question->blocks[i] = i;
    question->ranks[i] = (uint32_t)((i + seed) % count);
  }
  if (!CHECK_EQ(stow_plan_model_build(&question->instance.problem, &all, &question->memory,
                                      &question->model),
                STOW_OK) ||
      !CHECK_EQ(stow_plan_graph_build(&question->model, question->blocks, (uint32_t)count, 10000,
                                      &question->memory, &question->graph, &fits),
                STOW_OK))
    return false;
  question->valleys = stow_valleys_create(&question->graph, &question->memory);
  question->search = stow_search_create(&question->graph, &question->memory);
  return CHECK(stow_valleys_suit(&question->graph)) && CHECK(question->valleys) &&
         CHECK(question->search);
}

static stow_search_task task_of(const struct question *question, uint64_t capacity) {
  return (stow_search_task){.capacity = capacity,
                            .max_effort = MANY,
                            .ranks = question->ranks,
                            .rules = (1u << STOW_RULE_COUNT) - 1};
}

// Checks a plan where there is one.
static stow_verdict ask(struct question *question, uint64_t capacity, uint64_t seed) {
  const stow_search_task task = task_of(question, capacity);
  uint64_t offsets[MAX_BUFFERS], effort;
  const stow_verdict verdict = stow_valleys_run(question->valleys, &task, seed, offsets, &effort);
  if (verdict == STOW_VERDICT_FITS)
    CHECK(valid_by_definition(&question->instance, offsets, capacity));
  return verdict;
}

static uint64_t largest_size(const struct instance *instance) {
  uint64_t largest = 0;
  for (size_t i = 0; i < instance->problem.buffer_count; ++i)
    if (instance->buffers[i].size > largest)
      largest = instance->buffers[i].size;
  return largest;
}

static void verdicts_equal_all_orders(void) {
  unsigned above_load = 0;
  for (uint64_t seed = 0; seed < 3000; seed += TEST_STEP) {
    struct question question;
    uint64_t load;
    int64_t point;
    test_note("seed %" PRIu64, seed);
    if (open_question(&question, seed, 3 + seed / 2 % 5)) {
      const uint64_t optimum = optimum_by_definition(&question.instance);
      load_by_definition(&question.instance, &load, &point);
      above_load += optimum > load;
      for (uint64_t capacity = largest_size(&question.instance); capacity < optimum; ++capacity)
        CHECK_EQ(ask(&question, capacity, seed), STOW_VERDICT_IMPOSSIBLE);
      CHECK_EQ(ask(&question, optimum, seed), STOW_VERDICT_FITS);
      CHECK_EQ(ask(&question, optimum + 1, seed), STOW_VERDICT_FITS);
    }
    stow_memory_end(&question.memory);
  }
  test_note(NULL);
  CHECK(above_load > 20);
}

// More buffers than all orders can be tried of: two searches that share little agree,
// as far as both come to an end.
static void verdicts_equal_other_search(void) {
  unsigned impossible = 0;
  for (uint64_t seed = 0; seed < 2000; seed += TEST_STEP) {
    struct question question;
    uint64_t load;
    int64_t point;
    test_note("seed %" PRIu64, seed);
    if (open_question(&question, seed, 9 + seed / 2 % 5)) {
      load_by_definition(&question.instance, &load, &point);
      for (uint64_t capacity = load; capacity < load + 3; ++capacity) {
        const stow_search_task task = task_of(&question, capacity);
        uint64_t offsets[MAX_BUFFERS], effort;
        const stow_verdict other = stow_search_run(question.search, &task, offsets, &effort);
        const stow_verdict verdict = ask(&question, capacity, seed);
        if (verdict != STOW_VERDICT_OPEN && other != STOW_VERDICT_OPEN)
          CHECK_EQ(verdict, other);
        impossible += verdict == STOW_VERDICT_IMPOSSIBLE && verdict == other;
      }
    }
    stow_memory_end(&question.memory);
  }
  test_note(NULL);
  CHECK(impossible > 20);
}

typedef stow_verdict stow_finder(const stow_plan_graph *, const stow_search_task *, uint64_t seed,
                                 const stow_allocator *, uint64_t *out_offsets,
                                 uint64_t *out_effort);

static stow_verdict find(const struct question *question, stow_finder *finder, uint64_t capacity,
                         uint64_t seed) {
  const stow_search_task task = task_of(question, capacity);
  uint64_t offsets[MAX_BUFFERS], effort;
  const stow_verdict verdict = finder(&question->graph, &task, seed, NULL, offsets, &effort);
  if (verdict == STOW_VERDICT_FITS)
    CHECK(valid_by_definition(&question->instance, offsets, capacity));
  return verdict;
}

static void finds_plans_or_nothing(stow_finder *finder) {
  unsigned found = 0, missed = 0;
  for (uint64_t seed = 0; seed < 3000; seed += TEST_STEP) {
    struct question question;
    test_note("seed %" PRIu64, seed);
    if (open_question(&question, seed, 3 + seed / 2 % 5)) {
      const uint64_t optimum = optimum_by_definition(&question.instance);
      for (uint64_t capacity = largest_size(&question.instance); capacity < optimum; ++capacity)
        CHECK_EQ(find(&question, finder, capacity, seed), STOW_VERDICT_OPEN);
      for (uint64_t more = 0; more < 4; ++more) {
        const stow_verdict verdict = find(&question, finder, optimum + more, seed + more);
        CHECK(verdict != STOW_VERDICT_IMPOSSIBLE);
        found += verdict == STOW_VERDICT_FITS;
        missed += verdict == STOW_VERDICT_OPEN;
      }
    }
    stow_memory_end(&question.memory);
  }
  test_note(NULL);
  CHECK(found > 1000 / TEST_STEP);
  CHECK(missed > 20 / TEST_STEP);
}

static void sweeps_are_plans_or_nothing(void) { finds_plans_or_nothing(stow_plan_sweep_run); }

// Without the search along time none of these is found with ten times the effort.
static void sweeps_find_plans_with_holes(void) {
  static const uint64_t seeds[] = {310007, 310013};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
    packing tight;
    if (!CHECK(packing_make(seeds[i], 400, &tight)))
      return;
    const stow_plan_options options = {.capacity = tight.capacity, .max_effort = 100000000};
    const stow_problem problem = STOW_PROBLEM(tight.buffers, tight.count);
    uint64_t *offsets = calloc(tight.count, sizeof *offsets);
    stow_plan_result result;
    stow_fault fault = {STOW_FAULT_NONE, 0, 0};
    test_note("seed %" PRIu64, seeds[i]);
    CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_OK);
    CHECK(result.arena_size && result.arena_size <= tight.capacity);
    CHECK_EQ(stow_verify(&problem, offsets, tight.capacity, &fault), STOW_OK);
    CHECK_EQ(fault.kind, STOW_FAULT_NONE);
    free(offsets);
    free(tight.buffers);
  }
  test_note(NULL);
}

// What the search along time cannot match costs it little, whatever it may spend.
static void sweeps_refuse_wide_changes(void) {
  enum { WIDE = 70, COUNT = WIDE + 2 };
  const stow_selection all = {NULL, NULL};
  stow_buffer buffers[COUNT] = {{.begin = 0, .end = 1, .size = WIDE},
                                {.begin = 2, .end = 3, .size = WIDE}};
  for (size_t i = 2; i < COUNT; ++i)
    buffers[i] = (stow_buffer){.begin = 1, .end = 2, .size = 1};
  const stow_problem problem = STOW_PROBLEM(buffers, COUNT);
  struct question question;
  uint32_t blocks[COUNT];
  uint64_t offsets[COUNT], effort;
  bool fits;
  for (uint32_t i = 0; i < COUNT; ++i)
    blocks[i] = i;
  stow_memory_begin(&question.memory, NULL);
  if (CHECK_EQ(stow_plan_model_build(&problem, &all, &question.memory, &question.model), STOW_OK) &&
      CHECK_EQ(stow_plan_graph_build(&question.model, blocks, COUNT, 10000, &question.memory,
                                     &question.graph, &fits),
               STOW_OK)) {
    const stow_search_task task = {
        .capacity = WIDE, .max_effort = MANY, .rules = (1u << STOW_RULE_COUNT) - 1};
    CHECK_EQ(stow_plan_sweep_run(&question.graph, &task, 1, NULL, offsets, &effort),
             STOW_VERDICT_OPEN);
    CHECK(effort < 10 * COUNT);
  }
  stow_memory_end(&question.memory);
}

TEST_MAIN(TEST(verdicts_equal_all_orders), TEST(verdicts_equal_other_search),
          TEST(sweeps_are_plans_or_nothing), TEST(sweeps_find_plans_with_holes),
          TEST(sweeps_refuse_wide_changes))
