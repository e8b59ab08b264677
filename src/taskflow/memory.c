//===- memory.c - which memory a value is, and what an op does to it ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/memory.h"

#include "ir/build.h"
#include "ir/op.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/loops.h"

#include <assert.h>

enum { UNKNOWN_EFFECTS = STOW_READ | STOW_WRITE | STOW_FREE };

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

bool stow_taskflow_is_memref(MlirValue value) { return stow_ir_is_buffer(mlirValueGetType(value)); }

void stow_taskflow_erase_allocation(MlirValue allocation) {
  stow_ir_erase_deallocs(allocation);
  assert(mlirOpOperandIsNull(mlirValueGetFirstUse(allocation)));
  mlirOperationDestroy(mlirOpResultGetOwner(allocation));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool stow_taskflow_made_inside(MlirValue value, MlirOperation ancestor) {
  if (mlirValueIsABlockArgument(value))
    return stow_ir_is_inside(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)),
                             ancestor);
  MlirOperation maker = mlirOpResultGetOwner(value);
  return !mlirOperationEqual(maker, ancestor) && stow_ir_is_inside(maker, ancestor);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

static bool effects_are_known(MlirOperation op, stow_named_op named) {
  return (stow_op_facts_with(op, named.facts) & (STOW_OP_EFFECTS_KNOWN | STOW_OP_TERMINATOR)) &&
         !stow_ir_starts_work_with(op, named.traits);
}

uint8_t stow_taskflow_operand_effects(MlirOperation op, intptr_t index) {
  const stow_named_op named = {stow_bridge_op_shared_facts(op), stow_ir_op_traits(op)};
  if (!effects_are_known(op, named))
    return UNKNOWN_EFFECTS;
  stow_effects e;
  stow_effects_of(op, &e);
  uint8_t effects = e.operands[index] | (e.other ? UNKNOWN_EFFECTS : 0);
  stow_effects_free(&e);
  return effects;
}

static uint8_t all_effects(MlirOperation op) {
  stow_effects e;
  stow_effects_of(op, &e);
  stow_effects_free(&e);
  return e.all;
}

bool stow_taskflow_only_reads(MlirOperation op) { return (all_effects(op) & ~STOW_READ) == 0; }
bool stow_taskflow_has_no_effects(MlirOperation op) { return all_effects(op) == 0; }

static void touch_operands(MlirOperation op, const uint8_t *effects, stow_touch_fn fn, void *user) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    uint8_t mask = effects ? effects[i] : UNKNOWN_EFFECTS;
    if (mask && stow_taskflow_is_memref(operand))
      fn(user, op, operand, mask);
    else if (mask && effects) // through a pointer, for one
      fn(user, op, (MlirValue){NULL}, UNKNOWN_EFFECTS);
  }
}

static void touch_memory(MlirOperation op, stow_by_name *names, stow_touch_fn fn, void *user) {
  if (stow_taskflow_is_access(op)) { // most of what a task does
    fn(user, op, stow_taskflow_access_memref(op),
       stow_taskflow_is_store(op) ? STOW_WRITE : STOW_READ);
    return;
  }
  if (!effects_are_known(op, stow_ir_look_up(names, op))) {
    touch_operands(op, NULL, fn, user);
    fn(user, op, (MlirValue){NULL}, UNKNOWN_EFFECTS);
    return;
  }
  stow_effects e;
  stow_effects_of(op, &e);
  touch_operands(op, e.operands, fn, user);
  if (e.other & ~STOW_ALLOCATE)
    fn(user, op, (MlirValue){NULL}, UNKNOWN_EFFECTS);
  stow_effects_free(&e);
}

void stow_taskflow_walk_memory(MlirOperation root, stow_touch_fn fn, void *user) {
  stow_by_name names = {0};
  STOW_EACH_OP_OF(op, root)
    touch_memory(op, &names, fn, user);
  stow_by_name_free(&names);
}
