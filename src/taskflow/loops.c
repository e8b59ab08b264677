//===- loops.c - affine.for and affine accesses as C sees them ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders and readers for affine.for, affine.load, affine.store and affine.apply, which the C API
// knows only as generic ops.
//
//===----------------------------------------------------------------------===//

#include "taskflow/loops.h"

#include "ir/op.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/ops.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool stow_taskflow_is_load(MlirOperation op) { return stow_ir_is(op, STOW_AFFINE_LOAD); }
bool stow_taskflow_is_store(MlirOperation op) { return stow_ir_is(op, STOW_AFFINE_STORE); }
bool stow_taskflow_is_access(MlirOperation op) {
  return stow_taskflow_is_load(op) || stow_taskflow_is_store(op);
}

MlirValue stow_taskflow_access_memref(MlirOperation access) {
  return mlirOperationGetOperand(access, stow_taskflow_is_store(access));
}

MlirValue stow_taskflow_stored_value(MlirOperation store) {
  assert(stow_taskflow_is_store(store));
  return mlirOperationGetOperand(store, 0);
}

bool stow_taskflow_names_accessed(MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  return stow_taskflow_is_access(user) &&
         mlirOpOperandGetOperandNumber(use) == stow_taskflow_is_store(user);
}

bool stow_taskflow_may_be_in_map(MlirValue value, MlirOperation op) {
  const bool one_of_several =
      mlirValueIsAOpResult(value) && mlirOperationGetNumResults(mlirOpResultGetOwner(value)) > 1;
  return !one_of_several && stow_bridge_affine_is_operand(value, op);
}

static void add_place(stow_op *op, MlirOperation access) {
  for (intptr_t i = stow_taskflow_is_store(access), n = mlirOperationGetNumOperands(access); i < n;
       ++i)
    stow_op_operand(op, mlirOperationGetOperand(access, i));
  stow_op_attribute(op, "map", stow_attribute_of(access, "map"));
}

static MlirOperation insert(stow_op *op, MlirOperation before) {
  MlirOperation made = stow_op_end(op);
  stow_ir_insert_before(before, made);
  return made;
}

MlirOperation stow_taskflow_build_load_like(MlirOperation access, MlirOperation before) {
  stow_op op = stow_op_begin(STOW_AFFINE_LOAD, mlirOperationGetLocation(access));
  add_place(&op, access);
  stow_op_result(
      &op, mlirShapedTypeGetElementType(mlirValueGetType(stow_taskflow_access_memref(access))));
  return insert(&op, before);
}

