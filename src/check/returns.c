//===- returns.c - which arguments a function may return ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from the terminators. A result of an op with regions, or an argument in one, is what
// the edges of control pass to it; where they tell nothing, any operand, or anything that the
// regions yield. An argument of another block is what branches pass. The result of a call may be
// what the callee returns, and an argument of the callee what any call that was met passes, so that
// functions may call each other in circles. What a bit tells from memory that the function does not
// own is no argument. Memory whose address was loaded, or made of numbers alone, may be any
// argument; work may be on all that its body uses.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "check/steps.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// A call of a function with a body, or an argument of one that may be the result.
typedef struct met_call {
  MlirOperation op;
  MlirBlock entry; // the callee's
} met_call;

typedef struct met_argument {
  MlirBlock entry;
  intptr_t number;
} met_argument;

typedef struct trace {
  stow_symbols *symbols;
  MlirBlock entry;
  STOW_ARRAY(met_call) calls;
  STOW_ARRAY(met_argument) met_arguments;
  stow_values values;
  size_t next;
  uint32_t arguments;
} trace;

static void want(trace *t, MlirValue value) {
  if (stow_check_is_followed(mlirValueGetType(value)))
    stow_values_add(&t->values, value);
}

static void want_operands(trace *t, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    want(t, mlirOperationGetOperand(op, i));
}

static void want_ends(trace *t, MlirRegion region) {
  STOW_EACH_BLOCK(block, region)
    if (!mlirOperationIsNull(mlirBlockGetTerminator(block)))
      want_operands(t, mlirBlockGetTerminator(block));
}

static void want_passed(trace *t, MlirOperation call, intptr_t number) {
  intptr_t first, count;
  stow_bridge_call_arguments(call, &first, &count);
  if (number < count)
    want(t, mlirOperationGetOperand(call, first + number));
}

// What an async function gives is work on any argument, or there when that is done.
static void want_result(trace *t, MlirRegion body, intptr_t result) {
  STOW_EACH_BLOCK(block, body) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (mlirOperationIsNull(end) || mlirOperationGetNumSuccessors(end) > 0)
      continue;
    if (stow_ir_op_is(end, "async.return"))
      t->arguments = UINT32_MAX;
    else if (result < mlirOperationGetNumOperands(end))
      want(t, mlirOperationGetOperand(end, result));
  }
}

static void meet_call(trace *t, MlirOperation call, MlirRegion body, intptr_t result) {
  const met_call met = {call, mlirRegionGetFirstBlock(body)};
  STOW_PUSH(t->calls, met);
  want_result(t, body, result);
  for (size_t i = 0; i < t->met_arguments.count; ++i)
    if (mlirBlockEqual(t->met_arguments.at[i].entry, met.entry))
      want_passed(t, call, t->met_arguments.at[i].number);
}

static void meet_argument(trace *t, MlirBlock entry, intptr_t number) {
  STOW_PUSH(t->met_arguments, (met_argument){entry, number});
  if (mlirBlockEqual(entry, t->entry))
    t->arguments |= UINT32_C(1) << (number < 31 ? number : 31);
  for (size_t i = 0; i < t->calls.count; ++i)
    if (mlirBlockEqual(t->calls.at[i].entry, entry))
      want_passed(t, t->calls.at[i].op, number);
}

typedef struct passed {
  trace *t;
  MlirOperation op; // that control leaves where no terminator is told
  MlirValue target;
  bool found;
} passed;

static void want_pass(void *user, const stow_control_edge *edge) {
  passed *p = user;
  for (size_t i = 0; i < edge->count; ++i)
    if (mlirValueEqual(edge->passes[i].target, p->target) && edge->passes[i].operand >= 0) {
      p->found = true;
      want(p->t, mlirOperationGetOperand(mlirOperationIsNull(edge->end) ? p->op : edge->end,
                                         edge->passes[i].operand));
    }
}

// What becomes the value, a result of an op with regions or an argument in one, along its edges.
// False where no edge tells.
static bool want_region_edges(trace *t, MlirOperation op, MlirValue value) {
  passed p = {t, op, value, false};
  if (stow_op_facts(op) & STOW_OP_REGION_BRANCH)
    stow_bridge_region_edges(op, want_pass, &p);
  return p.found;
}

static bool holds_handles(MlirType type) {
  return mlirTypeIsAMemRef(type) && stow_check_is_followed(mlirShapedTypeGetElementType(type));
}

static bool is_constant(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         mlirOperationGetNumOperands(mlirOpResultGetOwner(value)) == 0;
}

// Whether the op gives memory to which no operand leads: it loads its address, or casts a number.
static bool gives_any(MlirOperation op) {
  const bool casts =
      stow_ir_op_is(op, "llvm.inttoptr") || stow_ir_op_is(op, "builtin.unrealized_conversion_cast");
  bool loads = stow_ir_op_has_prefix(op, "llvm.") && !stow_bridge_op_is_call(op), numbers = false;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    const MlirValue value = mlirOperationGetOperand(op, i);
    const MlirType type = mlirValueGetType(value);
    loads |= holds_handles(type);
    numbers |= !stow_check_is_followed(type) && !is_constant(value);
  }
  return stow_bridge_op_is_pure(op) ? casts && numbers : loads;
}

