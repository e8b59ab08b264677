//===- cost.c - the time or the traffic of an op, by a model --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "bridge/linalg.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

#define MOST (UINT64_C(1) << 61) // a sum of two such numbers is one of 64 bits, too

static uint64_t capped(uint64_t cost) { return cost < MOST ? cost : MOST; }

uint64_t stow_fit_product(uint64_t a, uint64_t b) {
  return b != 0 && a > MOST / b ? MOST : capped(a * b);
}

// Of an element of a memref; 0: its size is not known.
static uint64_t bytes_of_element(MlirOperation op, MlirType type) {
  const stow_layout layout = stow_layout_at(op);
  uint64_t bytes, alignment;
  return stow_ir_element_size(&layout, type, &bytes, &alignment) == STOW_SIZE_OK ? capped(bytes)
                                                                                 : 0;
}

uint64_t stow_fit_elements_of(MlirType type) {
  uint64_t count = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    count = stow_fit_product(count, (uint64_t)mlirShapedTypeGetDimSize(type, i));
  return count;
}

uint64_t stow_fit_bytes_of(MlirOperation op, MlirValue operand) {
  MlirType type = mlirValueGetType(operand);
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return 0;
  return stow_fit_product(bytes_of_element(op, type), stow_fit_elements_of(type));
}

uint64_t stow_fit_sum(uint64_t a, uint64_t b) { return capped(a + b); }

static uint64_t bytes_of_operands(MlirOperation op) {
  uint64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    bytes = capped(bytes + stow_fit_bytes_of(op, mlirOperationGetOperand(op, i)));
  return bytes;
}

// Operations on the elements of one iteration.
static uint64_t work_of_body(MlirOperation op) {
  uint64_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      STOW_EACH_OP(in, block)
        ++count;
  return count > 1 ? count - 1 : 1; // not the terminator
}

static uint64_t iterations_of(MlirOperation op, intptr_t loops) {
  uint64_t count = 1;
  int64_t *extents = stow_ir_allocate((size_t)loops, sizeof *extents);
  bool *parallel = stow_ir_allocate((size_t)loops, sizeof *parallel);
  stow_bridge_loops(op, extents, parallel);
  for (intptr_t i = 0; i < loops; ++i)
    count = stow_fit_product(count, (uint64_t)extents[i]);
  free(extents);
  free(parallel);
  return count;
}

uint64_t stow_fit_turns_of(MlirOperation op) {
  int64_t from, to, step;
  if (!stow_ir_is(op, STOW_SCF_FOR) ||
      !stow_ir_constant_of(mlirOperationGetOperand(op, 0), &from) ||
      !stow_ir_constant_of(mlirOperationGetOperand(op, 1), &to) ||
      !stow_ir_constant_of(mlirOperationGetOperand(op, 2), &step) || step <= 0 || to <= from)
    return 1;
  return capped(((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1);
}

uint64_t stow_fit_work_of(MlirOperation op) {
  const intptr_t loops = stow_bridge_loop_count(op);
  return loops < 0 ? 0 : stow_fit_product(iterations_of(op, loops), work_of_body(op));
}

static uint64_t time_of(MlirOperation op, uint64_t touch) {
  if (stow_bridge_loop_count(op) >= 0)
    return capped(stow_fit_work_of(op) + stow_fit_product(bytes_of_operands(op), touch) + 1);
  uint64_t inside = 1;
  if (!(stow_op_facts(op) & STOW_OP_STRUCTURED))
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
        STOW_EACH_OP(in, block)
          inside = capped(inside + time_of(in, touch));
  return stow_fit_product(inside, stow_fit_turns_of(op));
}

//===----------------------------------------------------------------------===//
// By operand
//===----------------------------------------------------------------------===//

// A load or store touches one element, or a vector of them; a view or a dealloc nothing.
static uint64_t touched_by(MlirOperation op, MlirValue operand) {
  const stow_traits traits = stow_ir_op_traits(op);
  if (traits & (STOW_VIEWS | STOW_DEALLOCATES | STOW_TELLS_SHAPE))
    return 0;
  if (stow_bridge_loop_count(op) >= 0 || !(traits & (STOW_ANY_STRIDES | STOW_UNIT_STRIDE)))
    return stow_fit_bytes_of(op, operand);
  return bytes_of_element(op, mlirValueGetType(operand));
}

static void tell_operands(MlirOperation op, uint64_t times, stow_fit_bytes_fn tell, void *user) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const MlirValue operand = mlirOperationGetOperand(op, i);
    const uint64_t bytes =
        stow_ir_is_buffer(mlirValueGetType(operand)) ? touched_by(op, operand) : 0;
    if (bytes > 0)
      tell(user, operand, stow_fit_product(bytes, times));
  }
  if (stow_op_facts(op) & STOW_OP_STRUCTURED)
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      STOW_EACH_OP(in, block)
        tell_operands(in, stow_fit_product(times, stow_fit_turns_of(op)), tell, user);
}

void stow_fit_each_operand(MlirOperation op, stow_fit_bytes_fn tell, void *user) {
  tell_operands(op, 1, tell, user);
}

//===----------------------------------------------------------------------===//
// Measures
//===----------------------------------------------------------------------===//

static void add_bytes(void *user, MlirValue operand, uint64_t bytes) {
  uint64_t *sum = user;
  *sum = capped(*sum + bytes);
  (void)operand;
}

static uint64_t traffic_of(MlirOperation op, uint64_t touch) {
  uint64_t bytes = 0;
  stow_fit_each_operand(op, add_bytes, &bytes);
  return stow_fit_product(bytes, touch);
}

static const stow_fit_measure measures[] = {
    [STOW_FIT_TIME] = {.name = "time", .of_op = time_of, .operation = 1, .hides = true},
    [STOW_FIT_TRAFFIC] = {.name = "traffic", .of_op = traffic_of},
};

const stow_fit_measure *stow_fit_measure_of(stow_fit_objective objective) {
  assert(objective < sizeof measures / sizeof *measures);
  return &measures[objective];
}

uint64_t stow_fit_cost(MlirOperation op, const stow_fit_prices *prices) {
  return prices->measure->of_op(op, prices->touch);
}
