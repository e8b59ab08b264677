//===- globals.c - what functions use of global arenas --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views that a function, or one that it calls, makes of a global are not those of its
// caller. A view that is only read can be treated as the caller's own.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "check/steps.h"

#include <stdlib.h>

typedef struct usage {
  stow_check_program *program;
  MlirAttribute global; // its name
  stow_op_list functions;
  stow_map met;
  stow_check_bytes bytes;
} usage;

static void meet_function(usage *u, MlirOperation call) {
  MlirOperation callee = stow_bridge_callee(call, u->program->symbols);
  if (!mlirOperationIsNull(callee) && !mlirRegionIsNull(stow_bridge_function_body(callee)) &&
      stow_map_note(&u->met, callee.ptr))
    STOW_PUSH(u->functions, callee);
}

static void note_view(usage *u, MlirOperation view) {
  int64_t start;
  stow_check_bytes bytes =
      stow_check_extent_of(u->program, mlirValueGetType(mlirOperationGetResult(view, 0)));
  MlirValue rest = stow_check_offset_split(mlirOperationGetOperand(view, 1), &start);
  bytes = mlirValueIsNull(rest) ? stow_check_bytes_shift(bytes, start)
                                : (stow_check_bytes){0, STOW_CHECK_FAR};
  u->bytes = stow_check_bytes_join(u->bytes, bytes);
}

// The views of a value, which is the global or another name of it, that are written.
static void note_views(usage *u, MlirValue value) {
  STOW_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_check_kinds(op) & STOW_CHECK_VIEWS &&
        stow_check_may_be_written(&u->program->transfers, mlirOperationGetResult(op, 0)))
      note_view(u, op);
  }
}

static void visit(usage *u, MlirOperation op) {
  if (stow_bridge_op_is_call(op))
    meet_function(u, op);
  if (!(stow_check_kinds(op) & STOW_CHECK_GLOBAL) ||
      !mlirAttributeEqual(stow_attribute_of(op, "name"), u->global))
    return;
  MlirValue memory = mlirOperationGetResult(op, 0);
  note_views(u, memory);
  STOW_EACH_USE(use, memory)
    if (stow_check_kinds(mlirOpOperandGetOwner(use)) & STOW_CHECK_PROMISES)
      note_views(u, mlirOperationGetResult(mlirOpOperandGetOwner(use), 0));
}

stow_check_bytes stow_check_global_used(stow_check_program *p, MlirOperation call,
                                        MlirValue arena) {
  usage u = {.program = p, .global = stow_check_global_of(arena)};
  if (mlirAttributeIsNull(u.global))
    return u.bytes;
  meet_function(&u, call);
  for (size_t next = 0; next < u.functions.count; ++next)
    STOW_EACH_OP_OF(op, u.functions.at[next])
      visit(&u, op);
  free(u.functions.at);
  stow_map_free(&u.met);
  return u.bytes;
}
