//===- alias.c - which memory two values may share ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/alias.h"

#include "bridge/bridge.h"
#include "ir/op.h"
#include "ir/parts.h"
#include "ir/support.h"

typedef enum origin { ALLOCATED, ARGUMENT, GLOBAL, UNKNOWN } origin;

static bool is_function_argument(MlirValue value) {
  if (!mlirValueIsABlockArgument(value))
    return false;
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return stow_bridge_op_is_function(parent) &&
         mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0)));
}

bool stow_ir_is_reached_alone(MlirValue value, bool all) {
  if (!is_function_argument(value))
    return false;
  const MlirOperation function = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  const intptr_t index = mlirBlockArgumentGetArgNumber(value);
  return stow_ir_is(function, STOW_FUNC_FUNC) &&
         (all || !mlirAttributeIsNull(stow_argument_attribute(function, index, "llvm.noalias")));
}

static origin origin_of(MlirValue root) {
  if (is_function_argument(root))
    return ARGUMENT;
  if (!mlirValueIsAOpResult(root))
    return UNKNOWN;
  MlirOperation op = mlirOpResultGetOwner(root);
  if (stow_ir_is_allocation(op))
    return ALLOCATED;
  return stow_ir_is(op, STOW_MEMREF_GET_GLOBAL) ? GLOBAL : UNKNOWN;
}

static bool same_global(MlirValue a, MlirValue b) {
  return mlirAttributeEqual(stow_attribute_of(mlirOpResultGetOwner(a), "name"),
                            stow_attribute_of(mlirOpResultGetOwner(b), "name"));
}

static bool is_promised(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         (stow_ir_op_traits(mlirOpResultGetOwner(value)) & STOW_PROMISES_DISTINCT);
}

// Two results of one memref.distinct_objects.
static bool promised_distinct(MlirValue a, MlirValue b) {
  return is_promised(a) && is_promised(b) &&
         mlirOperationEqual(mlirOpResultGetOwner(a), mlirOpResultGetOwner(b));
}

MlirValue stow_ir_behind_promises(MlirValue root) {
  for (stow_way way = {0}; is_promised(root) && !stow_ir_comes_again(&way, root);)
    root = stow_ir_root_of(
        mlirOperationGetOperand(mlirOpResultGetOwner(root), mlirOpResultGetResultNumber(root)));
  return root;
}

// Whether `value` was there when `allocation` ran: then it names other memory.
static bool was_there_before(MlirValue value, MlirOperation allocation) {
  bool argument = mlirValueIsABlockArgument(value);
  MlirOperation maker = argument ? (MlirOperation){NULL} : mlirOpResultGetOwner(value);
  MlirBlock block = argument ? mlirBlockArgumentGetOwner(value) : mlirOperationGetBlock(maker);
  MlirOperation op = stow_ir_op_in_block(block, allocation);
  return !mlirOperationIsNull(op) &&
         (argument || (!mlirOperationEqual(maker, op) && mlirOperationIsBeforeInBlock(maker, op)));
}

static bool is_newer(MlirValue allocated, MlirValue other) {
  return was_there_before(other, mlirOpResultGetOwner(allocated));
}

bool stow_ir_may_alias(MlirValue a, MlirValue b, bool distinct_arguments) {
  if (!mlirValueEqual(a, b) && promised_distinct(a, b))
    return false;
  a = stow_ir_behind_promises(a);
  b = stow_ir_behind_promises(b);
  if (mlirValueEqual(a, b))
    return true;
  origin of_a = origin_of(a), of_b = origin_of(b);
  if ((of_a == ALLOCATED && is_newer(a, b)) || (of_b == ALLOCATED && is_newer(b, a)))
    return false;
  if (of_a == UNKNOWN || of_b == UNKNOWN)
    return true;
  if (of_a == ALLOCATED || of_b == ALLOCATED)
    return false;
  if (of_a == GLOBAL && of_b == GLOBAL)
    return same_global(a, b);
  return !distinct_arguments && !stow_ir_is_reached_alone(a, false) &&
         !stow_ir_is_reached_alone(b, false);
}
