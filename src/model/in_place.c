//===- in_place.c - tensors that bufferization updates in place -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is an *update* of a tensor if it is that tensor, or is made from an update of it: by an
// op with the update as its output, by a loop that carries it, or by branches that all yield
// updates. No op may read the old contents after they were overwritten.
//
//===----------------------------------------------------------------------===//

#include "model/model.h"

#include "bridge/bridge.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"

bool stow_model_has_branches(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_IF) || stow_ir_is(op, STOW_SCF_INDEX_SWITCH);
}

MlirValue stow_model_made_in(MlirOperation op, intptr_t result) {
  if (!stow_ir_is(op, STOW_SCF_WHILE))
    return stow_bridge_updated_operand(op, result);
  const MlirType type = mlirValueGetType(mlirOperationGetResult(op, result));
  if (result >= mlirOperationGetNumOperands(op) ||
      !mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, result)), type) ||
      !stow_bridge_type_is_tensor(type))
    return (MlirValue){NULL};
  return mlirOperationGetOperand(op, result);
}

MlirValue stow_model_made_of(MlirValue result) {
  const MlirOperation op = mlirOpResultGetOwner(result);
  return stow_ir_is(op, STOW_TENSOR_CAST)
             ? mlirOperationGetOperand(op, 0)
             : stow_model_made_in(op, mlirOpResultGetResultNumber(result));
}

bool stow_model_is_updated_by(MlirOperation op, MlirValue tensor) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    const MlirValue updated = stow_model_made_in(op, i);
    if (!mlirValueIsNull(updated) && mlirValueEqual(updated, tensor))
      return true;
  }
  return false;
}

// Whether no result may be the tensor, or part of it.
static bool only_reads(MlirOperation op, MlirValue tensor) {
  if (mlirOperationEqual(op, mlirBlockGetTerminator(mlirOperationGetBlock(op))) ||
      stow_model_is_updated_by(op, tensor))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetResult(op, i))) &&
        mlirValueIsNull(stow_model_made_in(op, i)))
      return false;
  return true;
}

// Whether `use` is done with the tensor before `write` runs, or does not run where it does.
static bool is_before(MlirOperation use, MlirOperation write, MlirValue tensor) {
  MlirOperation at = use;
  while (!stow_ir_is_inside(write, mlirOperationGetParentOperation(at)))
    at = mlirOperationGetParentOperation(at);
  const MlirOperation other = stow_ir_op_in_block(mlirOperationGetBlock(at), write);
  if (mlirOperationIsNull(other))
    return stow_model_has_branches(mlirOperationGetParentOperation(at));
  return !mlirOperationEqual(at, other) && mlirOperationIsBeforeInBlock(at, other) &&
         only_reads(use, tensor);
}

// Whether `write` is the last to look at the tensor that it writes.
static bool is_last(MlirOperation write, MlirValue tensor) {
  intptr_t own = 0;
  STOW_EACH_USE(use, tensor) {
    const MlirOperation owner = mlirOpOperandGetOwner(use);
    if (mlirOperationEqual(owner, write))
      ++own;
    else if (!is_before(owner, write, tensor))
      return false;
  }
  return own == 1;
}

MlirValue stow_model_alternative(MlirValue value, intptr_t i) {
  const MlirOperation op =
      mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (mlirOperationIsNull(op))
    return (MlirValue){NULL};
  if (stow_ir_is(op, STOW_ARITH_SELECT) && i < 2)
    return mlirOperationGetOperand(op, 1 + i);
  if (!stow_model_has_branches(op) || i >= mlirOperationGetNumRegions(op))
    return (MlirValue){NULL};
  const MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
  return mlirOperationGetOperand(mlirBlockGetTerminator(block), mlirOpResultGetResultNumber(value));
}

typedef STOW_ARRAY(MlirValue) values;

// False: there is none.
static bool push_alternatives(values *open, MlirValue value) {
  intptr_t i = 0;
  for (MlirValue one; !mlirValueIsNull(one = stow_model_alternative(value, i)); ++i)
    STOW_PUSH(*open, one);
  return i > 0;
}

// Puts what a value is an update of where the value was. False where it is none.
static bool step(values *open, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  const MlirOperation op = mlirOpResultGetOwner(value);
  const intptr_t result = mlirOpResultGetResultNumber(value);
  if (stow_model_has_branches(op))
    return push_alternatives(open, value);
  const MlirValue updated = stow_model_made_in(op, result);
  if (mlirValueIsNull(updated) || !is_last(op, updated))
    return false;
  STOW_PUSH(*open, updated);
  return true;
}

bool stow_model_is_update(MlirValue value, MlirValue tensor) {
  values open = {0};
  STOW_PUSH(open, value);
  bool good = true;
  for (int steps = 0; good && open.count; ++steps) {
    const MlirValue at = open.at[--open.count];
    good = steps < STOW_MODEL_MAX_STEPS && (mlirValueEqual(at, tensor) || step(&open, at));
  }
  free(open.at);
  return good;
}

bool stow_model_may_be_in(MlirValue value, MlirValue tensor) {
  values open = {0};
  STOW_PUSH(open, value);
  bool found = false;
  for (int steps = 0; !found && open.count; ++steps) {
    const MlirValue at = open.at[--open.count];
    found = steps == STOW_MODEL_MAX_STEPS || mlirValueEqual(at, tensor);
    if (found || push_alternatives(&open, at) || !mlirValueIsAOpResult(at))
      continue;
    const MlirOperation op = mlirOpResultGetOwner(at);
    const MlirValue begun = stow_model_made_in(op, mlirOpResultGetResultNumber(at));
    if ((stow_op_facts(op) & STOW_OP_LOOP) && !mlirValueIsNull(begun))
      STOW_PUSH(open, begun);
  }
  free(open.at);
  return found;
}
