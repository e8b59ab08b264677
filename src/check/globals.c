//===- globals.c - what functions use of global arenas --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views that a function, or one that it calls, makes of a global are not those of its
// caller. A view that is only read can be treated as the caller's own, but where threads of a
// workgroup have the global in common: others may write there at once.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "check/steps.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Functions that are called
//===----------------------------------------------------------------------===//

static void meet_calls(stow_op_set *functions, MlirOperation around, stow_symbols *symbols) {
  STOW_EACH_OP_OF(op, around) {
    const MlirOperation callee = stow_check_callee(op, symbols);
    if (!mlirRegionIsNull(stow_check_called_body(op, symbols)))
      STOW_INCLUDE(*functions, callee);
  }
}

stow_op_set stow_check_called_in(MlirOperation around, stow_symbols *symbols) {
  stow_op_set functions = {0};
  meet_calls(&functions, around, symbols);
  for (size_t next = 0; next < functions.count; ++next)
    meet_calls(&functions, functions.at[next], symbols);
  return functions;
}

static bool makes_memref(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 1 &&
         mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// The views of a global's memory, also those of other names that a function gives it.
static stow_op_list views_of(MlirValue memory) {
  stow_op_list views = {0};
  stow_values names = {0};
  stow_values_add(&names, memory);
  for (size_t next = 0; next < names.count; ++next)
    STOW_EACH_USE(use, names.at[next]) {
      const MlirOperation op = mlirOpOperandGetOwner(use);
      const intptr_t number = (intptr_t)mlirOpOperandGetOperandNumber(use);
      if (!(stow_check_kinds(op) & STOW_CHECK_RENAMES) && makes_memref(op))
        STOW_PUSH(views, op);
      else if (stow_check_kinds(op) & STOW_CHECK_RENAMES && number < mlirOperationGetNumResults(op))
        stow_values_add(&names, mlirOperationGetResult(op, number));
    }
  stow_values_free(&names);
  return views;
}

// The byte that a view starts at, where that is known.
static bool starts_at(MlirOperation view, int64_t *out_start) {
  return stow_check_kinds(view) & STOW_CHECK_VIEWS &&
         mlirValueIsNull(stow_check_offset_split(mlirOperationGetOperand(view, 1), out_start));
}

//===----------------------------------------------------------------------===//
// What they write
//===----------------------------------------------------------------------===//

typedef struct usage {
  stow_check_program *program;
  MlirAttribute global; // its name
  stow_check_bytes bytes;
} usage;

static void note_view(usage *u, MlirOperation view) {
  int64_t start;
  const MlirType type = mlirValueGetType(mlirOperationGetResult(view, 0));
  const stow_check_bytes bytes =
      starts_at(view, &start)
          ? stow_check_bytes_shift(stow_check_extent_of(u->program, type), start)
          : (stow_check_bytes){0, STOW_CHECK_FAR};
  u->bytes = stow_check_bytes_join(u->bytes, bytes);
}

static void visit(usage *u, MlirOperation op) {
  if (!(stow_check_kinds(op) & STOW_CHECK_GLOBAL) ||
      !mlirAttributeEqual(stow_attribute_of(op, "name"), u->global))
    return;
  STOW_EACH_FOUND(view, views_of(mlirOperationGetResult(op, 0)))
    if (stow_check_may_be_written(&u->program->transfers, mlirOperationGetResult(view, 0)))
      note_view(u, view);
}

stow_check_bytes stow_check_global_used(stow_check_program *p, MlirOperation call,
                                        MlirValue arena) {
  usage u = {.program = p, .global = stow_check_global_of(arena)};
  if (mlirAttributeIsNull(u.global))
    return u.bytes;
  stow_op_set functions = stow_check_called_in(call, p->symbols);
  STOW_EACH_ITEM(MlirOperation, function, functions)
    STOW_EACH_OP_OF(op, function)
      visit(&u, op);
  STOW_SET_FREE(functions);
  return u.bytes;
}

//===----------------------------------------------------------------------===//
// What threads use of them
//===----------------------------------------------------------------------===//

bool stow_check_is_of_program(const stow_check_program *p, MlirValue value) {
  return !mlirValueIsAOpResult(value) ||
         stow_ir_is_inside(mlirOpResultGetOwner(value), p->function);
}

// The function's own name of a global, or else the one that a function which it calls has.
static MlirValue memory_here(const stow_check_program *p, MlirValue global) {
  const MlirAttribute name = stow_check_global_of(global);
  STOW_EACH_OP_OF(op, p->function)
    if (stow_check_kinds(op) & STOW_CHECK_GLOBAL &&
        mlirAttributeEqual(stow_attribute_of(op, "name"), name))
      return mlirOperationGetResult(op, 0);
  return global;
}

// A view that another function cuts, as one of the root: all of that where its offset is not known.
static int32_t carve(stow_check_program *p, int32_t root, MlirOperation view) {
  int64_t start;
  const MlirValue result = mlirOperationGetResult(view, 0);
  const stow_check_bytes all = p->names.at[root].bytes;
  const stow_check_bytes bytes =
      starts_at(view, &start)
          ? stow_check_bytes_meet(
                stow_check_bytes_shift(stow_check_extent_of(p, mlirValueGetType(result)), start),
                all)
          : all;
  if (stow_check_bytes_empty(bytes))
    return STOW_CHECK_NO_NAME;
  return stow_check_name_add(p, (stow_check_name){.kind = STOW_CHECK_CARVE,
                                                  .value = result,
                                                  .bytes = {0, bytes.hi - bytes.lo},
                                                  .node = -1,
                                                  .root = root,
                                                  .reached = true,
                                                  .parent = root,
                                                  .anchor = root,
                                                  .placed = true,
                                                  .start = bytes.lo,
                                                  .address = bytes.lo,
                                                  .loose = STOW_CHECK_NO_NAME,
                                                  .within = bytes});
}

static void use_view(stow_check_program *p, int32_t root, MlirOperation view) {
  const MlirValue result = mlirOperationGetResult(view, 0);
  int32_t name = stow_check_place_of(p, result).name;
  if (name == STOW_CHECK_NO_NAME)
    name = carve(p, root, view);
  if (name == STOW_CHECK_NO_NAME)
    return;
  const stow_check_place place = {name, p->names.at[name].bytes, true, true};
  STOW_PUSH(p->accesses,
            (stow_check_access){.place = place,
                                .reads = true,
                                .writes = stow_check_may_be_written(&p->transfers, result)});
}

// The root that stands for the global, which is made where there is none.
static int32_t root_of(stow_check_program *p, MlirValue global) {
  const MlirValue here = memory_here(p, global);
  if (stow_check_place_of(p, here).name == STOW_CHECK_NO_NAME)
    stow_check_root_find(p, here);
  if (stow_check_place_of(p, here).name != STOW_CHECK_NO_NAME)
    return stow_check_place_of(p, here).name;
  stow_check_root_find(p, global);
  return stow_check_place_of(p, global).name;
}

static bool is_shared(MlirValue global) {
  return stow_check_is_arena(global) &&
         stow_ir_is_workgroup_space(stow_ir_memory_space(mlirValueGetType(global)));
}

static void use_global(stow_check_program *p, MlirValue global) {
  if (!is_shared(global))
    return;
  const int32_t root = root_of(p, global);
  STOW_EACH_FOUND(view, views_of(global))
    use_view(p, root, view);
}

bool stow_check_any_global_shared(MlirOperation module) {
  STOW_EACH_OP_OF(op, module)
    if (stow_check_kinds(op) & STOW_CHECK_GLOBAL && is_shared(mlirOperationGetResult(op, 0)))
      return true;
  return false;
}

void stow_check_globals_shared(stow_check_program *p, MlirOperation call) {
  if (!p->shares_globals)
    return;
  const size_t first = p->accesses.count;
  stow_op_set functions = stow_check_called_in(call, p->symbols);
  STOW_EACH_ITEM(MlirOperation, function, functions)
    STOW_EACH_OP_OF(op, function)
      if (stow_check_kinds(op) & STOW_CHECK_GLOBAL)
        use_global(p, mlirOperationGetResult(op, 0));
  STOW_SET_FREE(functions);
  stow_check_accesses_close(p, STOW_CHECK_EVENT_CALLED, call, first);
}
