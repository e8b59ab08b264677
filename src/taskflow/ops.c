//===- ops.c - making and reading ops with little noise -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short forms of the C API's op builder, and sets of values in the order they came.
//
//===----------------------------------------------------------------------===//

#include "taskflow/ops.h"

#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>
#include <stdlib.h>

stow_op stow_op_begin(stow_op_kind kind, MlirLocation location) {
  return (stow_op){mlirLocationGetContext(location),
                   mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(kind)), location)};
}

void stow_op_operand(stow_op *op, MlirValue operand) {
  mlirOperationStateAddOperands(&op->state, 1, &operand);
}

void stow_op_operands(stow_op *op, const MlirValue *operands, size_t count) {
  mlirOperationStateAddOperands(&op->state, (intptr_t)count, operands);
}

void stow_op_result(stow_op *op, MlirType type) {
  mlirOperationStateAddResults(&op->state, 1, &type);
}

void stow_op_attribute(stow_op *op, const char *name, MlirAttribute attribute) {
  MlirNamedAttribute named =
      mlirNamedAttributeGet(mlirIdentifierGet(op->context, stow_ir_string(name)), attribute);
  mlirOperationStateAddAttributes(&op->state, 1, &named);
}

void stow_op_segments(stow_op *op, const char *name, const int32_t *sizes, intptr_t count) {
  stow_op_attribute(op, name, mlirDenseI32ArrayGet(op->context, count, sizes));
}

void stow_op_region(stow_op *op, MlirRegion region) {
  mlirOperationStateAddOwnedRegions(&op->state, 1, &region);
}

MlirOperation stow_op_end(stow_op *op) { return mlirOperationCreate(&op->state); }

void stow_taskflow_copy_discardable_attributes(MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0, n = mlirOperationGetNumDiscardableAttributes(from); i < n; ++i) {
    MlirNamedAttribute named = mlirOperationGetDiscardableAttribute(from, i);
    mlirOperationSetDiscardableAttributeByName(to, mlirIdentifierStr(named.name), named.attribute);
  }
}

void stow_move_to_end(MlirOperation op, MlirBlock block) {
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(block, op);
}

MlirValue stow_taskflow_result(MlirOperation op) {
  assert(mlirOperationGetNumResults(op) == 1);
  return mlirOperationGetResult(op, 0);
}

bool stow_taskflow_value_is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}
