//===- calls.c - the functions of a module, callees first -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/calls.h"

#include <stdlib.h>

typedef struct call {
  int32_t caller, callee;
} call;

typedef struct collecting {
  stow_calls *calls;
  MlirOperation *found; // calls, wherever they are
  size_t count, capacity, function_capacity;
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
    c->found = stow_grow(c->found, c->count, &c->capacity, sizeof *c->found);
    c->found[c->count++] = op;
  }
  return MlirWalkResultAdvance;
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

// Postorder over the calls, with a stack of its own. `first` has where each function's calls begin
// among those sorted by caller; `next` starts as a copy of it.
static void order_functions(stow_calls *calls, const call *sorted, const int32_t *first,
                            int32_t *next) {
  size_t count = calls->function_count, done = 0;
  bool *seen = stow_allocate(count, sizeof *seen);
  int32_t *path = stow_allocate(count, sizeof *path);
  for (size_t root = 0; root < count; ++root) {
    size_t depth = 0;
    if (!seen[root])
      path[depth++] = (int32_t)root;
    seen[root] = true;
    while (depth > 0) {
      int32_t f = path[depth - 1];
      if (next[f] == first[f + 1]) {
        calls->order[done++] = f;
        --depth;
        continue;
      }
      int32_t callee = sorted[next[f]++].callee;
      if (!seen[callee])
        path[depth++] = callee;
      seen[callee] = true;
    }
  }
  free(seen), free(path);
}

static void sort_calls(stow_calls *calls, const call *all, size_t count) {
  size_t functions = calls->function_count;
  int32_t *first = stow_allocate(functions + 1, sizeof *first);
  int32_t *next = stow_allocate(functions, sizeof *next);
  call *sorted = stow_allocate(count, sizeof *sorted);
  for (size_t i = 0; i < count; ++i)
    ++first[all[i].caller + 1];
  for (size_t f = 0; f < functions; ++f)
    first[f + 1] += first[f];
  for (size_t i = 0; i < count; ++i)
    sorted[first[all[i].caller] + next[all[i].caller]++] = all[i];
  for (size_t f = 0; f < functions; ++f)
    next[f] = first[f];
  order_functions(calls, sorted, first, next);
  free(first), free(next), free(sorted);
}

stow_calls stow_calls_of(MlirOperation module) {
  stow_calls calls = {.symbols = stow_symbols_create()};
  collecting c = {.calls = &calls};
  mlirOperationWalk(module, collect_op, &c, MlirWalkPreOrder);
  calls.order = stow_allocate(calls.function_count, sizeof *calls.order);
  call *all = stow_allocate(c.count, sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < c.count; ++i) {
    call found = {caller_of(&calls, c.found[i]), stow_called(&calls, c.found[i])};
    if (found.caller >= 0 && found.callee >= 0)
      all[count++] = found;
  }
  sort_calls(&calls, all, count);
  free(all), free(c.found);
  return calls;
}

void stow_calls_free(stow_calls *calls) {
  stow_map_free(&calls->index);
  stow_symbols_destroy(calls->symbols);
  free(calls->functions), free(calls->order);
  *calls = (stow_calls){0};
}
