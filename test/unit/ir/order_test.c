//===- order_test.c - the order of blocks, against its definition ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/order.h"
#include "programs.h"

#include <stdlib.h>

static MlirRegion body_of(const test_program *program) {
  return mlirOperationGetRegion(program->function, 0);
}

static test_program random_blocks(uint64_t seed) {
  test_random random = {seed};
  unsigned count = 2 + (unsigned)random_below(&random, MAX_BLOCKS - 2);
  stow_text text = {0};
  stow_text_printf(&text, "func.func @f(%%c: i1) {\n");
  for (unsigned b = 0; b < count; ++b) {
    if (b > 0)
      stow_text_printf(&text, "^b%u:\n", b);
    test_put_terminator(&text, &random, count);
  }
  stow_text_printf(&text, "}\n");
  test_program program = test_parse(text.data);
  free(text.data);
  return program;
}

static size_t position_of(const stow_region_order *order, MlirBlock block) {
  size_t p = 0;
  while (p < order->block_count && !mlirBlockEqual(order->blocks[p].block, block))
    ++p;
  return p;
}

static bool holds(const stow_block_loop *loop, size_t position) {
  return loop->first <= position && position <= loop->last;
}

// reached[p]: from the block at `from` control may get to the one at p, not leaving [first, last].
static void find_reached(const stow_region_order *order, size_t from, size_t first, size_t last,
                         bool *reached) {
  size_t stack[MAX_BLOCKS], height = 0;
  for (size_t p = 0; p < MAX_BLOCKS; ++p)
    reached[p] = false;
  stack[height++] = from;
  reached[from] = true;
  while (height > 0) {
    MlirBlock block = order->blocks[stack[--height]].block;
    for (intptr_t s = 0; s < mlirBlockGetNumSuccessors(block); ++s) {
      size_t to = position_of(order, mlirBlockGetSuccessor(block, s));
      if (to < first || to > last || reached[to])
        continue;
      reached[to] = true;
      stack[height++] = to;
    }
  }
}

static void check_reachable(const stow_region_order *order) {
  bool reached[MAX_BLOCKS], unreachable_before = false;
  CHECK(mlirBlockIsNull(order->blocks[0].block) == false);
  find_reached(order, 0, 0, order->block_count - 1, reached);
  for (size_t p = 0; p < order->block_count; ++p) {
    CHECK_EQ(order->blocks[p].reachable, reached[p]);
    CHECK(!(unreachable_before && reached[p]));
    unreachable_before |= !reached[p];
  }
}

// Forward, or to a header of a loop around where the edge comes from.
static bool edge_is_right(const stow_region_order *order, size_t from, size_t to) {
  const stow_ordered_block *target = &order->blocks[to];
  return to > from ||
         (target->header && target->loop >= 0 && holds(&order->loops.at[target->loop], from));
}

static void check_edges(const stow_region_order *order) {
  for (size_t p = 0; p < order->block_count && order->blocks[p].reachable; ++p) {
    MlirBlock block = order->blocks[p].block;
    for (intptr_t s = 0; s < mlirBlockGetNumSuccessors(block); ++s)
      CHECK(edge_is_right(order, p, position_of(order, mlirBlockGetSuccessor(block, s))));
  }
}

// Each is a range in which every block gets to every other, inside of its parent.
static void check_loops(const stow_region_order *order) {
  bool reached[MAX_BLOCKS];
  for (size_t l = 0; l < order->loops.count; ++l) {
    const stow_block_loop *loop = &order->loops.at[l];
    CHECK(loop->first <= loop->last && loop->last < order->block_count);
    if (loop->parent >= 0)
      CHECK(loop->parent < (int32_t)l && holds(&order->loops.at[loop->parent], loop->first) &&
            holds(&order->loops.at[loop->parent], loop->last));
    for (size_t p = loop->first; p <= loop->last; ++p) {
      find_reached(order, p, loop->first, loop->last, reached);
      for (size_t q = loop->first; q <= loop->last; ++q)
        CHECK(reached[q]);
    }
  }
}

static void check_innermost(const stow_region_order *order) {
  for (size_t p = 0; p < order->block_count; ++p) {
    int32_t innermost = -1;
    for (size_t l = 0; l < order->loops.count; ++l)
      if (holds(&order->loops.at[l], p)) // a parent comes before what is in it
        innermost = (int32_t)l;
    CHECK_EQ(order->blocks[p].loop, innermost);
  }
}

static void random_orders(void) {
  for (uint64_t seed = 0; seed < 4000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    test_program program = random_blocks(seed);
    stow_region_order order = stow_ir_region_blocks(body_of(&program));
    CHECK(mlirBlockEqual(order.blocks[0].block, mlirRegionGetFirstBlock(body_of(&program))));
    check_reachable(&order);
    check_edges(&order);
    check_loops(&order);
    check_innermost(&order);
    stow_region_order_free(&order);
    test_program_free(&program);
  }
}

static void two_headers(void) {
  test_program program = test_parse("func.func @f(%c: i1) {\n"
                                    "  cf.cond_br %c, ^b1, ^b2\n"
                                    "^b1:\n"
                                    "  cf.cond_br %c, ^b2, ^b3\n"
                                    "^b2:\n"
                                    "  cf.br ^b1\n"
                                    "^b3:\n"
                                    "  return\n"
                                    "}\n");
  stow_region_order order = stow_ir_region_blocks(body_of(&program));
  CHECK_EQ(order.block_count, 4);
  CHECK_EQ(order.loops.count, 1);
  CHECK_EQ(order.loops.at[0].first, 1);
  CHECK_EQ(order.loops.at[0].last, 2);
  CHECK(order.blocks[1].header && order.blocks[2].header);
  CHECK_EQ(order.blocks[3].loop, -1);
  stow_region_order_free(&order);
  test_program_free(&program);
}

TEST_MAIN(TEST(random_orders), TEST(two_headers))
