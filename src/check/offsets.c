//===- offsets.c - what byte offsets may be ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval arithmetic, from constants up. No bound exceeds MOST, so nothing wraps, whatever the
// width of index is. Depth and number of visits are limited.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/steps.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static const int64_t MOST = INT32_MAX;

static bool constant_of(MlirValue value, int64_t *out) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!stow_ir_op_is(op, "arith.constant") && !stow_ir_op_is(op, "index.constant"))
    return false;
  MlirAttribute number = stow_attribute_of(op, "value");
  if (!mlirAttributeIsAInteger(number))
    return false;
  *out = mlirIntegerAttrGetValueInt(number);
  return true;
}

// As index arithmetic of 64 bits does it: it wraps.
static int64_t sum_of(int64_t a, int64_t b) {
  int64_t sum;
  (void)__builtin_add_overflow(a, b, &sum);
  return sum;
}

MlirValue stow_check_offset_split(MlirValue value, int64_t *out_constant) {
  int64_t number;
  *out_constant = 0;
  for (;;) {
    if (constant_of(value, &number)) {
      *out_constant = sum_of(*out_constant, number);
      return (MlirValue){NULL};
    }
    if (!mlirValueIsAOpResult(value) || !stow_ir_op_is(mlirOpResultGetOwner(value), "arith.addi"))
      return value;
    MlirOperation sum = mlirOpResultGetOwner(value);
    int constant_side = constant_of(mlirOperationGetOperand(sum, 1), &number)   ? 1
                        : constant_of(mlirOperationGetOperand(sum, 0), &number) ? 0
                                                                                : -1;
    if (constant_side < 0)
      return value;
    *out_constant = sum_of(*out_constant, number);
    value = mlirOperationGetOperand(sum, 1 - constant_side);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool forall_bounds(MlirOperation loop, intptr_t i, int64_t *lower, int64_t *upper) {
  MlirAttribute lowers = stow_attribute_of(loop, "staticLowerBound");
  MlirAttribute uppers = stow_attribute_of(loop, "staticUpperBound");
  if (i >= mlirDenseArrayGetNumElements(lowers))
    return false;
  *lower = mlirDenseI64ArrayGetElement(lowers, i);
  *upper = mlirDenseI64ArrayGetElement(uppers, i);
  return !mlirShapedTypeIsDynamicSize(*lower) && !mlirShapedTypeIsDynamicSize(*upper);
}

// Argument `i` of the body counts from `lower` up to below `upper`.
static bool loop_bounds(MlirOperation loop, intptr_t i, int64_t *lower, int64_t *upper) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (stow_ir_op_is(loop, "scf.forall"))
    return forall_bounds(loop, i, lower, upper);
  bool parallel = stow_ir_op_is(loop, "scf.parallel");
  intptr_t rank = parallel ? mlirBlockGetNumArguments(body) : 1;
  if (i >= rank || (!parallel && !stow_ir_op_is(loop, "scf.for")))
    return false;
  return constant_of(mlirOperationGetOperand(loop, i), lower) &&
         constant_of(mlirOperationGetOperand(loop, rank + i), upper);
}

bool stow_check_loop_runs_once(MlirOperation loop) {
  bool forall = stow_ir_op_is(loop, "scf.forall");
  if (!forall && !stow_ir_op_is(loop, "scf.parallel"))
    return false;
  intptr_t rank =
      forall ? mlirDenseArrayGetNumElements(stow_attribute_of(loop, "staticLowerBound"))
             : mlirBlockGetNumArguments(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
  int64_t lower, upper;
  for (intptr_t i = 0; i < rank; ++i)
    if (!loop_bounds(loop, i, &lower, &upper) || (upper > lower && upper - 1 != lower))
      return false;
  return true;
}

bool stow_check_loop_runs(MlirOperation loop) {
  int64_t lower, upper;
  return stow_ir_op_is(loop, "scf.for") && loop_bounds(loop, 0, &lower, &upper) && lower >= 0 &&
         lower < upper;
}

static bool range_of_argument(MlirValue value, stow_check_range *out) {
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  int64_t lower, upper;
  if (!loop_bounds(loop, mlirBlockArgumentGetArgNumber(value), &lower, &upper) || upper <= lower)
    return false;
  *out = (stow_check_range){lower, upper - 1};
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool combine(MlirOperation op, stow_check_range a, stow_check_range b,
                    stow_check_range *out) {
  if (stow_ir_op_is(op, "arith.addi"))
    *out = (stow_check_range){a.least + b.least, a.most + b.most};
  else if (stow_ir_op_is(op, "arith.subi"))
    *out = (stow_check_range){a.least - b.most, a.most - b.least};
  else if (stow_ir_op_is(op, "arith.muli"))
    *out = (stow_check_range){a.least * b.least, a.most * b.most};
  else if (stow_ir_op_is(op, "arith.divui") && b.least > 0)
    *out = (stow_check_range){a.least / b.most, a.most / b.least};
  else
    return false;
  return true;
}

static bool in_reach(stow_check_range range) { return range.least >= 0 && range.most <= MOST; }

static bool find(MlirValue value, unsigned depth, unsigned *visits, stow_check_range *out);

static bool range_of_result(MlirValue value, unsigned depth, unsigned *visits,
                            stow_check_range *out) {
  MlirOperation op = mlirOpResultGetOwner(value);
  stow_check_range a, b;
  return stow_ir_op_has_prefix(op, "arith.") && mlirOperationGetNumOperands(op) == 2 &&
         find(mlirOperationGetOperand(op, 0), depth + 1, visits, &a) &&
         find(mlirOperationGetOperand(op, 1), depth + 1, visits, &b) && combine(op, a, b, out);
}

static bool find(MlirValue value, unsigned depth, unsigned *visits, stow_check_range *out) {
  if (depth == STOW_CHECK_MOST_DEPTH || ++*visits > STOW_CHECK_MOST_VISITS ||
      !mlirTypeIsAIndex(mlirValueGetType(value)))
    return false;
  int64_t number;
  bool known = true;
  if (constant_of(value, &number))
    *out = (stow_check_range){number, number};
  else if (mlirValueIsAOpResult(value))
    known = range_of_result(value, depth, visits, out);
  else
    known = range_of_argument(value, out);
  return known && in_reach(*out);
}

bool stow_check_offset_range(MlirValue value, stow_check_range *out) {
  unsigned visits = 0;
  return find(value, 0, &visits, out);
}
