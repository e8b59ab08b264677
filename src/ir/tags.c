//===- tags.c - transfers and their elements of a tag ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires memref.dma_start or memref.dma_wait. Says which operands are the tag's, whether a wait
// is for a start's element of a tag, and whether two are surely others.
//
//===----------------------------------------------------------------------===//

#include "ir/completion.h"
#include "mlir-c/BuiltinTypes.h"

static intptr_t rank_of(MlirOperation op, intptr_t operand) {
  return (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, operand)));
}

static stow_tag tag_at(MlirOperation op, intptr_t operand, intptr_t count) {
  return (stow_tag){op, mlirOperationGetOperand(op, operand), mlirOperationGetOperand(op, count),
                    operand + 1, rank_of(op, operand)};
}

// A start has source, indices, target, indices, count, tag, indices; a wait tag, indices, count.
bool stow_ir_read_tag(MlirOperation op, stow_tag *out) {
  if (stow_ir_is(op, STOW_MEMREF_DMA_WAIT)) {
    *out = tag_at(op, 0, 1 + rank_of(op, 0));
    return true;
  }
  if (!stow_ir_is(op, STOW_MEMREF_DMA_START))
    return false;
  const intptr_t target = 1 + rank_of(op, 0), count = target + 1 + rank_of(op, target);
  *out = tag_at(op, count + 1, count);
  return true;
}

static MlirValue index_of(const stow_tag *t, intptr_t i) {
  return mlirOperationGetOperand(t->op, t->first + i);
}

static bool are_equal(MlirValue a, MlirValue b) {
  int64_t x, y;
  return mlirValueEqual(a, b) ||
         (stow_ir_constant_of(a, &x) && stow_ir_constant_of(b, &y) && x == y);
}

bool stow_ir_waits_for_tag(const stow_tag *start, const stow_tag *wait) {
  for (intptr_t i = 0; i < start->rank; ++i)
    if (!are_equal(index_of(start, i), index_of(wait, i)))
      return false;
  return mlirValueEqual(start->memref, wait->memref) && are_equal(start->count, wait->count);
}

bool stow_ir_identifies_transfer(const stow_tag *start, intptr_t operand) {
  const MlirValue value = mlirOperationGetOperand(start->op, operand);
  return stow_ir_is_buffer(mlirValueGetType(value)) || mlirValueEqual(value, start->count) ||
         (operand >= start->first && operand < start->first + start->rank);
}

bool stow_ir_are_other_elements(const stow_tag *a, const stow_tag *b) {
  if (!mlirValueEqual(a->memref, b->memref)) // a view, or an argument, may be any tag
    return stow_ir_is_local_allocation(a->memref) && stow_ir_is_local_allocation(b->memref);
  int64_t x, y;
  for (intptr_t i = 0; i < a->rank; ++i)
    if (stow_ir_constant_of(index_of(a, i), &x) && stow_ir_constant_of(index_of(b, i), &y) &&
        x != y)
      return true;
  return false;
}
