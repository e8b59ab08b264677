//===- ops.h - making and reading ops with little noise -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_OPS_H
#define STOWAGE_TASKFLOW_OPS_H

#include "ir/op.h"
#include "ir/support.h"

// An op in the making: begin, add, end. What was added is copied at the end only.
typedef struct stow_op {
  MlirContext context;
  MlirOperationState state;
} stow_op;

stow_op stow_op_begin(stow_op_kind kind, MlirLocation location);
void stow_op_operand(stow_op *op, MlirValue operand);
void stow_op_operands(stow_op *op, const MlirValue *operands, size_t count);
void stow_op_result(stow_op *op, MlirType type);
void stow_op_attribute(stow_op *op, const char *name, MlirAttribute attribute);
void stow_op_segments(stow_op *op, const char *name, const int32_t *sizes, intptr_t count);
void stow_op_region(stow_op *op, MlirRegion region);
MlirOperation stow_op_end(stow_op *op);

void stow_taskflow_copy_discardable_attributes(MlirOperation from, MlirOperation to);

// Moves `op` to the end of `block`.
void stow_move_to_end(MlirOperation op, MlirBlock block);

// The only result.
MlirValue stow_taskflow_result(MlirOperation op);

bool stow_taskflow_value_is_used(MlirValue value);

#endif // STOWAGE_TASKFLOW_OPS_H