// Memory behind an async.await is what the body that was waited for yields. False: no await, or its
// body is not told.
static bool want_awaited(trace *t, MlirOperation op) {
  if (!stow_ir_op_is(op, "async.await"))
    return false;
  const MlirValue value = mlirOperationGetOperand(op, 0);
  return mlirValueIsAOpResult(value) && want_region_edges(t, mlirOpResultGetOwner(value), value);
}

// A result of an op that is no call, and no memory of its own. A handle of async's is work, too.
static void look_behind_op(trace *t, MlirOperation op, MlirValue value) {
  const bool works =
      stow_ir_op_has_prefix(op, "async.") && stow_check_is_handle(mlirValueGetType(value));
  if (want_awaited(t, op) || (want_region_edges(t, op, value) && !works))
    return;
  if (mlirOperationGetNumRegions(op) == 0 && gives_any(op))
    t->arguments = UINT32_MAX;
  STOW_EACH_OP_OF(inner, op)
    if (mlirOperationEqual(inner, op) || !(stow_check_kinds(inner) & STOW_CHECK_MEASURES))
      want_operands(t, inner);
}

static void look_behind_result(trace *t, MlirValue value) {
  MlirOperation op = mlirOpResultGetOwner(value);
  if (stow_check_kinds(op) & (STOW_CHECK_MAKES | STOW_CHECK_GLOBAL) ||
      stow_check_is_own(op, mlirOpResultGetResultNumber(value)))
    return;
  MlirRegion body = stow_check_called_body(op, t->symbols);
  if (mlirRegionIsNull(body))
    look_behind_op(t, op, value);
  else
    meet_call(t, op, body, mlirOpResultGetResultNumber(value));
}

static bool is_entry(MlirBlock block) {
  MlirOperation op = mlirBlockGetParentOperation(block);
  return stow_bridge_op_is_function(op) &&
         mlirBlockEqual(block, mlirRegionGetFirstBlock(stow_bridge_function_body(op)));
}

static bool goes_to(MlirOperation end, MlirBlock block) {
  for (intptr_t i = 0, n = mlirOperationGetNumSuccessors(end); i < n; ++i)
    if (mlirBlockEqual(mlirOperationGetSuccessor(end, i), block))
      return true;
  return false;
}

// What may be an argument of a block that is not its region's first.
static void want_branches(trace *t, MlirBlock block, MlirValue argument) {
  STOW_EACH_BLOCK(from, mlirBlockGetParentRegion(block)) {
    passed p = {t, mlirBlockGetTerminator(from), argument, false};
    if (mlirOperationIsNull(p.op) || !goes_to(p.op, block))
      continue;
    if (stow_op_facts(p.op) & STOW_OP_BRANCH)
      stow_bridge_branch_edges(p.op, want_pass, &p);
    else
      want_operands(t, p.op);
  }
}

static void look_behind(trace *t, MlirValue value) {
  if (mlirValueIsAOpResult(value)) {
    look_behind_result(t, value);
    return;
  }
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  if (is_entry(block)) {
    meet_argument(t, block, mlirBlockArgumentGetArgNumber(value));
    return;
  }
  if (!mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)))) {
    want_branches(t, block, value);
    return;
  }
  if (want_region_edges(t, mlirBlockGetParentOperation(block), value))
    return;
  want_ends(t, mlirBlockGetParentRegion(block));
  if (!stow_bridge_op_is_function(mlirBlockGetParentOperation(block)))
    want_operands(t, mlirBlockGetParentOperation(block));
}

static uint32_t trace_result(stow_symbols *symbols, MlirRegion body, intptr_t result) {
  trace t = {.symbols = symbols, .entry = mlirRegionGetFirstBlock(body)};
  want_result(&t, body, result);
  while (t.next < t.values.count)
    look_behind(&t, t.values.at[t.next++]);
  stow_values_free(&t.values);
  free(t.calls.at);
  free(t.met_arguments.at);
  return t.arguments;
}

// Adds the summaries of all results of a function.
static int32_t summarize(stow_check_program *p, MlirRegion body, intptr_t results) {
  int32_t first = (int32_t)p->summaries.count;
  for (intptr_t i = 0; i < results; ++i) {
    STOW_PUSH(p->summaries, trace_result(p->symbols, body, i));
  }
  return first;
}

uint32_t stow_check_returned_arguments(stow_check_program *p, MlirOperation call, intptr_t result) {
  MlirOperation callee = stow_check_callee(call, p->symbols);
  MlirRegion body = stow_check_called_body(call, p->symbols);
  if (mlirRegionIsNull(body))
    return UINT32_MAX;
  int32_t first = stow_map_get(&p->returned, callee.ptr);
  if (first < 0) {
    first = summarize(p, body, mlirOperationGetNumResults(call));
    stow_map_add(&p->returned, callee.ptr, first);
  }
  return p->summaries.at[first + result];
}
