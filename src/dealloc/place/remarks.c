//===- remarks.c - what was cloned, and what is left alone ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires decided regions. A remark for each clone, for each buffer that is left alone with the op
// in the way, and for each allocation that the program keeps.
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/place.h"
#include "ir/support.h"

#include <stdlib.h>

static const char GIVEN[] = "a function without a body gives it, which may be what it was given";

static MlirStringRef function_of(const stow_domain *domain) {
  MlirOperation op = domain->op;
  while (!mlirOperationIsNull(op) && !stow_bridge_op_is_function(op))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationIsNull(op) ? stow_ir_string("") : stow_bridge_function_name(op);
}

static void remark_clones(const stow_decision *decision, const char *pass) {
  const stow_domain *domain = &decision->domain;
  for (size_t i = 0; i < domain->forwarded.count; ++i) {
    const stow_forwarded *f = &domain->forwarded.at[i];
    if (!stow_dealloc_is_copied(&decision->owners, f))
      continue;
    stow_remark_emit(&(stow_remark){
        .kind = STOW_REMARK_MISSED,
        .location = mlirOperationGetLocation(domain->segments.at[f->segment].last),
        .category = pass,
        .name = "clone",
        .function = function_of(domain),
        .text = decision->owners.transfers[i].elidable
                    ? "a memref that is passed here is cloned, unless it is a buffer whose "
                      "owner ends here"
                    : "a memref that is passed here is cloned",
        .reason = "the phi or result that it is passed to owns its buffer, and it is borrowed here "
                  "or still needed after"});
  }
}

static MlirLocation location_of(const stow_domain *domain, MlirValue value) {
  return mlirOperationGetLocation(mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                              : domain->op);
}

// `culprit` may be the op around the domain: then it is the domain's arguments that are in the way.
static void remark_buffer(const stow_domain *domain, const char *pass, const stow_ref *ref,
                          const char *reason, MlirOperation culprit) {
  stow_text text = {0};
  stow_text_printf(&text, "no dealloc is placed for this buffer");
  if (!mlirOperationIsNull(culprit) && !mlirOperationEqual(culprit, domain->op)) {
    MlirStringRef name = stow_ir_op_name(culprit);
    stow_text_printf(&text, ", because of '%.*s'", (int)name.length, name.data);
  }
  char *said = stow_text_take(&text);
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_MISSED,
                                  .location = location_of(domain, ref->value),
                                  .category = pass,
                                  .name = "left-alone",
                                  .function = function_of(domain),
                                  .text = said,
                                  .reason = reason});
  free(said);
}

static void remark_left_alone(const stow_decision *decision, const char *pass) {
  const stow_domain *domain = &decision->domain;
  for (size_t r = 0; r < domain->refs.count; ++r) {
    const stow_ref *ref = &domain->refs.at[r];
    const int32_t escape = decision->owners.of[r].escape;
    if (escape >= 0 && ref->origin == STOW_MADE)
      remark_buffer(domain, pass, ref, decision->owners.escapes.at[escape].reason,
                    decision->owners.escapes.at[escape].op);
    else if (escape < 0 && ref->given)
      remark_buffer(domain, pass, ref, GIVEN, (MlirOperation){NULL});
  }
}

static void remark_doubts(const stow_domain *domain, const char *pass) {
  for (size_t i = 0; i < domain->doubts.count; ++i)
    stow_remark_emit(
        &(stow_remark){.kind = STOW_REMARK_MISSED,
                       .location = mlirOperationGetLocation(domain->doubts.at[i].op),
                       .category = pass,
                       .name = "left-alone",
                       .function = function_of(domain),
                       .text = "no dealloc is placed for what this op allocates or gives",
                       .reason = domain->doubts.at[i].reason});
}

// Why an allocation is the program's to free, or NULL.
static const char *why_kept(const stow_decision *decision, size_t ref) {
  const MlirValue value = decision->domain.refs.at[ref].value;
  const int32_t escape = decision->owners.of[ref].escape;
  if (mlirValueIsNull(value) || !mlirValueIsAOpResult(value))
    return NULL;
  const MlirOperation maker = mlirOpResultGetOwner(value);
  if (stow_ir_is_manual(maker))
    return STOW_MANUAL_REASON;
  return escape >= 0 && stow_ir_is_plain_alloc(maker) ? decision->owners.escapes.at[escape].reason
                                                      : NULL;
}

void stow_dealloc_remark_kept(const stow_decision *decision, const char *pass) {
  const stow_domain *domain = &decision->domain;
  if (!stow_remarks_enabled(mlirOperationGetContext(domain->op)))
    return;
  for (size_t r = 0; r < domain->refs.count; ++r) {
    const char *reason = why_kept(decision, r);
    if (reason)
      stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_MISSED,
                                      .location = location_of(domain, domain->refs.at[r].value),
                                      .category = pass,
                                      .name = "left-alone",
                                      .function = function_of(domain),
                                      .text = "this allocation is left to the program",
                                      .reason = reason});
  }
}

void stow_dealloc_remark_uncertain(const stow_decision *decision, const char *pass,
                                   MlirOperation alloc, MlirOperation before) {
  const MlirStringRef name = stow_ir_op_name(before);
  if (!stow_remarks_enabled(mlirOperationGetContext(alloc)))
    return;
  char *reason = stow_ir_format("its size is known only at run time, and '%.*s' may not be passed",
                                (int)name.length, name.data);
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_MISSED,
                                  .location = mlirOperationGetLocation(alloc),
                                  .category = pass,
                                  .name = "not-certain",
                                  .function = function_of(&decision->domain),
                                  .text = "this allocation moves no further up",
                                  .reason = reason,
                                  .suggestion = "make it outside, if its size is right also where "
                                                "it would not be made"});
  free(reason);
}

void stow_dealloc_remark_decision(const stow_decision *decision, const char *pass) {
  const stow_domain *domain = &decision->domain;
  if (!stow_remarks_enabled(mlirOperationGetContext(domain->op)))
    return;
  remark_clones(decision, pass);
  remark_left_alone(decision, pass);
  remark_doubts(domain, pass);
}
