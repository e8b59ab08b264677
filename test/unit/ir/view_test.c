//===- view_test.c - which elements a view names --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's verifier computes the strides of a view from those of its source by itself. So the cell
// that an index of the view names is known twice: by the view's type, and by the index map and the
// source's type.
//
//===----------------------------------------------------------------------===//

#include "foreign.h"
#include "ir/view.h"
#include "programs.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

enum { MAX_RANK = 4, MAX_OPS = 32 };

// The ops of a program that are not constants, in order.
static intptr_t views_of(const test_program *program, MlirOperation *out) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(program->function, 0));
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && count < MAX_OPS; op = mlirOperationGetNextInBlock(op))
    if (mlirOperationGetNumOperands(op) > 0)
      out[count++] = op;
  return count;
}

//===----------------------------------------------------------------------===//
// Against the types
//===----------------------------------------------------------------------===//

static int64_t cell_of(MlirType type, const int64_t *index) {
  int64_t strides[MAX_RANK + 1], cell = 0;
  CHECK(mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &cell)));
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    cell += strides[i] * index[i];
  return cell;
}

static int64_t at_index(MlirAffineExpr e, const int64_t *index) {
  if (mlirAffineExprIsAConstant(e))
    return mlirAffineConstantExprGetValue(e);
  if (mlirAffineExprIsADim(e))
    return index[mlirAffineDimExprGetPosition(e)];
  const int64_t left = at_index(mlirAffineBinaryOpExprGetLHS(e), index),
                right = at_index(mlirAffineBinaryOpExprGetRHS(e), index);
  CHECK(mlirAffineExprIsAAdd(e) || mlirAffineExprIsAMul(e));
  return mlirAffineExprIsAAdd(e) ? left + right : left * right;
}

static bool next(int64_t *index, MlirType type) {
  for (intptr_t i = mlirShapedTypeGetRank(type); i-- > 0; index[i] = 0)
    if (++index[i] < mlirShapedTypeGetDimSize(type, i))
      return true;
  return false;
}

static void check_cells(MlirOperation op, MlirAffineMap map) {
  const MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0)),
                 view = mlirValueGetType(mlirOperationGetResult(op, 0));
  int64_t index[MAX_RANK + 1] = {0}, under[MAX_RANK + 1];
  CHECK_EQ(mlirAffineMapGetNumDims(map), mlirShapedTypeGetRank(view));
  CHECK_EQ(mlirAffineMapGetNumResults(map), mlirShapedTypeGetRank(source));
  do {
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      under[i] = at_index(mlirAffineMapGetResult(map, i), index);
      CHECK(0 <= under[i] && under[i] < mlirShapedTypeGetDimSize(source, i));
    }
    CHECK_EQ(cell_of(source, under), cell_of(view, index));
  } while (next(index, view));
}

// Views of static sizes: their cells are right, and how many of them have no map.
static intptr_t check_views(const char *text) {
  test_program program = test_parse(text);
  MlirOperation ops[MAX_OPS];
  intptr_t none = 0;
  for (intptr_t i = 0, count = views_of(&program, ops); i < count; ++i) {
    stow_view view;
    CHECK(stow_view_read(ops[i], &view));
    CHECK(view.of_memref);
    const MlirAffineMap map = stow_view_map(ops[i], &view);
    if (mlirAffineMapIsNull(map))
      ++none;
    else
      check_cells(ops[i], map);
  }
  test_program_free(&program);
  return none;
}

static void reshapes(void) {
  CHECK_EQ(check_views("func.func @f(%m: memref<2x6x5xf32>, %t: memref<1x6x1xf32>,\n"
                       "             %s: memref<6x4xf32, strided<[9, 2], offset: 3>>) {\n"
                       "  %0 = memref.cast %m : memref<2x6x5xf32> to memref<?x6x5xf32>\n"
                       "  %1 = memref.expand_shape %m [[0], [1, 2, 3], [4]] output_shape "
                       "[2, 2, 1, 3, 5] : memref<2x6x5xf32> into memref<2x2x1x3x5xf32>\n"
                       "  %2 = memref.expand_shape %s [[0, 1], [2]] output_shape [3, 2, 4] :\n"
                       "    memref<6x4xf32, strided<[9, 2], offset: 3>> into\n"
                       "    memref<3x2x4xf32, strided<[18, 9, 2], offset: 3>>\n"
                       "  %3 = memref.collapse_shape %t [[0, 1, 2]] :\n"
                       "    memref<1x6x1xf32> into memref<6xf32>\n"
                       "  %4 = memref.collapse_shape %m [[0, 1], [2]] :\n"
                       "    memref<2x6x5xf32> into memref<12x5xf32>\n"
                       "  return\n"
                       "}\n"),
           1); // two numbers are not to be had of one without a division
}

