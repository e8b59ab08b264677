//===- ranges_test.c - when buffers are live, against the definition ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is live at a position if an op there touches it, or one before may have and one
// after may do so again before all of it is overwritten. For programs whose buffers have
// one name each this is asked of every position, by two fixed points over the segments and
// jumps of the flow; the pieces must be those positions and no others. Programs with blocks that
// are never reached are left out.
//
//===----------------------------------------------------------------------===//

#include "ir/life.h"
#include "ir/ranges.h"
#include "programs.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 3, MAX_POSITIONS = 200 };

static void put_op(stow_text *text, test_random *random, unsigned *value) {
  unsigned buffer = (unsigned)random_below(random, BUFFERS);
  switch (random_below(random, 3)) {
  case 0:
    stow_text_printf(text, "  %%v%u = memref.load %%m%u[%%i] : memref<4xf32>\n", ++*value, buffer);
    break;
  case 1:
    stow_text_printf(text, "  memref.store %%x, %%m%u[%%i] : memref<4xf32>\n", buffer);
    break;
  default:
    stow_text_printf(text, "  linalg.fill ins(%%x : f32) outs(%%m%u : memref<4xf32>)\n", buffer);
  }
}

static test_program random_program(uint64_t seed) {
  test_random random = {seed};
  unsigned count = 2 + (unsigned)random_below(&random, MAX_BLOCKS - 2), value = 0;
  stow_text text = {0};
  stow_text_printf(&text, "func.func @f(%%c: i1, %%x: f32, %%i: index) {\n");
  for (unsigned m = 0; m < BUFFERS; ++m)
    stow_text_printf(&text, "  %%m%u = memref.alloc() : memref<4xf32>\n", m);
  for (unsigned b = 0; b < count; ++b) {
    if (b > 0)
      stow_text_printf(&text, "^b%u:\n", b);
    for (uint64_t n = random_below(&random, 4); n > 0; --n)
      put_op(&text, &random, &value);
    test_put_terminator(&text, &random, count);
  }
  stow_text_printf(&text, "}\n");
  test_program program = test_parse(text.data);
  free(text.data);
  return program;
}

typedef struct picture { // of one buffer, by position
  bool touched[MAX_POSITIONS], overwritten[MAX_POSITIONS];
  bool before[MAX_POSITIONS]; // a touch may have come before
  bool needed[MAX_POSITIONS]; // the op or one after may touch it before all of it is overwritten
  bool live[MAX_POSITIONS];
} picture;

static bool all_reachable(const stow_flow *flow) {
  bool all = true;
  for (size_t b = 0; b < flow->blocks.count; ++b)
    all &= flow->blocks.at[b].reachable;
  return all;
}

// What holds of one position, by way of control, of another. Whether that changes anything.
static bool pass(picture *p, int64_t from, int64_t to) {
  bool before = p->touched[from] || p->before[from];
  bool needed = p->needed[to] && !p->overwritten[from];
  bool news = (before && !p->before[to]) || (needed && !p->needed[from]);
  p->before[to] |= before;
  p->needed[from] |= needed;
  return news;
}

static bool pass_all(const stow_flow *flow, picture *p) {
  bool news = false;
  for (size_t s = 0; s < flow->control.segments.count; ++s)
    for (int64_t at = flow->control.segments.at[s].begin; at + 1 < flow->control.segments.at[s].end;
         ++at)
      news |= pass(p, at, at + 1);
  for (size_t j = 0; j < flow->control.jumps.count; ++j)
    news |= pass(p, flow->control.segments.at[flow->control.jumps.at[j].from].end - 1,
                 flow->control.segments.at[flow->control.jumps.at[j].to].begin);
  return news;
}

static void draw(const stow_flow *flow, int32_t value, picture *p) {
  memset(p, 0, sizeof *p);
  for (size_t u = 0; u < flow->uses.count; ++u) {
    const stow_use *use = &flow->uses.at[u];
    if (use->value != value)
      continue;
    p->overwritten[use->begin] = use->overwrites;
    for (int64_t at = use->begin; at < use->end; ++at) { // all of an op with a region
      p->touched[at] = true;
      p->needed[at] = !p->overwritten[at];
    }
  }
  while (pass_all(flow, p))
    ;
  for (size_t at = 0; at < flow->ops.count; ++at)
    p->live[at] = p->touched[at] || (p->before[at] && p->needed[at]);
}

static void check_pieces(const stow_flow *flow, const stow_ranges *ranges, size_t alloc) {
  picture p;
  draw(flow, flow->allocs.at[alloc].value, &p);
  int64_t end = -1;
  size_t live = 0, in_pieces = 0;
  for (size_t at = 0; at < flow->ops.count; ++at)
    live += p.live[at];
  for (size_t i = ranges->first_piece[alloc]; i < ranges->first_piece[alloc + 1]; ++i) {
    const stow_live_piece *piece = &ranges->pieces.at[i];
    CHECK(end <= piece->begin && piece->begin < piece->end);
    for (int64_t at = piece->begin; at < piece->end; ++at)
      in_pieces += CHECK(p.live[at]);
    end = piece->end;
  }
  CHECK_EQ(in_pieces, live);
}

static void check_program(const test_program *program) {
  const bool wanted[BUFFERS] = {true, true, true};
  stow_flow flow = test_flow_of(program);
  stow_life *lives = stow_ir_live(&flow);
  stow_ranges ranges = stow_ranges_of(&flow, lives, wanted);
  CHECK(flow.ops.count <= MAX_POSITIONS);
  for (size_t a = 0; a < flow.allocs.count && all_reachable(&flow); ++a)
    check_pieces(&flow, &ranges, a);
  stow_ranges_free(&ranges);
  free(lives);
  stow_flow_free(&flow);
}

static void random_programs(void) {
  for (uint64_t seed = 0; seed < 6000; seed += TEST_STEP) {
    test_note("seed %" PRIu64, seed);
    test_program program = random_program(seed);
    check_program(&program);
    test_program_free(&program);
  }
}

TEST_MAIN(TEST(random_programs))
