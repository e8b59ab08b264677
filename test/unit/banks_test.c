//===- banks_test.c - buffers in different banks --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "stowage/plan.h"

enum { FEW = 7, MOST = 40, BYTES = 160 };

// Bytes one by one, as the definition has them. Where banks take turns, only the first ones.
static bool share_bank(const stow_problem *p, const uint64_t *offsets, size_t a, size_t b) {
  if (p->bank_count)
    return p->buffers[a].size && p->buffers[b].size &&
           (offsets[a] / p->bank_size) % p->bank_count ==
               (offsets[b] / p->bank_size) % p->bank_count;
  for (uint64_t i = 0; i < p->buffers[a].size; ++i)
    for (uint64_t k = 0; k < p->buffers[b].size; ++k)
      if ((offsets[a] + i) / p->bank_size == (offsets[b] + k) / p->bank_size)
        return true;
  return false;
}

static size_t conflicts(const stow_problem *p, const uint64_t *offsets) {
  size_t count = 0;
  for (size_t i = 0; i < p->relation_count; ++i)
    count += p->relations[i].kind == STOW_OTHER_BANK &&
             share_bank(p, offsets, p->relations[i].first, p->relations[i].second);
  return count;
}

static stow_problem pair_of(const stow_buffer *buffers, const stow_relation *relation) {
  stow_problem problem = STOW_PROBLEM(buffers, 2);
  problem.relations = relation;
  problem.relation_count = 1;
  problem.bank_size = 16;
  return problem;
}

static const stow_relation APART = {STOW_OTHER_BANK, 0, 1};

static void a_pair_is_kept_apart(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 2},
                                 {.size = 4, .begin = 1, .end = 3}};
  const stow_problem problem = pair_of(buffers, &APART);
  uint64_t offsets[2];
  stow_plan_result result;
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_OK);
  CHECK_EQ(result.outcome, STOW_FEASIBLE);
  CHECK_EQ(offsets[0], 0);
  CHECK_EQ(offsets[1], 16);
  CHECK_EQ(result.arena_size, 20);
}

static void a_verdict_names_the_pair(void) {
  const stow_buffer buffers[] = {{.size = 20, .begin = 0, .end = 2},
                                 {.size = 4, .begin = 1, .end = 3}};
  const stow_problem problem = pair_of(buffers, &APART);
  stow_fault fault;
  size_t count;
  CHECK_EQ(stow_verify(&problem, (uint64_t[]){0, 32}, 36, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  CHECK_EQ(stow_verify(&problem, (uint64_t[]){0, 28}, 36, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_BANK);
  CHECK_EQ(fault.first, 0);
  CHECK_EQ(fault.second, 1);
  CHECK_EQ(stow_bank_conflicts(&problem, (uint64_t[]){0, 28}, &count), STOW_OK);
  CHECK_EQ(count, 1);
  CHECK_EQ(stow_bank_conflicts(&problem, (uint64_t[]){UINT64_MAX, 0}, &count), STOW_OVERFLOW);
}

static void banks_need_a_size(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 2},
                                 {.size = 4, .begin = 1, .end = 3}};
  const stow_space spaces[] = {{0, 1}, {0, 2}};
  stow_problem problem = pair_of(buffers, &APART);
  uint64_t offsets[2];
  uint32_t chosen[2];
  stow_plan_result result;
  stow_fault fault;
  problem.bank_size = 0;
  CHECK_EQ(stow_verify(&problem, (uint64_t[]){0, 8}, 16, &fault), STOW_INVALID);
  CHECK_EQ(fault.kind, STOW_FAULT_BAD_RELATION);
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_INVALID);
  problem.bank_size = 16;
  problem.spaces = spaces;
  problem.space_count = 2;
  const stow_plan_options options = {.out_spaces = chosen};
  CHECK_EQ(stow_plan(&problem, &options, offsets, &result), STOW_INVALID);
}

// What is fixed in one bank has no plan, and neither has a pair that must start together.
static void contradictions_are_told(void) {
  const stow_buffer buffers[] = {{.size = 8, .begin = 0, .end = 2},
                                 {.size = 4, .begin = 2, .end = 3}};
  const uint64_t fixed[] = {0, 8};
  const stow_relation both[] = {APART, {STOW_COLOCATED, 0, 1}};
  stow_problem problem = pair_of(buffers, both);
  uint64_t offsets[2];
  stow_plan_result result;
  problem.fixed_offsets = fixed;
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_OK);
  CHECK_EQ(result.outcome, STOW_INFEASIBLE);
  problem.fixed_offsets = NULL;
  problem.relation_count = 2;
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_OK);
  CHECK_EQ(result.outcome, STOW_INFEASIBLE);
}

