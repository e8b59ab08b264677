//===- steady.c - loops split where their bodies become regular ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nests that keep pace begin and end at different times: their runs have constant bounds beside
// those that move with the common loop. From some iteration to another these do not count. There
// the common loop is split in three, so that the middle one has the moving bounds alone. The code
// of a loop grows threefold, whatever its bounds.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "taskflow/ops.h"

#include <stdlib.h>

// Iterations of a loop, [begin, end).
typedef struct range {
  int64_t begin, end;
} range;

static bool is_constant(MlirAffineMap map, size_t result) {
  return mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, (intptr_t)result));
}

// Leaves in `steady` no iteration of `loop` in which the constant bound `limit` of `inner` counts
// beside `moving`: for lower bounds these are the first ones, for upper ones the last.
static void exclude(MlirOperation inner, MlirOperation loop, bool lower, size_t limit,
                    size_t moving, range *steady) {
  const stow_execution bound = stow_bound_execution(inner, lower);
  stow_executions *e = stow_executions_create(&bound, 1);
  int64_t *row = stow_executions_row(e), *iteration = stow_executions_row(e), most;
  row[stow_executions_result(e, 0, limit)] = lower ? 1 : -1;
  row[stow_executions_result(e, 0, moving)] = lower ? -1 : 1;
  row[stow_executions_constant(e)] = -1;
  stow_executions_at_least(e, row);
  iteration[stow_executions_variable(e, 0, stow_loop_variable(loop))] = lower ? 1 : -1;
  const stow_affine_extent extent = stow_executions_largest(e, NULL, 0, iteration, &most);
  free(row);
  free(iteration);
  stow_executions_free(e);
  if (extent == STOW_AFFINE_BOUNDED && lower && most + 1 > steady->begin)
    steady->begin = most + 1;
  if (extent == STOW_AFFINE_BOUNDED && !lower && -most < steady->end)
    steady->end = -most;
}

// One that would leave nothing moves with another loop.
static void see_bound(MlirOperation inner, MlirOperation loop, bool lower, range *steady) {
  const stow_execution bound = stow_bound_execution(inner, lower);
  const MlirAffineMap map = bound.value.map;
  const size_t count = (size_t)mlirAffineMapGetNumResults(map);
  for (size_t limit = 0; limit < count; ++limit)
    for (size_t moving = 0; moving < count; ++moving) {
      range left = *steady;
      if (is_constant(map, limit) && !is_constant(map, moving))
        exclude(inner, loop, lower, limit, moving, &left);
      if (left.begin < left.end)
        *steady = left;
    }
  free(bound.value.operands);
}

// The iterations of the loop in which all loops inside have their moving bounds.
static range steady_range(MlirOperation loop, range all) {
  range steady = all;
  STOW_EACH_OP_OF(op, loop)
    if (stow_is_loop(op) && !mlirOperationEqual(op, loop)) {
      see_bound(op, loop, true, &steady);
      see_bound(op, loop, false, &steady);
    }
  return steady;
}

static void set_bound(MlirOperation loop, const char *name, int64_t value) {
  MlirContext context = mlirOperationGetContext(loop);
  MlirAffineExpr constant = mlirAffineConstantExprGet(context, value);
  mlirOperationSetAttributeByName(
      loop, stow_string(name), mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, 1, &constant)));
}

// Makes a copy of the loop before it that runs over `part`, where that is not empty.
static void split_off(MlirOperation loop, range part, MlirOperation before) {
  if (part.begin >= part.end)
    return;
  MlirOperation copy = mlirOperationClone(loop);
  set_bound(copy, "lowerBoundMap", part.begin);
  set_bound(copy, "upperBoundMap", part.end);
  stow_insert_before(before, copy);
}

// Whether the loop was split.
static bool split(MlirOperation loop) {
  range all;
  int64_t step;
  if (mlirOperationGetNumOperands(loop) > 0 ||
      !stow_affine_constant_bounds(loop, &all.begin, &all.end, &step) || step != 1)
    return false;
  const range steady = steady_range(loop, all);
  if (steady.begin + 1 >= steady.end || (steady.begin == all.begin && steady.end == all.end))
    return false;
  MlirOperation next = mlirOperationGetNextInBlock(loop);
  split_off(loop, (range){all.begin, steady.begin}, loop);
  split_off(loop, (range){steady.end, all.end}, next);
  set_bound(loop, "lowerBoundMap", steady.begin);
  set_bound(loop, "upperBoundMap", steady.end);
  return true;
}

void stow_split_steady(MlirBlock body) {
  stow_op_list loops = stow_ops_in(mlirBlockGetParentOperation(body), stow_is_loop);
  bool any = false;
  for (size_t i = 0; i < loops.count; ++i)
    any |= split(loops.at[i]);
  free(loops.at);
  if (any)
    stow_tighten(body);
}
