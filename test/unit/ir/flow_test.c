//===- flow_test.c - the tables of a flow, for small functions ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs.h"

#include <stdlib.h>

static int32_t value_of(const stow_flow *flow, MlirValue value) {
  return stow_map_get(&flow->index, value.ptr);
}

// The first op of that name at or after a position; -1 where there is none.
static int64_t find_op(const stow_flow *flow, const char *name, int64_t from) {
  for (size_t at = (size_t)from; at < flow->ops.count; ++at)
    if (stow_ir_op_is(flow->ops.at[at], name))
      return (int64_t)at;
  return -1;
}

static MlirValue result_at(const stow_flow *flow, int64_t position) {
  return mlirOperationGetResult(flow->ops.at[position], 0);
}

static int32_t result_of(const stow_flow *flow, const char *name) {
  return value_of(flow, result_at(flow, find_op(flow, name, 0)));
}

static const stow_edge *edge_between(const stow_flow *flow, int32_t from, int32_t to) {
  for (size_t e = 0; e < flow->edges.count; ++e)
    if (flow->edges.at[e].from == from && flow->edges.at[e].to == to)
      return &flow->edges.at[e];
  return NULL;
}

static int32_t segment_at(const stow_flow *flow, int64_t position) {
  for (size_t s = 0; s < flow->control.segments.count; ++s)
    if (flow->control.segments.at[s].begin <= position &&
        position < flow->control.segments.at[s].end)
      return (int32_t)s;
  return -1;
}

static bool jumps(const stow_flow *flow, int32_t from, int32_t to) {
  for (size_t j = 0; j < flow->control.jumps.count; ++j)
    if (flow->control.jumps.at[j].from == from && flow->control.jumps.at[j].to == to)
      return true;
  return false;
}

static void views_and_uses(void) {
  test_program program = test_parse("func.func @f(%x: f32, %i: index) {\n"
                                    "  %a = memref.alloc() : memref<4xf32>\n"
                                    "  %b = memref.cast %a : memref<4xf32> to memref<?xf32>\n"
                                    "  memref.store %x, %b[%i] : memref<?xf32>\n"
                                    "  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)\n"
                                    "  memref.dealloc %a : memref<4xf32>\n"
                                    "  return\n"
                                    "}\n");
  stow_flow flow = test_flow_of(&program);
  int32_t a = result_of(&flow, "memref.alloc"), b = result_of(&flow, "memref.cast");
  CHECK_EQ(flow.allocs.count, 1);
  CHECK_EQ(flow.allocs.at[0].value, a);
  CHECK(edge_between(&flow, a, b) && !edge_between(&flow, a, b)->control);
  CHECK(!edge_between(&flow, b, a));
  CHECK_EQ(flow.uses.count, 2);
  for (size_t u = 0; u < flow.uses.count; ++u) {
    bool store = stow_ir_op_is(flow.ops.at[flow.uses.at[u].begin], "memref.store");
    CHECK_EQ(flow.uses.at[u].value, store ? b : a);
    CHECK_EQ(flow.uses.at[u].overwrites, !store);
  }
  CHECK_EQ(flow.frees.count, 1);
  CHECK_EQ(flow.escapes.count, 0);
  CHECK_EQ(flow.control.segments.count, 1);
  CHECK_EQ(flow.control.jumps.count, 0);
  stow_flow_free(&flow);
  test_program_free(&program);
}

static void arms_of_an_if(void) {
  test_program program = test_parse("func.func @f(%c: i1) -> memref<4xf32> {\n"
                                    "  %r = scf.if %c -> memref<4xf32> {\n"
                                    "    %a = memref.alloc() : memref<4xf32>\n"
                                    "    scf.yield %a : memref<4xf32>\n"
                                    "  } else {\n"
                                    "    %b = memref.alloc() : memref<4xf32>\n"
                                    "    scf.yield %b : memref<4xf32>\n"
                                    "  }\n"
                                    "  return %r : memref<4xf32>\n"
                                    "}\n");
  stow_flow flow = test_flow_of(&program);
  int64_t begin = find_op(&flow, "scf.if", 0), end = find_op(&flow, "scf.if", begin + 1);
  int32_t r = value_of(&flow, result_at(&flow, begin));
  CHECK_EQ(flow.allocs.count, 2);
  for (size_t a = 0; a < flow.allocs.count; ++a) {
    const stow_edge *edge = edge_between(&flow, flow.allocs.at[a].value, r);
    CHECK(edge && edge->control && edge->carried < 0);
    int32_t arm = segment_at(&flow, flow.allocs.at[a].position);
    CHECK(jumps(&flow, segment_at(&flow, begin), arm));
    CHECK(jumps(&flow, arm, segment_at(&flow, end)));
  }
  CHECK(!jumps(&flow, segment_at(&flow, begin), segment_at(&flow, end)));
  CHECK_EQ(flow.escapes.count, 1);
  CHECK_EQ(flow.escapes.at[0].value, r);
  CHECK_EQ(flow.escapes.at[0].reason, STOW_RETURNED);
  stow_flow_free(&flow);
  test_program_free(&program);
}

