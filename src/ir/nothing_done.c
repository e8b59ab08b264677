//===- nothing_done.c - saying why a pass did nothing -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/nothing_done.h"

#include "bridge/bridge.h"
#include "ir/support.h"

#include <stdlib.h>

typedef struct counter {
  const char *op;
  size_t count;
} counter;

static MlirWalkResult count_op(MlirOperation op, void *user) {
  counter *c = user;
  c->count += stow_op_is(op, c->op);
  return MlirWalkResultAdvance;
}

static size_t count(MlirOperation module, const char *op) {
  counter c = {.op = op};
  mlirOperationWalk(module, count_op, &c, MlirWalkPreOrder);
  return c.count;
}

static MlirWalkResult find_tensor(MlirOperation op, void *user) {
  bool *found = user;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n && !*found; ++i)
    *found = stow_type_is_tensor(mlirValueGetType(mlirOperationGetResult(op, i)));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool stow_has_tensors(MlirOperation module) {
  bool found = false;
  mlirOperationWalk(module, find_tensor, &found, MlirWalkPreOrder);
  return found;
}

stow_idle_watch stow_idle_begin(MlirOperation module, stow_idle_subject subject) {
  bool heard = stow_somebody_listens(mlirOperationGetContext(module));
  return (stow_idle_watch){module, subject, heard ? count(module, subject.op) : 0, heard};
}

static void say_none(const stow_idle_watch *watch, stow_text *text) {
  stow_text_printf(text, "no %s", watch->subject.op);
  if (watch->subject.none)
    stow_text_printf(text, ": %s", watch->subject.none);
  else if (stow_has_tensors(watch->module))
    stow_text_printf(text, ": tensors are not bufferized yet");
}

static void say_unchanged(const stow_idle_watch *watch, stow_text *text) {
  if (watch->subject.adds)
    stow_text_printf(text, "no ");
  else
    stow_text_printf(text, "0 of %zu ", watch->before);
  stow_text_printf(text, "%s %s", watch->subject.op, watch->subject.changed);
}

void stow_idle_end(const stow_idle_watch *watch) {
  const stow_idle_subject *s = &watch->subject;
  stow_text text = {0};
  if (!watch->heard)
    return;
  if (watch->before == 0 && s->none_is_usual)
    return;
  if (watch->before == 0 && !s->adds)
    say_none(watch, &text);
  else if (s->changed && count(watch->module, s->op) == watch->before)
    say_unchanged(watch, &text);
  if (text.data)
    stow_tell_idle_pass(watch->module, s->pass, text.data);
  free(text.data);
}
