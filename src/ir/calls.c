//===- calls.c - the functions of a module, callees first -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/calls.h"

#include "ir/op.h"

#include <stdlib.h>

typedef struct collecting {
  stow_calls *calls;
  stow_op_list found;    // calls, wherever they are
  stow_op_list pointers; // constants that are functions
  size_t function_capacity;
} collecting;

static MlirWalkResult collect_op(MlirOperation op, void *user) {
  collecting *c = user;
  stow_calls *calls = c->calls;
  if (mlirOperationGetNumRegions(op) > 0 && stow_op_is_function(op) &&
      !mlirRegionIsNull(stow_function_body(op))) {
    stow_map_add(&calls->index, op.ptr, (int32_t)calls->function_count);
    calls->functions = stow_grow(calls->functions, calls->function_count, &c->function_capacity,
                                 sizeof *calls->functions);
    calls->functions[calls->function_count++] = op;
  } else if (stow_op_is_call(op)) {
    STOW_PUSH(c->found, op);
  } else if (stow_is(op, STOW_FUNC_CONSTANT)) {
    STOW_PUSH(c->pointers, op);
  }
  return MlirWalkResultAdvance;
}

static void find_pointed(const collecting *c) {
  stow_calls *calls = c->calls;
  calls->pointed = stow_allocate(calls->function_count, sizeof *calls->pointed);
  for (size_t i = 0; i < c->pointers.count; ++i) {
    MlirOperation function = stow_named_function(c->pointers.at[i], "value", calls->symbols);
    int32_t f = mlirOperationIsNull(function) ? -1 : stow_map_get(&calls->index, function.ptr);
    if (f >= 0)
      calls->pointed[f] = true;
  }
}

int32_t stow_called(const stow_calls *calls, MlirOperation op) {
  MlirOperation callee = stow_callee(op, calls->symbols);
  return mlirOperationIsNull(callee) ? -1 : stow_map_get(&calls->index, callee.ptr);
}

int32_t stow_calls_caller(const stow_calls *calls, MlirOperation op) {
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    int32_t function = stow_map_get(&calls->index, op.ptr);
    if (function >= 0)
      return function;
  }
  return -1;
}

// A call that does not tell what it calls may call any function whose address is taken. All of
// these are as if they called each other.
static void find_components(const collecting *c) {
  stow_calls *calls = c->calls;
  STOW_ARRAY(stow_jump) known = {0};
  int32_t pointed = -1;
  for (size_t f = 0; f < calls->function_count; ++f) {
    if (!calls->pointed[f])
      continue;
    if (pointed >= 0) {
      STOW_PUSH(known, (stow_jump){(int32_t)f, pointed});
      STOW_PUSH(known, (stow_jump){pointed, (int32_t)f});
    }
    pointed = (int32_t)f;
  }
  for (size_t i = 0; i < c->found.count; ++i) {
    MlirOperation op = c->found.at[i];
    bool told = !mlirOperationIsNull(stow_callee(op, calls->symbols));
    stow_jump call = {stow_calls_caller(calls, op), told ? stow_called(calls, op) : pointed};
    if (call.from >= 0 && call.to >= 0)
      STOW_PUSH(known, call);
  }
  stow_index callees = stow_successors_of(known.at, known.count, calls->function_count);
  calls->components = stow_components_of(&callees, calls->function_count);
  stow_index_free(&callees);
  free(known.at);
}

stow_calls stow_calls_of(MlirOperation module) {
  stow_calls calls = {.symbols = stow_symbols_create()};
  collecting c = {.calls = &calls};
  mlirOperationWalk(module, collect_op, &c, MlirWalkPreOrder);
  find_pointed(&c);
  find_components(&c);
  free(c.found.at), free(c.pointers.at);
  return calls;
}

void stow_calls_free(stow_calls *calls) {
  stow_map_free(&calls->index);
  stow_symbols_destroy(calls->symbols);
  stow_components_free(&calls->components);
  free(calls->functions), free(calls->pointed);
  *calls = (stow_calls){0};
}

bool stow_call_borrows(const stow_calls *calls, MlirOperation op, intptr_t argument) {
  MlirOperation callee = stow_callee(op, calls->symbols);
  return !mlirOperationIsNull(callee) &&
         (stow_argument_has_attribute(callee, argument, "llvm.nocapture") ||
          stow_argument_has_attribute(callee, argument, "stowage.nocapture"));
}

bool stow_call_lends(const stow_calls *calls, MlirOperation op, intptr_t result) {
  MlirOperation callee = stow_callee(op, calls->symbols);
  return !mlirOperationIsNull(callee) && stow_result_has_attribute(callee, result, STOW_BORROWED);
}