static void carried_by_a_loop(void) {
  test_program program =
      test_parse("func.func @f(%n: index, %x: f32) {\n"
                 "  %a = memref.alloc() : memref<4xf32>\n"
                 "  %r = scf.for %i = %n to %n step %n iter_args(%m = %a) -> memref<4xf32> {\n"
                 "    linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)\n"
                 "    scf.yield %m : memref<4xf32>\n"
                 "  }\n"
                 "  memref.dealloc %r : memref<4xf32>\n"
                 "  return\n"
                 "}\n");
  stow_flow flow = test_flow_of(&program);
  int64_t begin = find_op(&flow, "scf.for", 0), end = find_op(&flow, "scf.for", begin + 1);
  int32_t a = result_of(&flow, "memref.alloc"), r = result_of(&flow, "scf.for");
  int32_t m = flow.uses.at[0].value, body = segment_at(&flow, flow.uses.at[0].begin);
  CHECK_EQ(flow.uses.count, 1);
  CHECK(edge_between(&flow, a, m) && edge_between(&flow, a, m)->carried < 0);
  CHECK(edge_between(&flow, m, m) && edge_between(&flow, m, m)->carried >= 0);
  CHECK(edge_between(&flow, m, r) && edge_between(&flow, a, r));
  CHECK(flow.nests.at[flow.values.at[m].nest].flags & STOW_NEST_REPEATS);
  CHECK(jumps(&flow, segment_at(&flow, begin), body) && jumps(&flow, body, body));
  CHECK(jumps(&flow, body, segment_at(&flow, end)));
  CHECK_EQ(flow.frees.at[0].value, r);
  stow_flow_free(&flow);
  test_program_free(&program);
}

static void branches(void) {
  test_program program =
      test_parse("func.func @f(%c: i1, %p: memref<4xf32>) {\n"
                 "  %a = memref.alloc() : memref<4xf32>\n"
                 "  cf.cond_br %c, ^b1(%a : memref<4xf32>), ^b1(%p : memref<4xf32>)\n"
                 "^b1(%m: memref<4xf32>):\n"
                 "  cf.cond_br %c, ^b1(%m : memref<4xf32>), ^b2\n"
                 "^b2:\n"
                 "  return\n"
                 "}\n");
  stow_flow flow = test_flow_of(&program);
  int32_t a = result_of(&flow, "memref.alloc");
  MlirBlock entry = mlirRegionGetFirstBlock(flow.body), loop = mlirBlockGetNextInRegion(entry);
  int32_t p = value_of(&flow, mlirBlockGetArgument(entry, 1));
  int32_t m = value_of(&flow, mlirBlockGetArgument(loop, 0));
  CHECK(flow.values.at[p].foreign && !flow.values.at[a].foreign);
  CHECK(flow.values.at[m].argument && flow.values.at[m].header);
  CHECK(edge_between(&flow, a, m) && edge_between(&flow, p, m));
  CHECK(edge_between(&flow, m, m) && edge_between(&flow, m, m)->carried >= 0);
  CHECK_EQ(flow.control.segments.count, 3);
  CHECK(jumps(&flow, 0, 1) && jumps(&flow, 1, 1) && jumps(&flow, 1, 2));
  stow_flow_free(&flow);
  test_program_free(&program);
}

static void unknown_callee(void) {
  test_program program = test_parse("func.func @f() {\n"
                                    "  %a = memref.alloc() : memref<4xf32>\n"
                                    "  call @g(%a) : (memref<4xf32>) -> ()\n"
                                    "  return\n"
                                    "}\n"
                                    "func.func private @g(memref<4xf32>)\n");
  stow_flow flow = test_flow_of(&program);
  CHECK_EQ(flow.escapes.count, 1);
  CHECK_EQ(flow.escapes.at[0].reason, STOW_CALLED);
  CHECK(stow_ir_op_is(flow.escapes.at[0].op, "func.call"));
  stow_flow_free(&flow);
  test_program_free(&program);
}

static const stow_exit *exit_between(const stow_control *control, int32_t from, int32_t to) {
  for (size_t j = 0; j < control->jumps.count; ++j)
    if (control->jumps.at[j].from == from && control->jumps.at[j].to == to)
      return &control->exits.at[j];
  return NULL;
}

