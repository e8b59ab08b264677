//===- memory.c - which memory a value is, and what an op does to it ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/memory.h"

#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

enum { UNKNOWN_EFFECTS = STOW_READ | STOW_WRITE | STOW_FREE };

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

bool stow_is_memref(MlirValue value) { return stow_is_buffer(mlirValueGetType(value)); }

bool stow_is_view(MlirOperation op) { return stow_op_traits(op) & STOW_VIEWS; }

bool stow_is_allocation(MlirOperation op) {
  return stow_op_traits(op) & (STOW_ALLOCATES_HEAP | STOW_ALLOCATES_STACK);
}

bool stow_is_local_allocation(MlirValue root) {
  return mlirValueIsAOpResult(root) && stow_is_allocation(mlirOpResultGetOwner(root));
}

void stow_erase_allocation(MlirValue allocation) {
  for (MlirOpOperand use = mlirValueGetFirstUse(allocation); !mlirOpOperandIsNull(use);
       use = mlirValueGetFirstUse(allocation)) {
    assert(stow_is(mlirOpOperandGetOwner(use), STOW_MEMREF_DEALLOC));
    mlirOperationDestroy(mlirOpOperandGetOwner(use));
  }
  mlirOperationDestroy(mlirOpResultGetOwner(allocation));
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

typedef enum origin { ALLOCATED, ARGUMENT, GLOBAL, UNKNOWN } origin;

static bool is_function_argument(MlirValue value) {
  if (!mlirValueIsABlockArgument(value))
    return false;
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return stow_op_is_function(parent) &&
         mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0)));
}

static origin origin_of(MlirValue root) {
  if (is_function_argument(root))
    return ARGUMENT;
  if (!mlirValueIsAOpResult(root))
    return UNKNOWN;
  MlirOperation op = mlirOpResultGetOwner(root);
  if (stow_is_allocation(op))
    return ALLOCATED;
  return stow_is(op, STOW_MEMREF_GET_GLOBAL) ? GLOBAL : UNKNOWN;
}

static bool same_global(MlirValue a, MlirValue b) {
  return mlirAttributeEqual(stow_attribute_of(mlirOpResultGetOwner(a), "name"),
                            stow_attribute_of(mlirOpResultGetOwner(b), "name"));
}

// Two results of one memref.distinct_objects.
static bool promised_distinct(MlirValue a, MlirValue b) {
  return mlirValueIsAOpResult(a) && mlirValueIsAOpResult(b) &&
         mlirOperationEqual(mlirOpResultGetOwner(a), mlirOpResultGetOwner(b)) &&
         (stow_op_traits(mlirOpResultGetOwner(a)) & STOW_PROMISES_DISTINCT);
}

// Whether `value` was there when `allocation` ran: then it names other memory.
static bool was_there_before(MlirValue value, MlirOperation allocation) {
  bool argument = mlirValueIsABlockArgument(value);
  MlirOperation maker = argument ? (MlirOperation){NULL} : mlirOpResultGetOwner(value);
  MlirBlock block = argument ? mlirBlockArgumentGetOwner(value) : mlirOperationGetBlock(maker);
  MlirOperation op = stow_op_in_block(block, allocation);
  return !mlirOperationIsNull(op) &&
         (argument || (!mlirOperationEqual(maker, op) && mlirOperationIsBeforeInBlock(maker, op)));
}

static bool is_newer(MlirValue allocated, MlirValue other) {
  return was_there_before(other, mlirOpResultGetOwner(allocated));
}

bool stow_may_alias(MlirValue a, MlirValue b, bool distinct_arguments) {
  if (mlirValueEqual(a, b))
    return true;
  if (promised_distinct(a, b))
    return false;
  origin of_a = origin_of(a), of_b = origin_of(b);
  if ((of_a == ALLOCATED && is_newer(a, b)) || (of_b == ALLOCATED && is_newer(b, a)))
    return false;
  if (of_a == UNKNOWN || of_b == UNKNOWN)
    return true;
  if (of_a == ALLOCATED || of_b == ALLOCATED)
    return false;
  if (of_a == GLOBAL && of_b == GLOBAL)
    return same_global(a, b);
  return !distinct_arguments;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool stow_made_inside(MlirValue value, MlirOperation ancestor) {
  if (mlirValueIsABlockArgument(value))
    return stow_is_inside(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), ancestor);
  MlirOperation maker = mlirOpResultGetOwner(value);
  return !mlirOperationEqual(maker, ancestor) && stow_is_inside(maker, ancestor);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

static bool effects_are_known(MlirOperation op, uint32_t facts) {
  return (facts & (STOW_OP_EFFECTS_KNOWN | STOW_OP_TERMINATOR)) && !stow_starts_work(op);
}

uint8_t stow_operand_effects(MlirOperation op, intptr_t index) {
  if (!effects_are_known(op, stow_op_facts(op)))
    return UNKNOWN_EFFECTS;
  stow_effects e = stow_effects_of(op);
  uint8_t effects = e.operands[index] | (e.other ? UNKNOWN_EFFECTS : 0);
  stow_effects_free(&e);
  return effects;
}

static uint8_t all_effects(MlirOperation op) {
  stow_effects e = stow_effects_of(op);
  stow_effects_free(&e);
  return e.all;
}

bool stow_only_reads(MlirOperation op) { return (all_effects(op) & ~STOW_READ) == 0; }
bool stow_has_no_effects(MlirOperation op) { return all_effects(op) == 0; }

static void touch_operands(MlirOperation op, const uint8_t *effects, stow_touch_fn fn, void *user) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    uint8_t mask = effects ? effects[i] : UNKNOWN_EFFECTS;
    if (mask && stow_is_memref(operand))
      fn(user, op, operand, mask);
  }
}

static void touch_memory(MlirOperation op, stow_touch_fn fn, void *user) {
  if (!effects_are_known(op, stow_op_facts(op))) {
    touch_operands(op, NULL, fn, user);
    fn(user, op, (MlirValue){NULL}, UNKNOWN_EFFECTS);
    return;
  }
  stow_effects e = stow_effects_of(op);
  touch_operands(op, e.operands, fn, user);
  if (e.other & ~STOW_ALLOCATE)
    fn(user, op, (MlirValue){NULL}, UNKNOWN_EFFECTS);
  stow_effects_free(&e);
}

void stow_walk_memory(MlirOperation root, stow_touch_fn fn, void *user) {
  STOW_EACH_OP_OF(op, root)
    touch_memory(op, fn, user);
}