MlirOperation stow_taskflow_build_store_like(MlirOperation access, MlirValue value,
                                             MlirOperation before) {
  stow_op op = stow_op_begin(STOW_AFFINE_STORE, mlirOperationGetLocation(access));
  stow_op_operand(&op, value);
  add_place(&op, access);
  return insert(&op, before);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool stow_taskflow_is_loop(MlirOperation op) { return stow_ir_is(op, STOW_AFFINE_FOR); }

MlirBlock stow_taskflow_loop_body(MlirOperation loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
}

MlirValue stow_taskflow_loop_variable(MlirOperation loop) {
  return mlirBlockGetArgument(stow_taskflow_loop_body(loop), 0);
}

intptr_t stow_taskflow_loop_carried(MlirOperation loop) { return mlirOperationGetNumResults(loop); }

intptr_t stow_taskflow_loop_first_init(MlirOperation loop) {
  return mlirOperationGetNumOperands(loop) - stow_taskflow_loop_carried(loop);
}

static MlirRegion loop_region(MlirContext context, MlirLocation location, const MlirValue *inits,
                              size_t init_count) {
  MlirType index = mlirIndexTypeGet(context);
  MlirBlock body = mlirBlockCreate(1, &index, &location);
  for (size_t i = 0; i < init_count; ++i)
    mlirBlockAddArgument(body, mlirValueGetType(inits[i]), location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  return region;
}

MlirOperation stow_taskflow_build_loop_like(MlirOperation like, MlirOperation before,
                                            const MlirValue *inits, size_t init_count) {
  static const char *const kept[] = {"lowerBoundMap", "upperBoundMap", "step"};
  MlirLocation location = mlirOperationGetLocation(like);
  stow_op op = stow_op_begin(STOW_AFFINE_FOR, location);
  for (intptr_t i = 0, n = stow_taskflow_loop_first_init(like); i < n; ++i)
    stow_op_operand(&op, mlirOperationGetOperand(like, i));
  stow_op_operands(&op, inits, init_count);
  for (size_t i = 0; i < init_count; ++i)
    stow_op_result(&op, mlirValueGetType(inits[i]));
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
    stow_op_attribute(&op, kept[i], stow_attribute_of(like, kept[i]));
  MlirAttribute segments = stow_attribute_of(like, "operandSegmentSizes");
  const int32_t sizes[] = {mlirDenseI32ArrayGetElement(segments, 0),
                           mlirDenseI32ArrayGetElement(segments, 1), (int32_t)init_count};
  stow_op_segments(&op, "operandSegmentSizes", sizes, 3);
  stow_op_region(&op, loop_region(op.context, location, inits, init_count));
  return insert(&op, before);
}

MlirOperation stow_taskflow_build_loop_between(MlirOperation before, MlirLocation location,
                                               const stow_affine_value *lower,
                                               const stow_affine_value *upper, int64_t step,
                                               const MlirValue *inits, size_t init_count) {
  stow_op op = stow_op_begin(STOW_AFFINE_FOR, location);
  const int32_t segments[] = {(int32_t)lower->operand_count, (int32_t)upper->operand_count,
                              (int32_t)init_count};
  stow_op_operands(&op, lower->operands, lower->operand_count);
  stow_op_operands(&op, upper->operands, upper->operand_count);
  stow_op_operands(&op, inits, init_count);
  for (size_t i = 0; i < init_count; ++i)
    stow_op_result(&op, mlirValueGetType(inits[i]));
  stow_op_attribute(&op, "lowerBoundMap", mlirAffineMapAttrGet(lower->map));
  stow_op_attribute(&op, "upperBoundMap", mlirAffineMapAttrGet(upper->map));
  stow_op_attribute(&op, "step", mlirIntegerAttrGet(mlirIndexTypeGet(op.context), step));
  stow_op_segments(&op, "operandSegmentSizes", segments, 3);
  stow_op_region(&op, loop_region(op.context, location, inits, init_count));
  return insert(&op, before);
}

MlirOperation stow_taskflow_build_loop(MlirOperation before, MlirLocation location,
                                       const stow_loop_bounds *bounds, const MlirValue *inits,
                                       size_t init_count) {
  MlirValue ends[] = {bounds->of_lower, bounds->of_upper};
  const stow_affine_value lower = {bounds->lower, &ends[0], !mlirValueIsNull(ends[0])},
                          upper = {bounds->upper, &ends[1], !mlirValueIsNull(ends[1])};
  return stow_taskflow_build_loop_between(before, location, &lower, &upper, bounds->step, inits,
                                          init_count);
}

static MlirAffineMap bound_map(MlirContext context, bool symbolic, int64_t constant) {
  MlirAffineExpr result =
      symbolic ? mlirAffineSymbolExprGet(context, 0) : mlirAffineConstantExprGet(context, constant);
  return mlirAffineMapGet(context, 0, symbolic, 1, &result);
}

stow_loop_bounds stow_taskflow_constant_bounds(MlirContext context, int64_t lower, int64_t upper) {
  return (stow_loop_bounds){.lower = bound_map(context, false, lower),
                            .upper = bound_map(context, false, upper),
                            .step = 1};
}

MlirOperation stow_taskflow_build_counting_loop(MlirOperation before, MlirLocation location,
                                                MlirValue size, int64_t constant) {
  MlirContext context = mlirLocationGetContext(location);
  stow_loop_bounds bounds = stow_taskflow_constant_bounds(context, 0, constant);
  bounds.upper = bound_map(context, !mlirValueIsNull(size), constant);
  bounds.of_upper = size;
  MlirOperation loop = stow_taskflow_build_loop(before, location, &bounds, NULL, 0);
  stow_taskflow_build_affine_yield(stow_taskflow_loop_body(loop), location, NULL, 0);
  return loop;
}

void stow_taskflow_build_affine_yield(MlirBlock body, MlirLocation location,
                                      const MlirValue *values, size_t count) {
  stow_op op = stow_op_begin(STOW_AFFINE_YIELD, location);
  stow_op_operands(&op, values, count);
  mlirBlockAppendOwnedOperation(body, stow_op_end(&op));
}

void stow_taskflow_take_over_loop(MlirOperation from, MlirOperation to) {
  MlirBlock old = stow_taskflow_loop_body(from), body = stow_taskflow_loop_body(to);
  mlirValueReplaceAllUsesOfWith(stow_taskflow_loop_variable(from), stow_taskflow_loop_variable(to));
  for (intptr_t i = 0; i < stow_taskflow_loop_carried(from); ++i) {
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(old, 1 + i),
                                  mlirBlockGetArgument(body, 1 + i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(from, i), mlirOperationGetResult(to, i));
  }
  MlirOperation yield = mlirBlockGetTerminator(old);
  for (MlirOperation op = mlirBlockGetFirstOperation(old); !mlirOperationEqual(op, yield);
       op = mlirBlockGetFirstOperation(old))
    stow_move_to_end(op, body);
}

MlirOperation stow_taskflow_make_apply(MlirLocation location, const stow_affine_value *value) {
  stow_op op = stow_op_begin(STOW_AFFINE_APPLY, location);
  stow_op_operands(&op, value->operands, value->operand_count);
  stow_op_attribute(&op, "map", mlirAffineMapAttrGet(value->map));
  stow_op_result(&op, mlirIndexTypeGet(op.context));
  return stow_op_end(&op);
}
