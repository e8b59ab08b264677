//===- process.c - what a task does to channels, one step after the other -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check/process.h"

#include "check/limits.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"

#include <assert.h>

void stow_check_process_free(stow_check_process *p) {
  free(p->terms.at);
  free(p->code.at);
  free(p->variables.at);
  free(p->uppers.at);
  free(p->after.at);
  stow_map_free(&p->loops);
}

static bool is_named(MlirOperation op, const char *name) {
  return stow_string_equal(stow_op_name(op), name);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

// A map's inputs: operands [first, ...) of an op.
typedef struct inputs {
  MlirOperation op;
  intptr_t first;
} inputs;

static bool put_expression(stow_check_process *p, MlirAffineExpr e, intptr_t dims, inputs of,
                           int depth);

static void put(stow_check_process *p, int kind, int64_t value) {
  STOW_PUSH(p->terms, (stow_check_term){.kind = kind, .value = value});
}

// False where the value does not follow from loops' variables.
static bool put_value(stow_check_process *p, MlirValue value, int depth) {
  const int32_t loop = stow_map_get(&p->loops, value.ptr);
  if (loop >= 0) {
    put(p, STOW_CHECK_VARIABLE, loop);
    return true;
  }
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (is_named(op, "arith.constant")) {
    MlirAttribute number = stow_attribute_of(op, "value");
    if (!mlirAttributeIsAInteger(number))
      return false;
    put(p, STOW_CHECK_NUMBER, mlirIntegerAttrGetValueInt(number));
    return true;
  }
  if (!is_named(op, "affine.apply"))
    return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(op, "map"));
  return put_expression(p, mlirAffineMapGetResult(map, 0), mlirAffineMapGetNumDims(map),
                        (inputs){op, 0}, depth - 1);
}

static int operator_of(MlirAffineExpr e) {
  if (mlirAffineExprIsAAdd(e))
    return STOW_CHECK_SUM;
  if (mlirAffineExprIsAMul(e))
    return STOW_CHECK_PRODUCT;
  if (mlirAffineExprIsAMod(e))
    return STOW_CHECK_REST;
  return mlirAffineExprIsAFloorDiv(e) ? STOW_CHECK_QUOTIENT : STOW_CHECK_QUOTIENT_UP;
}

static bool put_expression(stow_check_process *p, MlirAffineExpr e, intptr_t dims, inputs of,
                           int depth) {
  if (depth == 0)
    return false;
  if (mlirAffineExprIsAConstant(e)) {
    put(p, STOW_CHECK_NUMBER, mlirAffineConstantExprGetValue(e));
    return true;
  }
  if (mlirAffineExprIsADim(e) || mlirAffineExprIsASymbol(e)) {
    const intptr_t input = mlirAffineExprIsADim(e) ? mlirAffineDimExprGetPosition(e)
                                                   : dims + mlirAffineSymbolExprGetPosition(e);
    return put_value(p, mlirOperationGetOperand(of.op, of.first + input), depth - 1);
  }
  if (!put_expression(p, mlirAffineBinaryOpExprGetLHS(e), dims, of, depth - 1) ||
      !put_expression(p, mlirAffineBinaryOpExprGetRHS(e), dims, of, depth - 1))
    return false;
  put(p, operator_of(e), 0);
  return true;
}

// The results of a map, combined by an operator of two.
static bool put_map(stow_check_process *p, MlirAffineMap map, inputs of, int combine,
                    stow_check_formula *out) {
  out->first = p->terms.count;
  for (intptr_t i = 0, n = mlirAffineMapGetNumResults(map); i < n; ++i) {
    if (!put_expression(p, mlirAffineMapGetResult(map, i), mlirAffineMapGetNumDims(map), of,
                        STOW_CHECK_MOST_NESTED))
      return false;
    if (i > 0)
      put(p, combine, 0);
  }
  out->end = p->terms.count;
  return true;
}

static int64_t divided_down(int64_t number, int64_t by) { return number / by - (number % by < 0); }

