//===- cost.c - the time or the traffic of an op, by a model --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires ops over memrefs of known shapes. Computes bytes and elements that an op touches, the
// operations that it makes, and from these its cost by a *measure*: time, or traffic. Sums and
// products stop at a highest number instead of overflowing.
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

uint64_t stow_fit_sum(uint64_t a, uint64_t b) { return capped(a + b); }

//===----------------------------------------------------------------------===//
// What an op does
//===----------------------------------------------------------------------===//

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

stow_fit_amount stow_fit_amount_of(MlirOperation op, MlirValue operand) {
  const MlirType type = mlirValueGetType(operand);
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return (stow_fit_amount){0, 0};
  const uint64_t elements = stow_fit_elements_of(type);
  return (stow_fit_amount){stow_fit_product(bytes_of_element(op, type), elements), elements};
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

uint64_t stow_fit_trips_of(MlirOperation op) {
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

// A load or store touches one element, or a vector of them; a view or a dealloc nothing.
static stow_fit_amount touched_by(MlirOperation op, MlirValue operand) {
  const stow_traits traits = stow_ir_op_traits(op);
  if (!stow_ir_is_buffer(mlirValueGetType(operand)) ||
      (traits & (STOW_VIEWS | STOW_DEALLOCATES | STOW_TELLS_SHAPE)))
    return (stow_fit_amount){0, 0};
  if (stow_bridge_loop_count(op) >= 0 || !(traits & (STOW_ANY_STRIDES | STOW_UNIT_STRIDE)))
    return stow_fit_amount_of(op, operand);
  return (stow_fit_amount){bytes_of_element(op, mlirValueGetType(operand)), 1};
}

static void tell_operands(MlirOperation op, uint64_t times, stow_fit_amount_fn tell, void *user) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const MlirValue operand = mlirOperationGetOperand(op, i);
    const stow_fit_amount once = touched_by(op, operand);
    if (once.bytes > 0)
      tell(user, operand,
           (stow_fit_amount){stow_fit_product(once.bytes, times),
                             stow_fit_product(once.accesses, times)});
  }
  if (stow_op_facts(op) & STOW_OP_STRUCTURED)
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      STOW_EACH_OP(in, block)
        tell_operands(in, stow_fit_product(times, stow_fit_trips_of(op)), tell, user);
}

void stow_fit_each_operand(MlirOperation op, stow_fit_amount_fn tell, void *user) {
  tell_operands(op, 1, tell, user);
}

//===----------------------------------------------------------------------===//
// Measures
//===----------------------------------------------------------------------===//

static uint64_t each(uint64_t operations) { return capped(operations); }

static uint64_t none(uint64_t operations) {
  (void)operations;
  return 0;
}

static uint64_t by_bytes(stow_fit_amount what, const stow_machine_memory *in) {
  return stow_fit_product(what.bytes, in->cost);
}

static uint64_t read_and_written(stow_fit_amount what, const stow_machine_memory *from,
                                 const stow_machine_memory *to) {
  return stow_fit_sum(by_bytes(what, from), by_bytes(what, to));
}

static const stow_fit_measure measures[] = {
    [STOW_FIT_TIME] = {.name = "time",
                       .of_work = each,
                       .of_access = by_bytes,
                       .of_move = read_and_written,
                       .hides = true,
                       .of_copies = true},
    [STOW_FIT_TRAFFIC] = {.name = "traffic",
                          .of_work = none,
                          .of_access = by_bytes,
                          .of_move = read_and_written,
                          .of_each_load = true},
};

const stow_fit_measure *stow_fit_measure_of(stow_fit_objective objective) {
  assert(objective < sizeof measures / sizeof *measures);
  return &measures[objective];
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static uint64_t cost_of_operands(MlirOperation op, const stow_fit_prices *p) {
  uint64_t cost = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    cost = stow_fit_sum(
        cost, p->measure->of_access(touched_by(op, mlirOperationGetOperand(op, i)), p->first));
  return cost;
}

// In loops of known extents. A copy is a move.
static uint64_t cost_of_loops(MlirOperation op, const stow_fit_prices *p) {
  return stow_fit_sum(
      p->measure->of_work(stow_fit_work_of(op) + 1),
      stow_ir_is(op, STOW_MEMREF_COPY)
          ? p->measure->of_move(stow_fit_amount_of(op, mlirOperationGetOperand(op, 0)), p->first,
                                p->first)
          : cost_of_operands(op, p));
}

uint64_t stow_fit_cost(MlirOperation op, const stow_fit_prices *p) {
  if (stow_bridge_loop_count(op) >= 0)
    return cost_of_loops(op, p);
  uint64_t inside = p->measure->of_work(1);
  if (!(stow_op_facts(op) & STOW_OP_STRUCTURED))
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
        STOW_EACH_OP(in, block)
          inside = stow_fit_sum(inside, stow_fit_cost(in, p));
  return stow_fit_sum(stow_fit_product(inside, stow_fit_trips_of(op)),
                      p->measure->of_each_load ? cost_of_operands(op, p) : 0);
}

uint64_t stow_fit_more(const stow_fit_prices *p, stow_fit_amount what,
                       const stow_machine_memory *in, const stow_machine_memory *than) {
  const uint64_t cost = p->measure->of_access(what, in), other = p->measure->of_access(what, than);
  return cost > other ? cost - other : 0;
}
