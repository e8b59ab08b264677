//===- loops.c - along which loop an op is split --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a structured op with constant extents. Computes what each index is as a sum of its
// loops, and whether the op can be split along one: iterations write other cells or add to each in
// the same order, and each operand can be cut to what some of them use.
//
//===----------------------------------------------------------------------===//

#include "rows/block.h"

#include "bridge/linalg.h"
#include "ir/sums.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

bool stow_rows_loops_of(MlirOperation op, stow_rows_loops *out) {
  out->count = stow_bridge_loop_count(op);
  if (out->count < 0 || out->count > STOW_ROWS_MOST_RANK)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsAMemRef(type) && mlirShapedTypeGetRank(type) > STOW_ROWS_MOST_RANK)
      return false;
  }
  stow_bridge_loops(op, out->extents, out->parallel);
  for (intptr_t i = 0; i < out->count; ++i)
    if (out->extents[i] < 1)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static bool divided(MlirAffineExpr e, stow_rows_index *out) {
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(e), right = mlirAffineBinaryOpExprGetRHS(e);
  if (!mlirAffineExprIsADim(left) || !mlirAffineExprIsAConstant(right))
    return false;
  out->coefficients[mlirAffineDimExprGetPosition(left)] = 1;
  out->divisor = mlirAffineConstantExprGetValue(right);
  return out->divisor > 0;
}

bool stow_rows_index_of(MlirAffineMap map, intptr_t dim, stow_rows_index *out) {
  MlirAffineExpr e = mlirAffineMapGetResult(map, dim);
  memset(out, 0, sizeof *out);
  out->divisor = 1;
  return mlirAffineExprIsAFloorDiv(e) ? divided(e, out)
                                      : stow_ir_add_sum(e, out->coefficients, &out->constant);
}

bool stow_rows_index_uses(MlirAffineMap map, intptr_t dim, intptr_t loop) {
  return mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, dim), loop);
}

void stow_rows_index_range(const stow_rows_loops *loops, const stow_rows_index *index,
                           intptr_t loop, int64_t *out_low, int64_t *out_high) {
  *out_low = *out_high = index->constant;
  for (intptr_t i = 0; i < loops->count; ++i) {
    const int64_t far = i == loop ? 0 : index->coefficients[i] * (loops->extents[i] - 1);
    *(far < 0 ? out_low : out_high) += far;
  }
}

//===----------------------------------------------------------------------===//
// What may be split
//===----------------------------------------------------------------------===//

// Whether each loop before `loop` runs once or chooses the cell written.
static bool is_first(const stow_rows_loops *loops, const bool *chooses, intptr_t loop) {
  for (intptr_t i = 0; i < loop; ++i)
    if (!chooses[i] && loops->extents[i] > 1)
      return false;
  return true;
}

// Iterations of `loop` write other cells, or each cell gets what they write in the same order.
static bool keeps_order(MlirAffineMap map, const stow_rows_loops *loops, intptr_t loop) {
  bool chooses[STOW_ROWS_MOST_RANK] = {false}, disjoint = false;
  for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map); ++dim) {
    stow_rows_index index;
    int64_t low, high;
    intptr_t used = 0, last = 0;
    if (!stow_rows_index_of(map, dim, &index) || index.divisor > 1)
      return false;
    for (intptr_t i = 0; i < loops->count; ++i)
      if (index.coefficients[i] != 0) {
        ++used;
        last = i;
      }
    if (used == 1)
      chooses[last] = true;
    stow_rows_index_range(loops, &index, loop, &low, &high);
    disjoint |= index.coefficients[loop] > high - low;
  }
  return disjoint || (!chooses[loop] && is_first(loops, chooses, loop));
}

// The operand can be cut to what some iterations of `loop` use of it.
static bool can_slice(MlirAffineMap map, const stow_rows_loops *loops, intptr_t loop) {
  bool sliced = false;
  for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map); ++dim) {
    stow_rows_index index;
    int64_t low, high;
    if (!stow_rows_index_uses(map, dim, loop))
      continue;
    if (sliced || !stow_rows_index_of(map, dim, &index) || index.coefficients[loop] < 1)
      return false;
    stow_rows_index_range(loops, &index, loop, &low, &high);
    if (low != 0)
      return false;
    sliced = true;
  }
  return true;
}

bool stow_rows_can_split(MlirOperation op, const MlirAffineMap *maps, const stow_rows_loops *loops,
                         intptr_t loop) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!can_slice(maps[i], loops, loop) ||
        (stow_bridge_loop_writes(op, i) && !keeps_order(maps[i], loops, loop)))
      return false;
  return true;
}
