//===- control.c - when what ops do is done -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an op and what its names and effects say. Computes whether it leaves the function,
// whether its work goes on when it is done, and why what it is given must be left alone.
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

bool stow_dealloc_leaves_function(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  return domain->is_function && (facts & STOW_OP_RETURN) &&
         mlirOperationEqual(mlirOperationGetParentOperation(op), domain->op);
}

//===----------------------------------------------------------------------===//
// Work that goes on
//===----------------------------------------------------------------------===//

// Whether an op without regions starts work, or makes something that may.
static bool goes_on(MlirOperation op, stow_traits traits) {
  return stow_ir_starts_work_with(op, traits) || stow_ir_makes_handle(op);
}

// What tells its control flow gives the tokens that its regions yield. A value that is awaited may
// be a buffer.
bool stow_dealloc_runs_later(stow_domain *domain, MlirOperation op) {
  return !stow_ir_tells_control_flow(op, stow_op_facts(op)) &&
         ((stow_ir_op_traits(op) & STOW_RUNS_LATER) || goes_on(op, stow_ir_op_traits(op))) &&
         !((stow_ir_is(op, STOW_ASYNC_EXECUTE) || stow_ir_is(op, STOW_GPU_LAUNCH)) &&
           mlirOperationGetNumResults(op) == 1 && stow_ir_is_settled(&domain->completions, op));
}

// Whether a marked op makes it: then it is memory from elsewhere, and so are its frees.
static bool is_made_by_hand(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_ir_is_manual(mlirOpResultGetOwner(value));
}

const char *stow_dealloc_why_managed(MlirOperation op, const stow_effects *effects,
                                     intptr_t operand) {
  if (stow_frees_by_bit(op, operand))
    return "it is freed by a dealloc that decides at run time; run "
           "bufferization-lower-deallocations last, or leave all deallocs to one of the two";
  const bool marked = (effects->operands[operand] & STOW_FREE) && stow_ir_is_manual(op) &&
                      !is_made_by_hand(mlirOperationGetOperand(op, operand));
  return marked ? STOW_MANUAL_REASON : NULL;
}

const char *stow_dealloc_why_kept(stow_domain *domain, const stow_domain_context *context,
                                  MlirOperation op, stow_named_op known,
                                  const stow_effects *effects, intptr_t operand) {
  if (stow_dealloc_is_by_bit(op) ||
      stow_ir_is_settled_with(&domain->completions, op, mlirOperationGetOperand(op, operand)))
    return NULL;
  const unsigned common = stow_ir_common_fates(op, known.facts, known.traits, effects);
  const unsigned fates = stow_fates_of(op, common, effects, operand);
  if (goes_on(op, known.traits))
    return fates & STOW_FATE_WORK ? "work that goes on later uses it"
                                  : "its address becomes something else than a memref";
  if (fates & STOW_FATE_UNKNOWN)
    return context->unknown_ops_escape ? "an op of unknown effects may keep it" : NULL;
  if (fates & STOW_FATE_NUMBER)
    return "its address becomes a number";
  return fates & STOW_FATE_STORED ? "its address is stored" : NULL;
}
