//===- nothing_done.c - saying why a pass did nothing -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/nothing_done.h"

#include "bridge/bridge.h"
#include "ir/op.h"
#include "ir/support.h"

#include <stdlib.h>
#include <string.h>

// An allocation of another dialect that is what memref.alloc is counts as one, and so do what makes
// and frees memory of a device.
static size_t count(MlirOperation module, const char *name) {
  stow_traits counted = 0;
  if (strcmp(name, "memref.alloc") == 0)
    counted = STOW_ALLOCATES_HEAP | STOW_ALLOCATES_DEVICE;
  else if (strcmp(name, "memref.dealloc") == 0)
    counted = STOW_DEALLOCATES_DEVICE;
  size_t count = 0;
  STOW_EACH_OP_OF(op, module)
    count += stow_ir_op_is(op, name) || (stow_ir_op_traits(op) & counted) != 0;
  return count;
}

static bool has_tensor(MlirOperation op) {
  if (stow_ir_gives(op, stow_bridge_type_is_tensor))
    return true;
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(op); i < n; ++i)
    if (stow_ir_takes(mlirOperationGetRegion(op, i), stow_bridge_type_is_tensor))
      return true;
  return false;
}

const char *stow_ir_or_tensors(MlirOperation module, const char *reason) {
  STOW_EACH_OP_OF(op, module)
    if (has_tensor(op))
      return ": tensors are not bufferized yet";
  return reason;
}

const char *stow_ir_or_no_alloc(MlirOperation module, const char *reason) {
  return stow_ir_or_tensors(module,
                            count(module, "memref.alloc") > 0 ? reason : ": nothing is allocated");
}

stow_idle_watch stow_ir_idle_begin(MlirOperation module, stow_idle_subject subject) {
  bool heard = stow_bridge_somebody_listens(mlirOperationGetContext(module));
  return (stow_idle_watch){module, subject, heard ? count(module, subject.op) : 0, heard};
}

static const char *why_none(const stow_idle_watch *watch) {
  const stow_idle_subject *s = &watch->subject;
  const char *reason = s->none_added ? s->none_added : "";
  return (s->for_allocs ? stow_ir_or_no_alloc : stow_ir_or_tensors)(watch->module, reason);
}

static void say_none(const stow_idle_watch *watch, stow_text *text) {
  const char *none = watch->subject.none;
  stow_text_printf(text, "no %s%s%s", watch->subject.op, none ? ": " : "",
                   none ? none : why_none(watch));
}

static void say_unchanged(const stow_idle_watch *watch, stow_text *text) {
  const stow_idle_subject *s = &watch->subject;
  if (s->adds)
    stow_text_printf(text, "no %s %s%s", s->op, s->changed, why_none(watch));
  else
    stow_text_printf(text, "0 of %zu %s %s", watch->before, s->op, s->changed);
}

void stow_ir_idle_end(const stow_idle_watch *watch) {
  const stow_idle_subject *s = &watch->subject;
  stow_text text = {0};
  if (!watch->heard)
    return;
  if (watch->before == 0 && s->none_is_usual)
    return;
  if (count(watch->module, s->op) == watch->before) {
    if (watch->before == 0 && !s->adds)
      say_none(watch, &text);
    else if (s->changed)
      say_unchanged(watch, &text);
  }
  if (text.data)
    stow_bridge_tell_idle_pass(watch->module, s->pass, text.data);
  free(text.data);
}
