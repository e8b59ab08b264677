//===- trial.c - which links are rewritten, and what is said of them ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *link* is a copy, or an op that may work in place. They are numbered once, so that a trial
// rewrites exactly those that it is allowed to, and so that what is said of each is said of the op
// that it became.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "ir/reason.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

static const stow_reason_row reasons[] = {
#define STOW_COPIES_REASON(ENUM, CODE, CLAUSE, ADVICE) {CODE, CLAUSE, ADVICE, 0},
#include "copies/reasons.def"
};

#define NUMBER "stowage.link"

static MlirStringRef number_name(void) { return stow_ir_string(NUMBER); }

static stow_copies_link *link_of(const stow_copies_trial *trial, MlirOperation op) {
  MlirAttribute number = stow_attribute_of(op, NUMBER);
  if (mlirAttributeIsNull(number))
    return NULL;
  assert((size_t)mlirIntegerAttrGetValueInt(number) < trial->link_count);
  return &trial->links[mlirIntegerAttrGetValueInt(number)];
}

void stow_copies_set_number(MlirOperation op, size_t number) {
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  mlirOperationSetAttributeByName(op, number_name(), mlirIntegerAttrGet(type, (int64_t)number));
}

void stow_copies_forget_number(MlirOperation op) {
  mlirOperationRemoveAttributeByName(op, number_name());
}

bool stow_copies_may(const stow_copies_trial *trial, MlirOperation op) {
  const stow_copies_link *link = link_of(trial, op);
  return link && link->allowed;
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

bool stow_copies_is_link(MlirOperation op) {
  return stow_ir_is(op, STOW_MEMREF_COPY) ||
         (mlirOperationGetNumRegions(op) > 0 && mlirOperationGetNumOperands(op) > 0 &&
          stow_op_facts(op) & STOW_OP_STRUCTURED);
}

void stow_copies_find_links(stow_copies_trial *trial) {
  STOW_EACH_OP_OF(op, trial->function)
    if (stow_copies_is_link(op))
      stow_copies_replaced(trial, op);
}

void stow_copies_replaced(stow_copies_trial *trial, MlirOperation op) {
  stow_copies_link *link = link_of(trial, op);
  if (link)
    trial->ops[link - trial->links] = op;
}

void stow_copies_destroy(stow_copies_trial *trial, MlirOperation op) {
  stow_copies_link *link = link_of(trial, op);
  if (link)
    trial->ops[link - trial->links].ptr = NULL;
  mlirOperationDestroy(op);
}

stow_copies_cost stow_copies_cost_of(const stow_copies_trial *trial, MlirOperation op) {
  const stow_copies_link *link = link_of(trial, op);
  return link ? link->cost : STOW_COPIES_NOTHING;
}

bool stow_copies_afford(stow_copies_trial *trial, const stow_copies_uses *uses) {
  trial->effort -= (int64_t)(uses->touches.count + uses->views.count + uses->asks.count);
  return trial->effort >= 0;
}

void stow_copies_note(stow_copies_trial *trial, MlirOperation op, stow_copies_cost cost) {
  stow_copies_link *link = link_of(trial, op);
  ++trial->rewrites;
  if (!link)
    return;
  link->done = true;
  link->cost = cost > link->cost ? cost : link->cost;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MlirOperation stow_copies_global(const stow_copies_trial *trial, MlirValue value) {
  if (mlirSymbolTableIsNull(trial->symbols) || !stow_ir_is_result_of(value, STOW_MEMREF_GET_GLOBAL))
    return (MlirOperation){NULL};
  MlirAttribute name = stow_attribute_of(mlirOpResultGetOwner(value), "name");
  return mlirSymbolTableLookup(trial->symbols, mlirFlatSymbolRefAttrGetValue(name));
}

bool stow_copies_is_constant(const stow_copies_trial *trial, MlirValue value) {
  MlirOperation global = stow_copies_global(trial, value);
  return !mlirOperationIsNull(global) && stow_ir_is(global, STOW_MEMREF_GLOBAL) &&
         stow_ir_has_attribute(global, "constant");
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

void stow_copies_refuse(stow_copies_refusal *refusal, stow_copies_reason reason,
                        MlirOperation blame) {
  if (refusal->reason == STOW_COPIES_DONE)
    *refusal = (stow_copies_refusal){reason, blame};
}

static void add_left(stow_remarks *to, MlirOperation op, stow_copies_reason reason,
                     MlirOperation blame) {
  char *name = mlirOperationIsNull(blame) ? NULL : stow_ir_copy_string(stow_ir_op_name(blame));
  stow_text text = {0};
  MlirStringRef own = stow_ir_op_name(op);
  stow_text_printf(&text, "%.*s stays: ", (int)own.length, own.data);
  stow_text_fill(&text, reasons[reason].clause, name ? name : "an op");
  free(name);
  stow_remarks_add(to, op,
                   (stow_remark){.kind = STOW_REMARK_MISSED,
                                 .category = "elide-copies",
                                 .name = "copy",
                                 .reason = reasons[reason].code,
                                 .suggestion = reasons[reason].advice},
                   stow_text_take(&text));
}

void stow_copies_tell_left(stow_copies_trial *trial, MlirOperation op, stow_copies_reason reason,
                           MlirOperation blame) {
  if (trial->tells_left)
    add_left(&trial->remarks, op, reason, blame);
}

void stow_copies_tell_undone(stow_copies_trial *trial, MlirOperation op, MlirOperation blame) {
  if (trial->tells_left)
    add_left(&trial->if_undone, op, STOW_COPIES_CARRIED_GROWS, blame);
}

void stow_copies_tell_done(stow_copies_trial *trial, MlirOperation op, const char *name,
                           const char *text) {
  if (trial->tells_done)
    stow_remarks_add(
        &trial->remarks, op,
        (stow_remark){.kind = STOW_REMARK_PASSED, .category = "elide-copies", .name = name},
        stow_ir_format("%s", text));
}