static int64_t combine(int kind, int64_t a, int64_t b) {
  switch (kind) {
  case STOW_CHECK_SUM:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case STOW_CHECK_PRODUCT:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case STOW_CHECK_REST:
    return b > 0 ? a - divided_down(a, b) * b : 0;
  case STOW_CHECK_QUOTIENT:
    return b > 0 ? divided_down(a, b) : 0;
  case STOW_CHECK_QUOTIENT_UP:
    return b > 0 ? -divided_down(-a, b) : 0;
  case STOW_CHECK_LARGER:
    return a > b ? a : b;
  default:
    return a < b ? a : b;
  }
}

static int64_t value_of(const stow_check_process *p, stow_check_formula formula) {
  int64_t stack[STOW_CHECK_MOST_NESTED + 2];
  size_t count = 0;
  for (size_t i = formula.first; i < formula.end; ++i) {
    const stow_check_term *term = &p->terms.at[i];
    if (term->kind == STOW_CHECK_NUMBER)
      stack[count++] = term->value;
    else if (term->kind == STOW_CHECK_VARIABLE)
      stack[count++] = p->variables.at[term->value];
    else {
      stack[count - 2] = combine(term->kind, stack[count - 2], stack[count - 1]);
      --count;
    }
    assert(count > 0 && count < STOW_CHECK_MOST_NESTED + 2);
  }
  return stack[0];
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

typedef struct reading {
  stow_check_process *process;
  const stow_map *channel_of;
  stow_map around; // ops around accesses to channels
} reading;

static MlirAffineMap map_of(MlirOperation op, const char *name) {
  return mlirAffineMapAttrGetValue(stow_attribute_of(op, name));
}

static bool is_access(MlirOperation op) {
  return is_named(op, "affine.load") || is_named(op, "affine.store") ||
         is_named(op, "taskflow.release");
}

static intptr_t channel_operand(MlirOperation access) { return is_named(access, "affine.store"); }

static bool put_access(reading *r, MlirOperation op) {
  stow_check_process *p = r->process;
  const intptr_t channel = channel_operand(op);
  stow_check_instruction made = {
      .kind = is_named(op, "affine.load")    ? STOW_CHECK_LOAD
              : is_named(op, "affine.store") ? STOW_CHECK_STORE
                                             : STOW_CHECK_RELEASE,
      .op = op,
      .index = (size_t)stow_map_get(r->channel_of, mlirOperationGetOperand(op, channel).ptr)};
  bool known;
  if (made.kind == STOW_CHECK_RELEASE) {
    made.at.first = p->terms.count;
    known = put_value(p, mlirOperationGetOperand(op, 1), STOW_CHECK_MOST_NESTED);
    made.at.end = p->terms.count;
  } else {
    known = put_map(p, map_of(op, "map"), (inputs){op, channel + 1}, STOW_CHECK_SUM, &made.at);
  }
  STOW_PUSH(p->code, made);
  return known;
}

static bool put_loop(reading *r, MlirOperation op) {
  stow_check_process *p = r->process;
  MlirAffineMap lower = map_of(op, "lowerBoundMap");
  stow_check_instruction made = {.kind = STOW_CHECK_LOOP,
                                 .op = op,
                                 .index = p->variables.count,
                                 .step = mlirIntegerAttrGetValueInt(stow_attribute_of(op, "step"))};
  const inputs of_upper = {op, mlirAffineMapGetNumInputs(lower)};
  const bool known =
      put_map(p, lower, (inputs){op, 0}, STOW_CHECK_LARGER, &made.at) &&
      put_map(p, map_of(op, "upperBoundMap"), of_upper, STOW_CHECK_SMALLER, &made.upper);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  stow_map_add(&p->loops, mlirBlockGetArgument(body, 0).ptr, (int32_t)p->variables.count);
  STOW_PUSH(p->variables, 0);
  STOW_PUSH(p->uppers, 0);
  STOW_PUSH(p->code, made);
  return known;
}

static void end_loop(stow_check_process *p, size_t begin) {
  p->code.at[begin].other = p->code.count;
  STOW_PUSH(p->code, (stow_check_instruction){.kind = STOW_CHECK_NEXT,
                                              .op = p->code.at[begin].op,
                                              .index = p->code.at[begin].index,
                                              .other = begin,
                                              .step = p->code.at[begin].step});
}

// Notes what is around the accesses; returns a use that is no access, or null.
static MlirOperation find_around(reading *r, MlirBlock body) {
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(body); i < n; ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    if (stow_map_get(r->channel_of, argument.ptr) < 0)
      continue;
    STOW_EACH_USE(use, argument) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      if (is_named(op, "taskflow.yield"))
        continue;
      if (!is_access(op) || (intptr_t)mlirOpOperandGetOperandNumber(use) != channel_operand(op))
        return op;
      for (; !mlirOperationEqual(op, r->process->task); op = mlirOperationGetParentOperation(op))
        stow_map_note(&r->around, op.ptr);
    }
  }
  return (MlirOperation){NULL};
}