static void put_dims(stow_text *text, const int64_t *sizes, const bool *dropped, unsigned rank) {
  for (unsigned i = 0; i < rank; ++i)
    if (!dropped || !dropped[i])
      stow_text_printf(text, "%lldx", (long long)sizes[i]);
}

static void put_list(stow_text *text, const int64_t *numbers, unsigned count) {
  stow_text_printf(text, "[");
  for (unsigned i = 0; i < count; ++i)
    stow_text_printf(text, "%s%lld", i ? ", " : "", (long long)numbers[i]);
  stow_text_printf(text, "]");
}

typedef struct part {
  unsigned rank;
  int64_t shape[MAX_RANK], offsets[MAX_RANK], sizes[MAX_RANK], steps[MAX_RANK];
  bool dropped[MAX_RANK];
} part;

static part grow_part(test_random *random) {
  part p = {.rank = 1 + (unsigned)random_below(random, MAX_RANK)};
  const bool drops = random_below(random, 2);
  for (unsigned i = 0; i < p.rank; ++i) {
    p.shape[i] = random_between(random, 1, 5);
    p.offsets[i] = random_between(random, 0, p.shape[i] - 1);
    p.steps[i] = random_between(random, 1, 2);
    p.sizes[i] = random_between(random, 1, (p.shape[i] - p.offsets[i] - 1) / p.steps[i] + 1);
    p.dropped[i] = drops && p.sizes[i] == 1;
  }
  return p;
}

static void put_part(stow_text *text, const part *p) {
  int64_t strides[MAX_RANK], left[MAX_RANK], stride = 1, offset = 0;
  unsigned kept = 0;
  for (unsigned i = p->rank; i-- > 0; stride *= p->shape[i]) {
    offset += p->offsets[i] * stride;
    strides[i] = stride * p->steps[i];
  }
  for (unsigned i = 0; i < p->rank; ++i)
    if (!p->dropped[i])
      left[kept++] = strides[i];
  stow_text_printf(text, "func.func @f(%%m: memref<");
  put_dims(text, p->shape, NULL, p->rank);
  stow_text_printf(text, "f32>) {\n  %%0 = memref.subview %%m");
  put_list(text, p->offsets, p->rank);
  put_list(text, p->sizes, p->rank);
  put_list(text, p->steps, p->rank);
  stow_text_printf(text, " : memref<");
  put_dims(text, p->shape, NULL, p->rank);
  stow_text_printf(text, "f32> to memref<");
  put_dims(text, p->sizes, p->dropped, p->rank);
  stow_text_printf(text, "f32, strided<");
  put_list(text, left, kept);
  stow_text_printf(text, ", offset: %lld>>\n  return\n}\n", (long long)offset);
}

static void random_parts(void) {
  test_random random = {17};
  for (int round = 0; round < 500; ++round) {
    const part p = grow_part(&random);
    stow_text text = {0};
    put_part(&text, &p);
    CHECK_EQ(check_views(text.data), 0);
    free(text.data);
  }
}

//===----------------------------------------------------------------------===//
// Of another dialect
//===----------------------------------------------------------------------===//

static test_program parse_foreign(const char *text) {
  test_program any = test_parse("func.func @f() {\n  return\n}\n");
  test_load_foreign(mlirModuleGetContext(any.module));
  test_program_free(&any);
  return test_parse(text);
}

// Each op by itself, as of that form: whether it is read; one digit per op.
static void check_read_as(const char *text, stow_view_form form, const char *expected) {
  test_program program = parse_foreign(text);
  MlirOperation ops[MAX_OPS];
  const intptr_t count = views_of(&program, ops);
  for (intptr_t i = 0; i < count && CHECK(expected[i] != '\0'); ++i) {
    stow_view view;
    CHECK(!stow_view_read(ops[i], &view)); // it has no row
    CHECK_EQ(stow_view_read_as(ops[i], form, &view), expected[i] == '1');
    CHECK(expected[i] == '0' || !view.of_memref);
  }
  CHECK_EQ(expected[count], '\0');
  test_program_free(&program);
}

