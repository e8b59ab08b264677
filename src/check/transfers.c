//===- transfers.c - where transfers are complete -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind a memref.dma_start its block is read op by op, until one waits for that element of the tag
// and as many elements. What else is done to the tag on the way must be about other elements, as
// constants tell, or wait, too.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static const char start_name[] = "memref.dma_start", wait_name[] = "memref.dma_wait";

static intptr_t behind_indices(MlirOperation op, intptr_t memref) {
  return memref + 1 +
         (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, memref)));
}

// The operand that counts elements, and the one that is the tag.
static intptr_t count_operand(MlirOperation op) {
  return behind_indices(op, stow_op_is(op, wait_name) ? 0 : behind_indices(op, 0));
}

static intptr_t tag_operand(MlirOperation op) {
  return stow_op_is(op, wait_name) ? 0 : count_operand(op) + 1;
}

static MlirValue tag_of(MlirOperation op) { return mlirOperationGetOperand(op, tag_operand(op)); }

static MlirValue tag_index(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, tag_operand(op) + 1 + i);
}

static intptr_t tag_rank(MlirOperation op) {
  return (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(tag_of(op)));
}

static bool waits_for(MlirOperation wait, MlirOperation start) {
  if (!stow_op_is(wait, wait_name) || !mlirValueEqual(tag_of(wait), tag_of(start)) ||
      !mlirValueEqual(mlirOperationGetOperand(wait, count_operand(wait)),
                      mlirOperationGetOperand(start, count_operand(start))))
    return false;
  for (intptr_t i = 0; i < tag_rank(start); ++i)
    if (!mlirValueEqual(tag_index(wait, i), tag_index(start, i)))
      return false;
  return true;
}

static MlirAttribute constant_of(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_op_is(mlirOpResultGetOwner(value), "arith.constant")
             ? stow_attribute_of(mlirOpResultGetOwner(value), "value")
             : mlirAttributeGetNull();
}

static bool have_other_tags(MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < tag_rank(a); ++i) {
    const MlirAttribute x = constant_of(tag_index(a, i)), y = constant_of(tag_index(b, i));
    if (!mlirAttributeIsNull(x) && !mlirAttributeIsNull(y) && !mlirAttributeEqual(x, y))
      return true;
  }
  return false;
}

static bool is_given(MlirOperation op, MlirValue value) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), value))
      return true;
  return false;
}

static bool may_take_tag(MlirOperation op, MlirOperation start) {
  if (!is_given(op, tag_of(start)) || stow_op_is(op, wait_name))
    return false;
  return !stow_op_is(op, start_name) || !mlirValueEqual(tag_of(op), tag_of(start)) ||
         !have_other_tags(op, start);
}

MlirOperation stow_check_completion_of(MlirOperation start) {
  const MlirOperation none = {NULL};
  size_t steps = 0;
  if (!stow_op_is(start, start_name))
    return none;
  for (MlirOperation op = mlirOperationGetNextInBlock(start); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (waits_for(op, start))
      return op;
    STOW_EACH_OP_OF(inner, op)
      if (++steps > STOW_CHECK_MOST_PASSED || may_take_tag(inner, start))
        return none;
  }
  return none;
}

stow_op_list stow_check_starts_of(MlirOperation wait) {
  stow_op_list starts = {0};
  if (stow_op_is(wait, wait_name))
    STOW_EACH_USE(use, tag_of(wait))
      if (mlirOperationEqual(stow_check_completion_of(mlirOpOperandGetOwner(use)), wait))
        STOW_PUSH(starts, mlirOpOperandGetOwner(use));
  return starts;
}
