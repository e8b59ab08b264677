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
  const stow_execution bound = stow_taskflow_bound_execution(inner, lower);
  stow_executions *e = stow_executions_create(&bound, 1);
  int64_t *row = stow_executions_row(e), *iteration = stow_executions_row(e), most;
  row[stow_executions_result(e, 0, limit)] = lower ? 1 : -1;
  row[stow_executions_result(e, 0, moving)] = lower ? -1 : 1;
  row[stow_executions_constant(e)] = -1;
  stow_executions_at_least(e, row);
  iteration[stow_executions_variable(e, 0, stow_taskflow_loop_variable(loop))] = lower ? 1 : -1;
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
  const stow_execution bound = stow_taskflow_bound_execution(inner, lower);
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
    if (stow_taskflow_is_loop(op) && !mlirOperationEqual(op, loop)) {
      see_bound(op, loop, true, &steady);
      see_bound(op, loop, false, &steady);
    }
  return steady;
}

static void set_bound(MlirOperation loop, const char *name, int64_t value) {
  MlirContext context = mlirOperationGetContext(loop);
  MlirAffineExpr constant = mlirAffineConstantExprGet(context, value);
  mlirOperationSetAttributeByName(
      loop, stow_ir_string(name),
      mlirAffineMapAttrGet(mlirAffineMapGet(context, 0, 0, 1, &constant)));
}

// Makes a copy of the loop before it that runs over `part`, where that is not empty.
static void split_off(MlirOperation loop, range part, MlirOperation before) {
  if (part.begin >= part.end)
    return;
  MlirOperation copy = mlirOperationClone(loop);
  set_bound(copy, "lowerBoundMap", part.begin);
  set_bound(copy, "upperBoundMap", part.end);
  stow_ir_insert_before(before, copy);
}

// Whether the loop was split.
static bool split(MlirOperation loop) {
  range all;
  int64_t step;
  if (mlirOperationGetNumOperands(loop) > 0 ||
      !stow_bridge_affine_constant_bounds(loop, &all.begin, &all.end, &step) || step != 1)
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

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//
//
// An index that is kept modulo a window is a constant in each of as many iterations as the window
// has indices, where a common loop is unrolled by that number.

enum { MOST_COPIES = 6, MOST_OPS = 1024 }; // of the loop as it becomes

static bool uses_variable(MlirOperation access, MlirAffineExpr index, MlirOperation loop) {
  const intptr_t first = 1 + stow_taskflow_is_store(access),
                 count = mlirOperationGetNumOperands(access);
  for (intptr_t i = first; i < count; ++i)
    if (mlirAffineExprIsFunctionOfDim(index, i - first) &&
        mlirValueEqual(mlirOperationGetOperand(access, i), stow_taskflow_loop_variable(loop)))
      return true;
  return false;
}

// The common multiple of `copies` and the moduli of an access's indices that the loop moves; 0
// where it is too large.
static int64_t copies_for(MlirOperation access, MlirOperation loop, int64_t copies) {
  const MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(access, "map"));
  for (intptr_t k = 0, n = mlirAffineMapGetNumResults(map); k < n && copies > 0; ++k) {
    const MlirAffineExpr index = mlirAffineMapGetResult(map, k);
    if (!mlirAffineExprIsAMod(index) || !uses_variable(access, index, loop))
      continue;
    const MlirAffineExpr modulus = mlirAffineBinaryOpExprGetRHS(index);
    if (!mlirAffineExprIsAConstant(modulus)) // of the program, no window
      continue;
    const int64_t indices = mlirAffineConstantExprGetValue(modulus);
    copies = indices <= MOST_COPIES ? stow_ir_common_multiple(copies, indices) : 0;
    copies = copies <= MOST_COPIES ? copies : 0;
  }
  return copies;
}

static int64_t copies_of(MlirOperation loop) {
  int64_t copies = 1, ops = 0;
  STOW_EACH_OP_OF(op, loop) {
    ++ops;
    if (copies > 0 && stow_taskflow_is_access(op))
      copies = copies_for(op, loop, copies);
  }
  return ops * copies <= MOST_OPS ? copies : 0;
}

// (t) -> copies * t + first.
static MlirOperation make_iteration(MlirOperation loop, MlirValue t, int64_t copies,
                                    int64_t first) {
  MlirContext context = mlirOperationGetContext(loop);
  MlirAffineExpr at = mlirAffineMulExprGet(mlirAffineDimExprGet(context, 0),
                                           mlirAffineConstantExprGet(context, copies));
  at = mlirAffineAddExprGet(at, mlirAffineConstantExprGet(context, first));
  const stow_affine_value value = {mlirAffineMapGet(context, 1, 0, 1, &at), &t, 1};
  return stow_taskflow_make_apply(mlirOperationGetLocation(loop), &value);
}

static void add_iteration(MlirOperation loop, MlirOperation unrolled, int64_t copies,
                          int64_t first) {
  MlirOperation copy = mlirOperationClone(loop);
  MlirBlock from = stow_taskflow_loop_body(copy), to = stow_taskflow_loop_body(unrolled);
  MlirOperation apply = make_iteration(loop, stow_taskflow_loop_variable(unrolled), copies, first);
  mlirBlockAppendOwnedOperation(to, apply);
  mlirValueReplaceAllUsesOfWith(stow_taskflow_loop_variable(copy), stow_taskflow_result(apply));
  const MlirOperation yield = mlirBlockGetTerminator(from);
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationEqual(op, yield);
       op = mlirBlockGetFirstOperation(from))
    stow_move_to_end(op, to);
  mlirOperationDestroy(copy);
}

static void compose_accesses(MlirOperation root) {
  STOW_EACH_OP_OF(op, root)
    if (stow_taskflow_is_access(op))
      stow_bridge_affine_compose_access(op);
}

static void unroll(MlirOperation loop) {
  range all;
  int64_t step;
  if (mlirOperationGetNumOperands(loop) > 0 ||
      !stow_bridge_affine_constant_bounds(loop, &all.begin, &all.end, &step) || step != 1)
    return;
  const int64_t copies = copies_of(loop), trips = copies > 1 ? (all.end - all.begin) / copies : 0;
  if (trips < 2)
    return;
  const stow_loop_bounds bounds =
      stow_taskflow_constant_bounds(mlirOperationGetContext(loop), 0, trips);
  MlirOperation unrolled =
      stow_taskflow_build_loop(loop, mlirOperationGetLocation(loop), &bounds, NULL, 0);
  for (int64_t i = 0; i < copies; ++i)
    add_iteration(loop, unrolled, copies, all.begin + i);
  stow_taskflow_build_affine_yield(stow_taskflow_loop_body(unrolled),
                                   mlirOperationGetLocation(loop), NULL, 0);
  compose_accesses(unrolled);
  all.begin += trips * copies;
  if (all.begin < all.end)
    set_bound(loop, "lowerBoundMap", all.begin);
  else
    mlirOperationDestroy(loop);
}

void stow_taskflow_split_steady(MlirBlock body) {
  bool any = false;
  STOW_EACH_FOUND(loop, stow_ir_ops_in(mlirBlockGetParentOperation(body), stow_taskflow_is_loop))
    any |= split(loop);
  if (any)
    stow_taskflow_tighten(body);
}

void stow_taskflow_unroll_windows(MlirBlock body) {
  compose_accesses(mlirBlockGetParentOperation(body));
  stow_op_list loops = stow_ir_ops_in(mlirBlockGetParentOperation(body), stow_taskflow_is_loop);
  for (size_t i = loops.count; i-- > 0;) // inner ones first
    unroll(loops.at[i]);
  free(loops.at);
}