static void control_of_a_region(void) {
  test_program program = test_parse("func.func @f(%c: i1, %a: memref<4xf32>) {\n"
                                    "  scf.if %c {\n"
                                    "    %b = memref.alloc() : memref<4xf32>\n"
                                    "  }\n"
                                    "  cf.cond_br %c, ^l(%a : memref<4xf32>), ^e\n"
                                    "^l(%x: memref<4xf32>):\n"
                                    "  cf.br ^l(%x : memref<4xf32>)\n"
                                    "^lost:\n"
                                    "  cf.br ^e\n"
                                    "^e:\n"
                                    "  return\n"
                                    "}\n");
  stow_region_control read;
  stow_control_read(mlirOperationGetRegion(program.function, 0), &read);
  const stow_control *control = &read.flow;
  enum { ENTRY, BEHIND, LOOP, LOST, END, THEN };
  CHECK_EQ(control->segments.count, 6);
  CHECK_EQ(read.regions.count, 3); // the else is empty
  for (int32_t s = 0; s < 6; ++s)
    CHECK_EQ(control->segments.at[s].reachable, s != LOST);
  CHECK(stow_ir_op_is(control->segments.at[ENTRY].last, "scf.if"));
  CHECK(mlirOperationEqual(control->segments.at[BEHIND].after, control->segments.at[ENTRY].last));
  CHECK_EQ(control->segments.at[THEN].region, 1);
  CHECK_EQ(control->jumps.count, 7);
  CHECK_EQ(exit_between(control, ENTRY, BEHIND)->empty_region, 1);
  CHECK_EQ(exit_between(control, ENTRY, THEN)->empty_region, -1);
  CHECK(exit_between(control, THEN, BEHIND) && exit_between(control, LOST, END));
  CHECK_EQ(exit_between(control, BEHIND, LOOP)->successor, 0);
  CHECK_EQ(exit_between(control, BEHIND, END)->successor, 1);
  CHECK_EQ(read.carried.count, 2);
  CHECK_EQ(read.carried.at[0].operand, 1);
  CHECK_EQ(control->jumps.at[read.carried.at[1].jump].from, LOOP);
  stow_region_control_free(&read);
  test_program_free(&program);
}

//===----------------------------------------------------------------------===//
// Uses by all names
//===----------------------------------------------------------------------===//

typedef STOW_ARRAY(MlirOpOperand) use_list;

// By the definition. Names that are views of each other end at the value asked for.
static void list_uses(MlirValue name, MlirValue value, use_list *out) {
  STOW_EACH_USE(use, name) {
    STOW_PUSH(*out, use);
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_ir_makes_view(use) && !mlirValueEqual(mlirOperationGetResult(op, 0), value))
      list_uses(mlirOperationGetResult(op, 0), value, out);
  }
}

static void check_uses_of(MlirValue value, size_t count) {
  use_list expected = {0};
  list_uses(value, value, &expected);
  CHECK_EQ(expected.count, count);
  size_t at = 0;
  STOW_EACH_USE_OF_NAMES(use, value) {
    CHECK(at < expected.count && use.ptr == expected.at[at].ptr);
    if (++at > expected.count)
      break;
  }
  CHECK_EQ(at, expected.count);
  free(expected.at);
}

// Siblings, a view of a view, one without a use, one used in a region, a shape that is no name of
// what it shapes, and in a block that nothing reaches two that are views of each other.
static void uses_of_names(void) {
  test_program program = test_parse(
      "func.func @f(%x: f32, %i: index, %a: memref<4xf32>, %s: memref<1xindex>) {\n"
      "  %b = memref.cast %a : memref<4xf32> to memref<?xf32>\n"
      "  %c = memref.cast %b : memref<?xf32> to memref<4xf32>\n"
      "  memref.store %x, %c[%i] : memref<4xf32>\n"
      "  %d = memref.cast %a : memref<4xf32> to memref<?xf32>\n"
      "  scf.for %k = %i to %i step %i {\n"
      "    memref.store %x, %b[%k] : memref<?xf32>\n"
      "  }\n"
      "  %r = memref.reshape %a(%s) : (memref<4xf32>, memref<1xindex>) -> memref<?xf32>\n"
      "  memref.store %x, %r[%i] : memref<?xf32>\n"
      "  memref.copy %c, %a : memref<4xf32> to memref<4xf32>\n"
      "  return\n"
      "^unreached:\n"
      "  %v = memref.cast %w : memref<?xf32> to memref<4xf32>\n"
      "  %w = memref.cast %v : memref<4xf32> to memref<?xf32>\n"
      "  memref.store %x, %v[%i] : memref<4xf32>\n"
      "  return\n"
      "}\n");
  stow_flow flow = test_flow_of(&program);
  const MlirBlock entry = mlirRegionGetFirstBlock(flow.body);
  check_uses_of(mlirBlockGetArgument(entry, 2), 9);
  check_uses_of(mlirBlockGetArgument(entry, 3), 1);
  const MlirOperation cast = mlirBlockGetFirstOperation(mlirBlockGetNextInRegion(entry));
  check_uses_of(mlirOperationGetResult(cast, 0), 3);
  stow_flow_free(&flow);
  test_program_free(&program);
}

TEST_MAIN(TEST(control_of_a_region), TEST(views_and_uses), TEST(arms_of_an_if),
          TEST(carried_by_a_loop), TEST(branches), TEST(unknown_callee), TEST(uses_of_names))
