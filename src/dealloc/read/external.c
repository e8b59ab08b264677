//===- external.c - memory that is not made here --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that memref.dealloc does not free is left to its program. To find out whether
// the program frees it, all views of it are followed. Where a terminator or an op with regions
// forwards it or a call takes it, it may be freed.
//
// The graph of flow.h cannot answer: it asks what callees do with their arguments, which is decided
// from what is read here. Nor can names by views: any buffer that an op gives may be one.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

#include <stdlib.h>

static void add_name(stow_values *names, MlirValue value) {
  if (stow_ir_is_buffer(mlirValueGetType(value)))
    stow_values_add(names, value);
}

static bool frees_operand(MlirOperation op, intptr_t operand) {
  stow_effects effects;
  stow_effects_of(op, &effects);
  bool frees = (effects.operands[operand] & STOW_FREE) || stow_frees_by_bit(op, operand);
  stow_effects_free(&effects);
  return frees;
}

static stow_external_end end_at(stow_values *names, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (stow_op_facts(user) & (STOW_OP_TERMINATOR | STOW_OP_CALL | STOW_OP_REGION_BRANCH))
    return STOW_ESCAPES;
  for (intptr_t i = 0, count = mlirOperationGetNumResults(user); i < count; ++i)
    add_name(names, mlirOperationGetResult(user, i));
  return frees_operand(user, mlirOpOperandGetOperandNumber(use)) ? STOW_FREED : STOW_NEVER_FREED;
}

stow_external_end stow_external_end_of(MlirValue value) {
  stow_values names = {0};
  stow_external_end most = STOW_NEVER_FREED;
  add_name(&names, value);
  for (size_t i = 0; i < names.count && most < STOW_FREED; ++i)
    STOW_EACH_USE(use, names.at[i]) {
      const stow_external_end end = end_at(&names, use);
      most = end > most ? end : most;
    }
  stow_values_free(&names);
  return most;
}

bool stow_dealloc_brings_memory(MlirOperation op, uint32_t facts, const stow_effects *effects) {
  bool from_operands = false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    from_operands |= stow_ir_is_buffer(type);
    if (!stow_ir_is_buffer(type) && !stow_bridge_type_is_plain(type))
      return true;
  }
  return effects->all != 0 || !(facts & STOW_OP_EFFECTS_KNOWN) || !from_operands;
}

// The effects on no operand, and on operands that are no memrefs, such as pointers.
static uint8_t effects_external(MlirOperation op, const stow_effects *effects) {
  uint8_t other = effects->other;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (!stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))))
      other |= effects->operands[i];
  return other;
}

bool stow_dealloc_writes_anywhere(const stow_domain_context *context, MlirOperation op,
                                  uint32_t facts, const stow_effects *effects) {
  if (facts & STOW_OP_CALL) {
    const stow_contract *contract = context->callee(context->user, op);
    return !contract || contract->writes_outside;
  }
  return !(facts & STOW_OP_EFFECTS_KNOWN) ||
         (effects_external(op, effects) & (STOW_WRITE | STOW_FREE));
}
