//===- returns.c - which arguments a function may return ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from the terminators. An op's result may be any operand, or anything that its regions
// yield; a block argument may be anything that enters its region or goes around in it.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "check/steps.h"

#include <stdlib.h>

typedef struct trace {
  MlirBlock entry;
  STOW_ARRAY(MlirValue) values;
  size_t next;
  stow_map met;
  uint32_t arguments;
} trace;

static void want(trace *t, MlirValue value) {
  if (stow_check_is_followed(mlirValueGetType(value)) && stow_map_note(&t->met, value.ptr))
    STOW_PUSH(t->values, value);
}

static void want_operands(trace *t, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    want(t, mlirOperationGetOperand(op, i));
}

static void want_ends(trace *t, MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    if (!mlirOperationIsNull(mlirBlockGetTerminator(block)))
      want_operands(t, mlirBlockGetTerminator(block));
}

static void look_behind(trace *t, MlirValue value) {
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (stow_check_kinds(op) & (STOW_CHECK_MAKES | STOW_CHECK_GLOBAL))
      return;
    want_operands(t, op);
    for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
      want_ends(t, mlirOperationGetRegion(op, r));
    return;
  }
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (mlirBlockEqual(block, t->entry)) {
    t->arguments |= UINT32_C(1) << (number < 31 ? number : 31);
    return;
  }
  MlirRegion region = mlirBlockGetParentRegion(block);
  want_ends(t, region);
  if (!mlirRegionEqual(region, mlirBlockGetParentRegion(t->entry)))
    want_operands(t, mlirBlockGetParentOperation(block));
}

static uint32_t trace_result(MlirRegion body, intptr_t result) {
  trace t = {.entry = mlirRegionGetFirstBlock(body)};
  for (MlirBlock block = t.entry; !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (!mlirOperationIsNull(end) && mlirOperationGetNumSuccessors(end) == 0 &&
        result < mlirOperationGetNumOperands(end))
      want(&t, mlirOperationGetOperand(end, result));
  }
  while (t.next < t.values.count)
    look_behind(&t, t.values.at[t.next++]);
  free(t.values.at);
  stow_map_free(&t.met);
  return t.arguments;
}

// Adds the summaries of all results of a function.
static int32_t summarize(stow_check_program *p, MlirRegion body, intptr_t results) {
  int32_t first = (int32_t)p->summaries.count;
  for (intptr_t i = 0; i < results; ++i) {
    STOW_PUSH(p->summaries, trace_result(body, i));
  }
  return first;
}

uint32_t stow_check_returned_arguments(stow_check_program *p, MlirOperation call, intptr_t result) {
  MlirOperation callee = stow_callee(call, p->symbols);
  MlirRegion body = mlirOperationIsNull(callee) ? (MlirRegion){NULL} : stow_function_body(callee);
  if (mlirRegionIsNull(body))
    return UINT32_MAX;
  int32_t first = stow_map_get(&p->returned, callee.ptr);
  if (first < 0) {
    first = summarize(p, body, mlirOperationGetNumResults(call));
    stow_map_add(&p->returned, callee.ptr, first);
  }
  return p->summaries.at[first + result];
}
