//===- tighten.c - bounds that say no more than they must -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of several lower bounds the largest holds, of several upper ones the smallest. One that never
// is, in any iteration of the loops around, can go.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

// Whether result `k` never exceeds result `other`; for upper bounds, never is less.
static bool is_implied(const stow_executions *e, size_t k, size_t other, bool lower) {
  int64_t *row = stow_executions_row(e), most = 0;
  row[stow_executions_result(e, 0, k)] = lower ? 1 : -1;
  row[stow_executions_result(e, 0, other)] = lower ? -1 : 1;
  const stow_affine_extent extent = stow_executions_largest(e, NULL, 0, row, &most);
  free(row);
  return extent == STOW_AFFINE_BOUNDED && most <= 0;
}

// Lists the results that are needed; returns how many.
static size_t needed_results(const stow_executions *e, size_t count, bool lower, intptr_t *out) {
  bool *dropped = stow_ir_allocate(count, sizeof *dropped);
  size_t needed = 0;
  for (size_t k = 0; k < count; ++k)
    for (size_t other = 0; other < count && !dropped[k]; ++other)
      dropped[k] = other != k && !dropped[other] && is_implied(e, k, other, lower);
  for (size_t k = 0; k < count; ++k)
    if (!dropped[k])
      out[needed++] = (intptr_t)k;
  free(dropped);
  return needed;
}

static void tighten_bound(MlirOperation loop, bool lower) {
  const char *name = lower ? "lowerBoundMap" : "upperBoundMap";
  stow_execution bound = stow_taskflow_bound_execution(loop, lower);
  const size_t count = (size_t)mlirAffineMapGetNumResults(bound.value.map);
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(loop, name));
  if (count < 2 || (size_t)mlirAffineMapGetNumResults(map) != count) {
    free(bound.value.operands);
    return;
  }
  stow_executions *e = stow_executions_create(&bound, 1);
  intptr_t *needed = stow_ir_allocate(count, sizeof *needed);
  const size_t left = needed_results(e, count, lower, needed);
  stow_executions_free(e);
  if (left < count)
    mlirOperationSetAttributeByName(
        loop, stow_ir_string(name),
        mlirAffineMapAttrGet(mlirAffineMapGetSubMap(map, (intptr_t)left, needed)));
  free(needed);
}

//===----------------------------------------------------------------------===//
// Loops that run once, or never
//===----------------------------------------------------------------------===//

static MlirValue build_lower_bound(MlirOperation loop) {
  stow_affine_value lower = stow_bridge_affine_lower_bound(loop);
  MlirOperation apply = stow_taskflow_make_apply(mlirOperationGetLocation(loop), &lower);
  free(lower.operands);
  stow_ir_insert_before(loop, apply);
  return stow_taskflow_result(apply);
}

static void replace_by_body(MlirOperation loop) {
  MlirBlock body = stow_taskflow_loop_body(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  mlirValueReplaceAllUsesOfWith(stow_taskflow_loop_variable(loop), build_lower_bound(loop));
  for (intptr_t i = 0; i < stow_taskflow_loop_carried(loop); ++i) {
    mlirValueReplaceAllUsesOfWith(
        mlirBlockGetArgument(body, 1 + i),
        mlirOperationGetOperand(loop, stow_taskflow_loop_first_init(loop) + i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i),
                                  mlirOperationGetOperand(yield, i));
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, yield);
       op = mlirBlockGetFirstOperation(body))
    mlirOperationMoveBefore(op, loop);
  mlirOperationDestroy(loop);
}

static bool never_runs(MlirOperation loop) {
  const stow_execution inside = {mlirBlockGetTerminator(stow_taskflow_loop_body(loop)),
                                 stow_bridge_affine_lower_bound(loop), 0};
  stow_executions *e = stow_executions_create(&inside, 1);
  const bool runs = stow_executions_possible(e);
  stow_executions_free(e);
  return !runs;
}

static bool has_one_lower_bound(MlirOperation loop) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(loop, "lowerBoundMap"));
  return mlirAffineMapGetNumResults(map) == 1;
}

void stow_taskflow_tighten(MlirBlock body) {
  stow_op_list loops = stow_ir_ops_in(mlirBlockGetParentOperation(body), stow_taskflow_is_loop);
  for (size_t i = 0; i < loops.count; ++i) {
    tighten_bound(loops.at[i], true);
    tighten_bound(loops.at[i], false);
  }
  for (size_t i = loops.count; i-- > 0;)
    if (stow_taskflow_loop_carried(loops.at[i]) == 0 && never_runs(loops.at[i]))
      mlirOperationDestroy(loops.at[i]);
    else if (stow_bridge_affine_trip_count(loops.at[i]) == 1 && has_one_lower_bound(loops.at[i]))
      replace_by_body(loops.at[i]);
  free(loops.at);
}