static void foreign_parts(void) {
  static const char text[] =
      "func.func @f(%m: memref<9x4xf32>, %n: index, %u: memref<*xf32>) {\n"
      "  %0 = \"foreign.part\"(%m, %n) {static_offsets = array<i64: 2, 0>, static_sizes = "
      "array<i64: 1, 4>, static_strides = array<i64: 1, 1>} : (memref<9x4xf32>, index) -> "
      "memref<4xf32, strided<[1], offset: 8>>\n"
      "  %1 = \"foreign.part\"(%m, %n) {static_offsets = array<i64: 2, 0>, static_sizes = "
      "array<i64: 2, 4>, static_strides = array<i64: 1, 1>} : (memref<9x4xf32>, index) -> "
      "memref<4xf32, strided<[1], offset: 8>>\n" // of two rows one
      "  %2 = \"foreign.part\"(%m, %n) {static_offsets = array<i64: 2>, static_sizes = "
      "array<i64: 4>, static_strides = array<i64: 1>} : (memref<9x4xf32>, index) -> "
      "memref<4xf32, strided<[1], offset: 8>>\n" // fewer numbers than dimensions
      "  %3 = \"foreign.part\"(%u, %n) {static_offsets = array<i64: 2>, static_sizes = "
      "array<i64: 4>, static_strides = array<i64: 1>} : (memref<*xf32>, index) -> memref<4xf32>\n"
      "  %4 = \"foreign.other\"(%m) {static_offsets = array<i64: 2, 0>, static_sizes = "
      "array<i64: 1, 4>, static_strides = array<i64: 1, 1>} : (memref<9x4xf32>) -> "
      "memref<4xf32, strided<[1], offset: 8>>\n" // no interface
      "  %5 = \"foreign.other\"(%m) : (memref<9x4xf32>) -> memref<9x4xf32>\n"
      "  %6 = \"foreign.other\"(%n) : (index) -> memref<9x4xf32>\n"
      "  \"foreign.other\"(%m) : (memref<9x4xf32>) -> ()\n"
      "  return\n"
      "}\n";
  check_read_as(text, STOW_VIEW_PART, "10000000");
  check_read_as(text, STOW_VIEW_CAST, "00000100");
  check_read_as(text, STOW_VIEW_OTHER, "00000000");
}

// A group of reassociations in `groups`, of a join.
static void check_groups(const char *groups, const char *longer, const char *shorter, bool reads) {
  stow_text text = {0};
  stow_text_printf(&text,
                   "func.func @f(%%m: memref<%s>, %%n: memref<%s>) {\n"
                   "  %%0 = \"foreign.other\"(%%m) {%s} : (memref<%s>) -> memref<%s>\n"
                   "  return\n"
                   "}\n",
                   longer, shorter, groups, longer, shorter);
  check_read_as(text.data, STOW_VIEW_JOINED, reads ? "1" : "0");
  text.size = 0;
  stow_text_printf(&text,
                   "func.func @f(%%m: memref<%s>, %%n: memref<%s>) {\n"
                   "  %%0 = \"foreign.other\"(%%n) {%s} : (memref<%s>) -> memref<%s>\n"
                   "  return\n"
                   "}\n",
                   longer, shorter, groups, shorter, longer);
  check_read_as(text.data, STOW_VIEW_SPLIT, reads ? "1" : "0");
  free(text.data);
}

static void foreign_groups(void) {
  check_groups("reassociation = [[0, 1], [2]]", "2x3x5xf32", "6x5xf32", true);
  check_groups("reassociation = [[0, 1], [2]]", "?x3x5xf32", "?x5xf32", true);
  check_groups("reassociation = []", "1x1xf32", "f32", true);
  check_groups("reassociation = []", "4xf32", "f32", false);
  check_groups("reassociation = [[0], [1, 2]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[1, 0], [2]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, 1]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, 1], [3]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, 1], [2, 3]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, 1], [2], []]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, 1], []]", "2x3xf32", "6x1xf32", true);
  check_groups("reassociation = [[0, 1], 2]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, true], [2]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, \"1\"], [2]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = 2", "2x3x5xf32", "6x5xf32", false);
  check_groups("association = [[0, 1], [2]]", "2x3x5xf32", "6x5xf32", false);
  check_groups("reassociation = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]",
               "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32", "1xf32", false); // more than are read
}

TEST_MAIN(TEST(reshapes), TEST(random_parts), TEST(foreign_parts), TEST(foreign_groups))
