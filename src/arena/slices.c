//===- slices.c - a slice per iteration of a parallel loop ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an arena whose scope is a loop with iterations that may run at once, of constant bounds
// and steps. Makes one allocation in front of the loop, and in each iteration a view of the slice
// whose number is the linear index of the iteration.
//
//===----------------------------------------------------------------------===//

#include "arena/hoist.h"

#include "ir/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// One dimension of a loop whose bounds are constants.
typedef struct trip_range {
  int64_t lower, step; // step > 0
  uint64_t trips;
} trip_range;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

// Bound `i` of an scf.parallel, whose operands are all lower bounds, then upper ones, then steps.
static bool bound_of_parallel(MlirOperation loop, intptr_t i, int64_t *out_number) {
  return stow_ir_constant_of(mlirOperationGetOperand(loop, i), out_number);
}

static bool bound_of_forall(MlirOperation loop, const char *name, intptr_t i, int64_t *out_number) {
  *out_number = mlirDenseI64ArrayGetElement(stow_attribute_of(loop, name), i);
  return *out_number != mlirShapedTypeGetDynamicSize();
}

static bool is_forall(MlirOperation loop) { return stow_ir_is(loop, STOW_SCF_FORALL); }

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

static bool read_range(MlirOperation loop, intptr_t rank, intptr_t i, trip_range *out) {
  int64_t upper, distance;
  if (!read_bounds(loop, rank, i, &out->lower, &upper, &out->step) || out->step <= 0 ||
      __builtin_sub_overflow(upper, out->lower, &distance))
    return false;
  if (distance > 0)
    out->trips = ((uint64_t)distance - 1) / (uint64_t)out->step + 1;
  return true;
}

static uint64_t product_of(const trip_range *ranges, size_t count) {
  uint64_t product = 1;
  for (size_t i = 0; i < count; ++i)
    if (ranges[i].trips == 0)
      return 0;
  for (size_t i = 0; i < count; ++i)
    if (__builtin_mul_overflow(product, ranges[i].trips, &product))
      return UINT64_MAX;
  return product;
}

// The dimensions, outermost first, freed with free(); NULL where a bound or a step is not constant.
// `out_trips`: their product.
static trip_range *trip_ranges(MlirOperation loop, size_t *out_count, uint64_t *out_trips) {
  intptr_t rank = rank_of(loop);
  if (rank == 0)
    return NULL;
  trip_range *ranges = stow_ir_allocate((size_t)rank, sizeof *ranges);
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
  return stow_ir_build_binary(builder, kind, left, stow_ir_build_number(builder, index, right));
}

// Which iteration of its dimension it is.
static MlirValue build_trip(const stow_builder *builder, MlirValue variable,
                            const trip_range *range) {
  MlirValue distance = with_constant(builder, STOW_ARITH_SUBI, variable, range->lower, 0);
  return with_constant(builder, STOW_ARITH_DIVUI, distance, range->step, 1);
}

// The last dimension counts fastest.
static MlirValue build_linear_index(const stow_builder *builder, MlirOperation loop) {
  size_t count;
  uint64_t trips;
  trip_range *ranges = trip_ranges(loop, &count, &trips);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirValue index = build_trip(builder, mlirBlockGetArgument(body, 0), &ranges[0]);
  for (size_t i = 1; i < count; ++i) {
    MlirValue trip = build_trip(builder, mlirBlockGetArgument(body, (intptr_t)i), &ranges[i]);
    index = with_constant(builder, STOW_ARITH_MULI, index, (int64_t)ranges[i].trips, 1);
    index = stow_ir_build_binary(builder, STOW_ARITH_ADDI, index, trip);
  }
  free(ranges);
  return index;
}

uint64_t stow_arena_trips_of(MlirOperation loop) {
  size_t count;
  uint64_t trips;
  trip_range *ranges = trip_ranges(loop, &count, &trips);
  bool constant = ranges != NULL;
  free(ranges);
  return constant ? trips : 0;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

uint64_t stow_slice_stride(const stow_arena *arena) {
  const uint64_t alignment = stow_arena_alignment(arena);
  return (arena->plan.arena_size + alignment - 1) & ~(alignment - 1); // of at most 2^62 bytes
}

MlirValue stow_arena_build_slice(const stow_arena *arena, const stow_scope *scope,
                                 bool leave_arena) {
  const uint64_t size = arena->plan.arena_size, stride = stow_slice_stride(arena);
  MlirLocation location = mlirOperationGetLocation(scope->op);
  stow_builder outside = stow_builder_before(scope->op, location);
  MlirType all = stow_ir_bytes_type(&outside, stride * arena->trips, arena->memory_space);
  MlirValue memory = stow_ir_build_alloc(&outside, all, stow_arena_alignment(arena));
  stow_builder after = stow_builder_before(mlirOperationGetNextInBlock(scope->op), location);
  if (!leave_arena)
    stow_ir_build_dealloc(&after, memory);
  MlirOperation first = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(scope->region));
  stow_builder inside = stow_builder_before(first, location);
  MlirType index = mlirIndexTypeGet(inside.context);
  MlirValue offset =
      stow_ir_build_binary(&inside, STOW_ARITH_MULI, build_linear_index(&inside, scope->op),
                           stow_ir_build_number(&inside, index, (int64_t)stride));
  return stow_ir_build_view(&inside, memory, offset, NULL, 0,
                            stow_ir_bytes_type(&inside, size, arena->memory_space));
}
