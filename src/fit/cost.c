//===- cost.c - the time of an op, by a model -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "bridge/linalg.h"
#include "ir/size.h"

#define MOST (UINT64_C(1) << 40)

static uint64_t capped(uint64_t cost) { return cost < MOST ? cost : MOST; }

uint64_t stow_fit_product(uint64_t a, uint64_t b) {
  return b != 0 && a > MOST / b ? MOST : capped(a * b);
}

static uint64_t bytes_of_operands(MlirOperation op) {
  const stow_layout layout = stow_layout_at(op);
  uint64_t bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    stow_extent size;
    uint64_t alignment;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (stow_is_buffer(type) && stow_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK)
      bytes = capped(bytes + size.bytes);
  }
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
  int64_t *extents = stow_allocate((size_t)loops, sizeof *extents);
  bool *parallel = stow_allocate((size_t)loops, sizeof *parallel);
  stow_loops(op, extents, parallel);
  for (intptr_t i = 0; i < loops; ++i)
    count = stow_fit_product(count, (uint64_t)extents[i]);
  free(extents);
  free(parallel);
  return count;
}

// How often the body of a loop with constant bounds runs; 1 for any other op.
static uint64_t turns_of(MlirOperation op) {
  int64_t from, to, step;
  if (!stow_is(op, STOW_SCF_FOR) || !stow_constant_of(mlirOperationGetOperand(op, 0), &from) ||
      !stow_constant_of(mlirOperationGetOperand(op, 1), &to) ||
      !stow_constant_of(mlirOperationGetOperand(op, 2), &step) || step <= 0 || to <= from)
    return 1;
  return capped(((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1);
}

uint64_t stow_fit_cost(MlirOperation op) {
  const intptr_t loops = stow_loop_count(op);
  if (loops >= 0)
    return capped(stow_fit_product(iterations_of(op, loops), work_of_body(op)) +
                  bytes_of_operands(op) + 1);
  uint64_t inside = 1;
  if (!(stow_op_facts(op) & STOW_OP_STRUCTURED))
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
        STOW_EACH_OP(in, block)
          inside = capped(inside + stow_fit_cost(in));
  return stow_fit_product(inside, turns_of(op));
}
