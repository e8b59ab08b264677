//===- report.c - what is wrong with markers, as errors -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/verify.h"

#include <stdlib.h>

static MlirOperation op_at(const stow_life_check *c, int64_t position) {
  return c->flow->ops.at[position];
}

void stow_life_report(stow_life_check *c, int64_t position, bool names_op, const char *what,
                      int64_t note_at, const char *note) {
  MlirOperation op = op_at(c, position);
  stow_text text = {0};
  c->failed = true;
  if (c->silent)
    return;
  if (names_op) {
    MlirStringRef name = stow_op_name(op);
    stow_text_printf(&text, "'%.*s' ", (int)name.length, name.data);
  }
  stow_text_printf(&text, "%s", what);
  stow_note notes[] = {{mlirOperationGetLocation(op), note}};
  if (note_at >= 0)
    notes[0].location = mlirOperationGetLocation(op_at(c, note_at));
  stow_error(mlirOperationGetLocation(op), text.data, notes, note_at >= 0);
  free(text.data);
}