static MlirOperation put_body(reading *r, MlirBlock body) {
  STOW_ARRAY(size_t) open = {0};
  MlirOperation op = mlirBlockGetFirstOperation(body), unknown = {NULL};
  while (mlirOperationIsNull(unknown)) {
    if (mlirOperationIsNull(op)) {
      if (open.count == 0)
        break;
      const size_t begin = open.at[--open.count];
      end_loop(r->process, begin);
      op = mlirOperationGetNextInBlock(r->process->code.at[begin].op);
      continue;
    }
    const bool around = stow_map_get(&r->around, op.ptr) >= 0;
    const bool enters = around && is_named(op, "affine.for");
    if (around && !(enters ? put_loop(r, op) : is_access(op) && put_access(r, op)))
      unknown = op;
    if (enters)
      STOW_PUSH(open, r->process->code.count - 1);
    op = enters ? mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)))
                : mlirOperationGetNextInBlock(op);
  }
  free(open.at);
  return unknown;
}

MlirOperation stow_check_process_read(stow_check_process *process, MlirOperation task,
                                      const stow_map *channel_of) {
  reading r = {.process = process, .channel_of = channel_of};
  process->task = task;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(task, 0));
  MlirOperation unknown = find_around(&r, body);
  if (mlirOperationIsNull(unknown))
    unknown = put_body(&r, body);
  stow_map_free(&r.around);
  return unknown;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void begin_loop(stow_check_process *p, const stow_check_instruction *in) {
  const int64_t lower = value_of(p, in->at), upper = value_of(p, in->upper);
  p->variables.at[in->index] = lower;
  p->uppers.at[in->index] = upper;
  p->next = lower < upper ? p->next + 1 : in->other + 1;
}

static void next_iteration(stow_check_process *p, const stow_check_instruction *in) {
  int64_t *variable = &p->variables.at[in->index];
  const bool more = p->uppers.at[in->index] - *variable > in->step;
  *variable += in->step;
  p->next = more ? in->other + 1 : p->next + 1;
}

static stow_check_run store(stow_check_channel *c, int64_t element) {
  if (element != c->stored || element >= c->count)
    return STOW_CHECK_WRONG;
  if (element >= c->released && element - c->released >= c->depth)
    return STOW_CHECK_BLOCKED;
  ++c->stored;
  return STOW_CHECK_DONE;
}

static stow_check_run load(const stow_check_channel *c, int64_t element) {
  if (element < c->released || element < 0 || element >= c->count)
    return STOW_CHECK_WRONG;
  return element < c->stored ? STOW_CHECK_DONE : STOW_CHECK_BLOCKED;
}

static stow_check_run access(stow_check_process *p, const stow_check_instruction *in,
                             stow_check_channel *c) {
  p->element = value_of(p, in->at);
  stow_check_run run = STOW_CHECK_DONE;
  if (in->kind == STOW_CHECK_RELEASE)
    c->released = p->element > c->released ? p->element : c->released;
  else
    run = in->kind == STOW_CHECK_STORE ? store(c, p->element) : load(c, p->element);
  p->next += run == STOW_CHECK_DONE;
  return run;
}

stow_check_run stow_check_process_run(stow_check_process *p, stow_check_channel *channels,
                                      uint64_t *steps) {
  while (p->next < p->code.count) {
    if (*steps == 0)
      return STOW_CHECK_EXHAUSTED;
    --*steps;
    const stow_check_instruction *in = &p->code.at[p->next];
    if (in->kind == STOW_CHECK_LOOP)
      begin_loop(p, in);
    else if (in->kind == STOW_CHECK_NEXT)
      next_iteration(p, in);
    else {
      const stow_check_run run = access(p, in, &channels[in->index]);
      if (run != STOW_CHECK_DONE)
        return run;
    }
  }
  return STOW_CHECK_DONE;
}