struct random_problem {
  stow_buffer buffers[MOST];
  stow_relation relations[MOST * MOST];
  uint64_t fixed[MOST];
  stow_problem problem;
};

static void make(struct random_problem *r, uint64_t seed, size_t most) {
  test_random random = {seed};
  const size_t count = 1 + (size_t)random_below(&random, most);
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = random_between(&random, 0, 8);
    r->buffers[i] = (stow_buffer){.size = random_below(&random, 24),
                                  .alignment = UINT64_C(1) << random_below(&random, 4),
                                  .begin = begin,
                                  .end = begin + random_between(&random, 1, 5)};
    r->fixed[i] = STOW_ANY_OFFSET;
  }
  if (seed % 5 == 0)
    r->fixed[0] = 16 * random_below(&random, 4);
  r->problem = (stow_problem)STOW_PROBLEM(r->buffers, count);
  r->problem.relations = r->relations;
  r->problem.fixed_offsets = r->fixed;
  r->problem.bank_size = 1 + random_below(&random, 40);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b)
      if (random_below(&random, 3) == 0)
        r->relations[r->problem.relation_count++] =
            (stow_relation){random_below(&random, 4) ? STOW_OTHER_BANK : STOW_EXCLUSIVE, a, b};
}

static void check_plan(const struct random_problem *r, stow_strategy strategy, uint64_t effort) {
  const stow_plan_options options = {.strategy = strategy, .max_effort = effort};
  uint64_t offsets[MOST];
  stow_plan_result result;
  stow_fault fault;
  CHECK_EQ(stow_plan(&r->problem, &options, offsets, &result), STOW_OK);
  CHECK_EQ(result.outcome == STOW_FEASIBLE || result.outcome == STOW_OPTIMAL, true);
  CHECK_EQ(conflicts(&r->problem, offsets), 0);
  CHECK_EQ(stow_verify(&r->problem, offsets, result.arena_size, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_NONE);
}

static void plans_hold_by_the_definition(void) {
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    struct random_problem r;
    make(&r, seed, FEW);
    test_note("seed %" PRIu64, seed);
    for (stow_strategy s = STOW_AUTO; s < STOW_STRATEGY_COUNT; ++s)
      check_plan(&r, s, 20000);
  }
  test_note(NULL);
}

// Too many pairs for the banks have no plan.
static void plans_of_turns_hold_by_the_definition(void) {
  size_t planned = 0, impossible = 0;
  for (uint64_t seed = 1; seed < 4000; seed += TEST_STEP) {
    struct random_problem r;
    uint64_t offsets[MOST];
    stow_plan_result result;
    stow_fault fault;
    make(&r, seed, FEW);
    r.problem.fixed_offsets = NULL;
    r.problem.bank_count = 1 + seed % 8;
    test_note("seed %" PRIu64, seed);
    const stow_status status = stow_plan(&r.problem, NULL, offsets, &result);
    ++*(status == STOW_OK ? &planned : &impossible);
    if (status != STOW_OK) {
      CHECK_EQ(status, STOW_OVERFLOW);
      continue;
    }
    CHECK_EQ(conflicts(&r.problem, offsets), 0);
    CHECK_EQ(stow_verify(&r.problem, offsets, result.arena_size, &fault), STOW_OK);
    CHECK_EQ(fault.kind, STOW_FAULT_NONE);
  }
  test_note(NULL);
  CHECK(planned > 0 && impossible > 0);
}

// A pair that begins in one bank, two turns apart, and where the planner puts it.
static void turns_keep_begins_apart(void) {
  const stow_buffer buffers[] = {{.size = 256, .alignment = 16, .begin = 0, .end = 2},
                                 {.size = 256, .alignment = 16, .begin = 1, .end = 3}};
  stow_problem problem = pair_of(buffers, &APART);
  uint64_t offsets[2];
  stow_plan_result result;
  stow_fault fault;
  problem.bank_size = 4;
  problem.bank_count = 32;
  CHECK_EQ(stow_verify(&problem, (uint64_t[]){0, 256}, 512, &fault), STOW_OK);
  CHECK_EQ(fault.kind, STOW_FAULT_BANK);
  CHECK_EQ(stow_plan(&problem, NULL, offsets, &result), STOW_OK);
  CHECK_EQ(offsets[0] + offsets[1], 272);
  CHECK_EQ(result.arena_size, 528);
}

