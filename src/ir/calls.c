//===- calls.c - the functions of a module, callees first -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/calls.h"

#include "ir/index.h"
#include "ir/op.h"

#include <stdlib.h>
#include <string.h>

typedef struct call {
  int32_t caller, callee;
} call;

typedef struct collecting {
  stow_calls *calls;
  STOW_ARRAY(MlirOperation) found;    // calls, wherever they are
  STOW_ARRAY(MlirOperation) pointers; // constants that are functions
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

static int32_t caller_of(const stow_calls *calls, MlirOperation op) {
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    int32_t function = stow_map_get(&calls->index, op.ptr);
    if (function >= 0)
      return function;
  }
  return -1;
}

static int32_t caller_at(const void *all, size_t i) { return ((const call *)all)[i].caller; }

// Postorder over the calls, with a stack of its own.
static void order_functions(stow_calls *calls, const call *all, size_t call_count) {
  size_t count = calls->function_count, done = 0;
  stow_index by_caller = stow_index_of(all, call_count, count, caller_at);
  bool *seen = stow_allocate(count, sizeof *seen);
  int32_t *path = stow_allocate(count, sizeof *path);
  int32_t *next = stow_allocate(count, sizeof *next); // per function: its next call
  memcpy(next, by_caller.first, count * sizeof *next);
  for (size_t root = 0; root < count; ++root) {
    size_t depth = 0;
    if (!seen[root])
      path[depth++] = (int32_t)root;
    seen[root] = true;
    while (depth > 0) {
      int32_t f = path[depth - 1];
      if (next[f] == by_caller.first[f + 1]) {
        calls->order[done++] = f;
        --depth;
        continue;
      }
      int32_t callee = all[by_caller.items[next[f]++]].callee;
      if (!seen[callee])
        path[depth++] = callee;
      seen[callee] = true;
    }
  }
  stow_index_free(&by_caller);
  free(seen), free(path), free(next);
}

stow_calls stow_calls_of(MlirOperation module) {
  stow_calls calls = {.symbols = stow_symbols_create()};
  collecting c = {.calls = &calls};
  mlirOperationWalk(module, collect_op, &c, MlirWalkPreOrder);
  calls.order = stow_allocate(calls.function_count, sizeof *calls.order);
  call *all = stow_allocate(c.found.count, sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < c.found.count; ++i) {
    call found = {caller_of(&calls, c.found.at[i]), stow_called(&calls, c.found.at[i])};
    if (found.caller >= 0 && found.callee >= 0)
      all[count++] = found;
  }
  order_functions(&calls, all, count);
  find_pointed(&c);
  free(all), free(c.found.at), free(c.pointers.at);
  return calls;
}

void stow_calls_free(stow_calls *calls) {
  stow_map_free(&calls->index);
  stow_symbols_destroy(calls->symbols);
  free(calls->functions), free(calls->order), free(calls->pointed);
  *calls = (stow_calls){0};
}

bool stow_call_borrows(const stow_calls *calls, MlirOperation op, intptr_t argument) {
  MlirOperation callee = stow_callee(op, calls->symbols);
  return !mlirOperationIsNull(callee) &&
         (stow_argument_has_attribute(callee, argument, "llvm.nocapture") ||
          stow_argument_has_attribute(callee, argument, "stowage.nocapture"));
}
