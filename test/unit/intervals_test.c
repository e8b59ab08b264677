//===- intervals_test.c - the bound of intervals, against brute force -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small problems with all features that a graph can have; of pairs that may start
// together it is decided before which do. Intervals begin with two buffers, so that
// most are a part of their problem.
//
//===----------------------------------------------------------------------===//

#include "bound.h"
#include "brute.h"
#include "intervals.h"

enum { MANY = 100000000 };

static uint32_t list_blocks(const stow_model *model, uint32_t *blocks) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->block_count; ++i)
    if (model->blocks[i].span_count)
      blocks[count++] = i;
  return count;
}

// Raises the model's bound, not above `high`. False where the model is not for intervals.
static bool raise_bound(const struct instance *instance, uint64_t high, stow_memory *memory,
                        uint64_t *out_bound, uint64_t *out_raised) {
  const stow_selection all = {NULL, NULL};
  const stow_plan_options options = {0};
  stow_context context = {.options = &options, .max_effort = MANY};
  stow_model model;
  stow_plan_graph graph;
  uint32_t blocks[MAX_BUFFERS];
  bool fits;
  stow_problem read;
  if (!CHECK_EQ(stow_problem_read(&instance->problem, &read, NULL), STOW_OK) ||
      !CHECK_EQ(stow_model_build(&read, &all, memory, &model), STOW_OK) || !model.flat ||
      model.contradictory)
    return false;
  const uint32_t count = list_blocks(&model, blocks);
  if (!count || !CHECK_EQ(stow_model_bound(&model, memory, out_bound, NULL), STOW_OK) ||
      !CHECK_EQ(stow_graph_build(&model, blocks, count, 10000, memory, &graph, &fits), STOW_OK))
    return false;
  stow_intervals intervals = {.model = &model,
                              .graph = &graph,
                              .context = &context,
                              .memory = memory,
                              .unit = 1,
                              .most_items = 2};
  *out_raised = *out_bound;
  return CHECK_EQ(stow_intervals_raise(&intervals, high, MANY, out_raised), STOW_OK);
}

static void bound_is_the_optimum(void) {
  unsigned above = 0;
  for (uint64_t seed = 0; seed < 10000; seed += TEST_STEP) {
    struct instance instance;
    const unsigned choices = INSTANCE_PIECES | INSTANCE_MAY_COLOCATE;
    const unsigned features = INSTANCE_TINY | ((unsigned)(seed % 128) & ~choices);
    instance_random(&instance, seed, 2 + seed / 128 % 8, features);
    const uint64_t optimum =
        optimum_by_brute_force(&instance, (1u << instance.problem.buffer_count) - 1);
    if (optimum > BRUTE_BYTES)
      continue;
    stow_memory memory;
    uint64_t bound, raised;
    test_note("seed %" PRIu64, seed);
    stow_memory_begin(&memory, NULL);
    if (raise_bound(&instance, optimum + 3, &memory, &bound, &raised)) {
      CHECK_EQ(raised, optimum);
      above += bound < optimum;
    }
    stow_memory_end(&memory);
  }
  test_note(NULL);
  CHECK(above > 200 / TEST_STEP);
}

TEST_MAIN(TEST(bound_is_the_optimum))