// Large enough for what improves a plan.
static void better_plans_hold_by_the_definition(void) {
  for (uint64_t seed = 0; seed < 60; seed += TEST_STEP) {
    struct random_problem r;
    make(&r, seed, MOST);
    test_note("seed %" PRIu64, seed);
    check_plan(&r, STOW_AUTO, 2000000);
    check_plan(&r, STOW_REPAIR, 2000000);
  }
  test_note(NULL);
}

// Whether a buffer may lie where it does beside those that are placed.
static bool may_lie(const stow_problem *p, const uint64_t *offsets, const bool *placed, size_t x) {
  const stow_buffer *b = &p->buffers[x];
  for (size_t i = 0; i < p->buffer_count; ++i) {
    const stow_buffer *a = &p->buffers[i];
    bool exclusive = false, banks = false;
    for (size_t r = 0; r < p->relation_count; ++r)
      if (p->relations[r].first + p->relations[r].second == i + x &&
          (p->relations[r].first == i || p->relations[r].first == x)) {
        exclusive |= p->relations[r].kind == STOW_EXCLUSIVE;
        banks |= p->relations[r].kind == STOW_OTHER_BANK;
      }
    const bool meet = a->begin < b->end && b->begin < a->end && a->size && b->size && !exclusive;
    const bool overlap = offsets[i] < offsets[x] + b->size && offsets[x] < offsets[i] + a->size;
    if (placed[i] && ((meet && overlap) || (banks && share_bank(p, offsets, i, x))))
      return false;
  }
  return true;
}

// The smallest arena: any plan can be pushed down to one that places buffers by ascending offset,
// each as low as it may lie, so that all orders are enough.
static uint64_t smallest(const stow_problem *p, uint64_t *offsets, bool *placed, uint64_t end,
                         uint64_t best) {
  bool all = true;
  for (size_t x = 0; x < p->buffer_count && end < best; ++x) {
    if (placed[x])
      continue;
    all = false;
    for (offsets[x] = 0; !may_lie(p, offsets, placed, x);)
      offsets[x] += p->buffers[x].alignment;
    const uint64_t own = offsets[x] + p->buffers[x].size;
    placed[x] = true;
    best = smallest(p, offsets, placed, own > end ? own : end, best);
    placed[x] = false;
  }
  return all && end < best ? end : best;
}

static void plans_are_between_bound_and_optimum(void) {
  for (uint64_t seed = 1; seed < 400; seed += 5 * TEST_STEP) { // without fixed offsets
    struct random_problem r;
    uint64_t offsets[MOST];
    bool placed[MOST] = {false};
    stow_plan_result result;
    make(&r, seed, FEW - 1);
    test_note("seed %" PRIu64, seed);
    CHECK_EQ(stow_plan(&r.problem, NULL, offsets, &result), STOW_OK);
    const uint64_t best = smallest(&r.problem, offsets, placed, 0, UINT64_MAX);
    CHECK_EQ(result.lower_bound <= best && best <= result.arena_size, true);
    CHECK_EQ(result.outcome != STOW_OPTIMAL || best == result.arena_size, true);
  }
  test_note(NULL);
}

static void verdicts_hold_by_the_definition(void) {
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    struct random_problem r;
    make(&r, seed, FEW);
    test_random random = {seed};
    uint64_t offsets[MOST];
    size_t count;
    stow_fault fault;
    for (size_t i = 0; i < r.problem.buffer_count; ++i)
      offsets[i] = 8 * random_below(&random, BYTES / 8);
    test_note("seed %" PRIu64, seed);
    r.problem.fixed_offsets = NULL;
    r.problem.bank_count = seed % 3 ? 0 : 1 + seed % 8;
    CHECK_EQ(stow_bank_conflicts(&r.problem, offsets, &count), STOW_OK);
    CHECK_EQ(count, conflicts(&r.problem, offsets));
    CHECK_EQ(stow_verify(&r.problem, offsets, 2 * BYTES, &fault), STOW_OK);
    CHECK_EQ(fault.kind == STOW_FAULT_BANK, count > 0);
  }
  test_note(NULL);
}

TEST_MAIN(TEST(a_pair_is_kept_apart), TEST(a_verdict_names_the_pair), TEST(banks_need_a_size),
          TEST(contradictions_are_told), TEST(turns_keep_begins_apart),
          TEST(plans_of_turns_hold_by_the_definition), TEST(plans_hold_by_the_definition),
          TEST(better_plans_hold_by_the_definition), TEST(plans_are_between_bound_and_optimum),
          TEST(verdicts_hold_by_the_definition))
