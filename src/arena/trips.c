//===- trips.c - how often a parallel loop runs its body -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/hoist.h"

#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

// Bound `i` of an scf.parallel, whose operands are all lower bounds, then upper ones, then steps.
static bool bound_of_parallel(MlirOperation loop, intptr_t i, int64_t *out_number) {
  return stow_constant_of(mlirOperationGetOperand(loop, i), out_number);
}

static bool bound_of_forall(MlirOperation loop, const char *name, intptr_t i, int64_t *out_number) {
  *out_number = mlirDenseI64ArrayGetElement(stow_attribute_of(loop, name), i);
  return *out_number != mlirShapedTypeGetDynamicSize();
}

static bool is_forall(MlirOperation loop) { return stow_is(loop, STOW_SCF_FORALL); }

static intptr_t rank_of(MlirOperation loop) {
  if (is_forall(loop))
    return mlirDenseArrayGetNumElements(stow_attribute_of(loop, "staticLowerBound"));
  return mlirBlockGetNumArguments(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
}

static bool read_bounds(MlirOperation loop, intptr_t rank, intptr_t i, int64_t *lower,
                        int64_t *upper, int64_t *step) {
  if (is_forall(loop))
    return bound_of_forall(loop, "staticLowerBound", i, lower) &&
           bound_of_forall(loop, "staticUpperBound", i, upper) &&
           bound_of_forall(loop, "staticStep", i, step);
  return bound_of_parallel(loop, i, lower) && bound_of_parallel(loop, rank + i, upper) &&
         bound_of_parallel(loop, 2 * rank + i, step);
}

static bool read_range(MlirOperation loop, intptr_t rank, intptr_t i, stow_trip_range *out) {
  int64_t upper, distance;
  if (!read_bounds(loop, rank, i, &out->lower, &upper, &out->step) || out->step <= 0 ||
      __builtin_sub_overflow(upper, out->lower, &distance))
    return false;
  if (distance > 0)
    out->trips = ((uint64_t)distance - 1) / (uint64_t)out->step + 1;
  return true;
}

static uint64_t product_of(const stow_trip_range *ranges, size_t count) {
  uint64_t product = 1;
  for (size_t i = 0; i < count; ++i)
    if (ranges[i].trips == 0)
      return 0;
  for (size_t i = 0; i < count; ++i)
    if (__builtin_mul_overflow(product, ranges[i].trips, &product))
      return UINT64_MAX;
  return product;
}

stow_trip_range *stow_trip_ranges(MlirOperation loop, size_t *out_count, uint64_t *out_trips) {
  intptr_t rank = rank_of(loop);
  if (rank == 0)
    return NULL;
  stow_trip_range *ranges = stow_allocate((size_t)rank, sizeof *ranges);
  for (intptr_t i = 0; i < rank; ++i)
    if (!read_range(loop, rank, i, &ranges[i])) {
      free(ranges);
      return NULL;
    }
  *out_count = (size_t)rank;
  *out_trips = product_of(ranges, (size_t)rank);
  return ranges;
}

//===----------------------------------------------------------------------===//
// The linear index
//===----------------------------------------------------------------------===//

// `left` OP the constant `right`; `left` alone where `right` is neutral.
static MlirValue with_constant(const stow_builder *builder, stow_op_kind kind, MlirValue left,
                               int64_t right, int64_t neutral) {
  if (right == neutral)
    return left;
  MlirType index = mlirIndexTypeGet(builder->context);
  return stow_build_binary(builder, kind, left, stow_build_number(builder, index, right));
}

// Which iteration of its dimension it is.
static MlirValue build_trip(const stow_builder *builder, MlirValue variable,
                            const stow_trip_range *range) {
  MlirValue distance = with_constant(builder, STOW_ARITH_SUBI, variable, range->lower, 0);
  return with_constant(builder, STOW_ARITH_DIVUI, distance, range->step, 1);
}

MlirValue stow_build_linear_index(const stow_builder *builder, MlirOperation loop) {
  size_t count;
  uint64_t trips;
  stow_trip_range *ranges = stow_trip_ranges(loop, &count, &trips);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirValue index = build_trip(builder, mlirBlockGetArgument(body, 0), &ranges[0]);
  for (size_t i = 1; i < count; ++i) {
    MlirValue trip = build_trip(builder, mlirBlockGetArgument(body, (intptr_t)i), &ranges[i]);
    index = with_constant(builder, STOW_ARITH_MULI, index, (int64_t)ranges[i].trips, 1);
    index = stow_build_binary(builder, STOW_ARITH_ADDI, index, trip);
  }
  free(ranges);
  return index;
}
