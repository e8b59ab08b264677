//===- course.c - loops whose bounds are known, step by step ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/course.h"

#include "bridge/bridge.h"
#include "ir/formula.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/IntegerSet.h"

#include <assert.h>

void stow_course_free(stow_course *c) {
  free(c->terms.at);
  free(c->formulas.at);
  free(c->code.at);
  free(c->variables.at);
  free(c->uppers.at);
  stow_map_free(&c->loops);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

// A map's inputs: operands [first, ...) of an op. The first `dims` of them are its dimensions.
typedef struct inputs {
  MlirOperation op;
  intptr_t first, dims;
} inputs;

static bool put_expression(stow_course *c, MlirAffineExpr e, inputs of, int depth);

static void put(stow_course *c, int kind, int64_t value) {
  STOW_PUSH(c->terms, (stow_course_term){.kind = kind, .value = value});
}

// False where the value does not follow from loops' variables.
static bool put_value(stow_course *c, MlirValue value, int depth) {
  const int32_t loop = stow_map_get(&c->loops, value.ptr);
  if (loop >= 0) {
    put(c, STOW_COURSE_VARIABLE, loop);
    return true;
  }
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (stow_ir_op_is(op, "arith.constant")) {
    MlirAttribute number = stow_attribute_of(op, "value");
    if (!mlirAttributeIsAInteger(number))
      return false;
    put(c, STOW_COURSE_NUMBER, mlirIntegerAttrGetValueInt(number));
    return true;
  }
  if (!stow_ir_op_is(op, "affine.apply"))
    return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(op, "map"));
  return put_expression(c, mlirAffineMapGetResult(map, 0),
                        (inputs){op, 0, mlirAffineMapGetNumDims(map)}, depth - 1);
}

static int operator_of(MlirAffineExpr e) {
  if (mlirAffineExprIsAAdd(e))
    return STOW_COURSE_SUM;
  if (mlirAffineExprIsAMul(e))
    return STOW_COURSE_PRODUCT;
  if (mlirAffineExprIsAMod(e))
    return STOW_COURSE_REST;
  return mlirAffineExprIsAFloorDiv(e) ? STOW_COURSE_QUOTIENT : STOW_COURSE_QUOTIENT_UP;
}

static bool put_expression(stow_course *c, MlirAffineExpr e, inputs of, int depth) {
  if (depth == 0)
    return false;
  if (mlirAffineExprIsAConstant(e)) {
    put(c, STOW_COURSE_NUMBER, mlirAffineConstantExprGetValue(e));
    return true;
  }
  if (mlirAffineExprIsADim(e) || mlirAffineExprIsASymbol(e)) {
    const intptr_t input = mlirAffineExprIsADim(e) ? mlirAffineDimExprGetPosition(e)
                                                   : of.dims + mlirAffineSymbolExprGetPosition(e);
    return put_value(c, mlirOperationGetOperand(of.op, of.first + input), depth - 1);
  }
  if (!put_expression(c, mlirAffineBinaryOpExprGetLHS(e), of, depth - 1) ||
      !put_expression(c, mlirAffineBinaryOpExprGetRHS(e), of, depth - 1))
    return false;
  put(c, operator_of(e), 0);
  return true;
}

// The terms from `first` on become a formula.
static void end_formula(stow_course *c, size_t first, bool equal) {
  STOW_PUSH(c->formulas, (stow_course_formula){first, c->terms.count, equal});
}

// A formula per result of a map; of all, where they are combined by an operator of two.
static bool put_map(stow_course *c, MlirAffineMap map, inputs of, int combine) {
  size_t first = c->terms.count;
  const intptr_t count = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < count; ++i) {
    if (!put_expression(c, mlirAffineMapGetResult(map, i), of, STOW_COURSE_MOST_NESTED))
      return false;
    if (combine != STOW_COURSE_NUMBER && i > 0)
      put(c, combine, 0);
    if (combine == STOW_COURSE_NUMBER || i + 1 == count) {
      end_formula(c, first, false);
      first = c->terms.count;
    }
  }
  return true;
}

static bool put_set(stow_course *c, MlirIntegerSet set, inputs of) {
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); ++i) {
    const size_t first = c->terms.count;
    if (!put_expression(c, mlirIntegerSetGetConstraint(set, i), of, STOW_COURSE_MOST_NESTED))
      return false;
    end_formula(c, first, mlirIntegerSetIsConstraintEq(set, i));
  }
  return true;
}

static int64_t combine(int kind, int64_t a, int64_t b) {
  switch (kind) {
  case STOW_COURSE_SUM:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case STOW_COURSE_PRODUCT:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case STOW_COURSE_REST:
    return b > 0 ? a - stow_ir_rounded_down(a, b) * b : 0;
  case STOW_COURSE_QUOTIENT:
    return b > 0 ? stow_ir_rounded_down(a, b) : 0;
  case STOW_COURSE_QUOTIENT_UP:
    return b > 0 ? -stow_ir_rounded_down(-a, b) : 0;
  case STOW_COURSE_LARGER:
    return a > b ? a : b;
  default:
    return a < b ? a : b;
  }
}

static int64_t value_of(const stow_course *c, size_t formula) {
  int64_t stack[STOW_COURSE_MOST_NESTED + 2];
  size_t count = 0;
  for (size_t i = c->formulas.at[formula].first; i < c->formulas.at[formula].end; ++i) {
    const stow_course_term *term = &c->terms.at[i];
    if (term->kind == STOW_COURSE_NUMBER)
      stack[count++] = term->value;
    else if (term->kind == STOW_COURSE_VARIABLE)
      stack[count++] = c->variables.at[term->value];
    else {
      stack[count - 2] = combine(term->kind, stack[count - 2], stack[count - 1]);
      --count;
    }
    assert(count > 0 && count < STOW_COURSE_MOST_NESTED + 2);
  }
  return stack[0];
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

typedef struct reading {
  stow_course *course;
  const stow_map *numbers;
  stow_map around; // ops around those that are wanted
  MlirBlock body;
} reading;

static void note_around(reading *r, MlirOperation op) {
  for (MlirBlock block = mlirOperationGetBlock(op); !mlirBlockEqual(block, r->body);
       block = mlirOperationGetBlock(op)) {
    op = mlirBlockGetParentOperation(block);
    stow_map_note(&r->around, op.ptr);
  }
}

static bool put_indices(stow_course *c, MlirOperation op) {
  const MlirAttribute map = stow_attribute_of(op, "map");
  const intptr_t operands = mlirOperationGetNumOperands(op);
  if (!mlirAttributeIsNull(map)) {
    const MlirAffineMap indices = mlirAffineMapAttrGetValue(map);
    const inputs of = {op, operands - mlirAffineMapGetNumInputs(indices),
                       mlirAffineMapGetNumDims(indices)};
    return put_map(c, indices, of, STOW_COURSE_NUMBER);
  }
  const size_t first = c->terms.count;
  if (operands == 0 ||
      !put_value(c, mlirOperationGetOperand(op, operands - 1), STOW_COURSE_MOST_NESTED))
    return false;
  end_formula(c, first, false);
  return true;
}

static bool put_bounds(stow_course *c, MlirOperation loop) {
  const MlirAffineMap lower = mlirAffineMapAttrGetValue(stow_attribute_of(loop, "lowerBoundMap"));
  const MlirAffineMap upper = mlirAffineMapAttrGetValue(stow_attribute_of(loop, "upperBoundMap"));
  const inputs of_lower = {loop, 0, mlirAffineMapGetNumDims(lower)};
  const inputs of_upper = {loop, mlirAffineMapGetNumInputs(lower), mlirAffineMapGetNumDims(upper)};
  return put_map(c, lower, of_lower, STOW_COURSE_LARGER) &&
         put_map(c, upper, of_upper, STOW_COURSE_SMALLER);
}

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static bool put_loop(stow_course *c, stow_course_instruction made) {
  made.kind = STOW_COURSE_LOOP;
  made.number = c->variables.count;
  made.step = mlirIntegerAttrGetValueInt(stow_attribute_of(made.op, "step"));
  const bool known = put_bounds(c, made.op);
  stow_map_add(&c->loops, mlirBlockGetArgument(body_of(made.op), 0).ptr, (int32_t)made.number);
  STOW_PUSH(c->variables, 0);
  STOW_PUSH(c->uppers, 0);
  made.formula_count = 2;
  STOW_PUSH(c->code, made);
  return known;
}

static bool is_wanted(const reading *r, MlirOperation op) {
  return stow_map_get(&r->around, op.ptr) >= 0 || stow_map_get(r->numbers, op.ptr) >= 0;
}

static bool is_any_wanted(const reading *r, MlirRegion region) {
  STOW_EACH_BLOCK(block, region)
    STOW_EACH_OP(op, block)
      if (is_wanted(r, op))
        return true;
  return false;
}

// A condition whose other branch does none of what is wanted.
static bool put_if(reading *r, stow_course_instruction made) {
  stow_course *c = r->course;
  const MlirIntegerSet set = mlirIntegerSetAttrGetValue(stow_attribute_of(made.op, "condition"));
  made.kind = STOW_COURSE_IF;
  const bool known = !is_any_wanted(r, mlirOperationGetRegion(made.op, 1)) &&
                     put_set(c, set, (inputs){made.op, 0, mlirIntegerSetGetNumDims(set)});
  made.formula_count = c->formulas.count - made.first_formula;
  STOW_PUSH(c->code, made);
  return known;
}

// What ends with the op whose instruction is `begin`.
static void end_op(stow_course *c, size_t begin) {
  c->code.at[begin].other = c->code.count;
  const stow_course_instruction in = c->code.at[begin];
  if (in.kind == STOW_COURSE_LOOP)
    STOW_PUSH(c->code, (stow_course_instruction){.kind = STOW_COURSE_NEXT,
                                                 .op = in.op,
                                                 .number = in.number,
                                                 .other = begin,
                                                 .step = in.step});
}

// Adds an op that is wanted, or is around one; false where it cannot be followed.
static bool put_op(reading *r, MlirOperation op, bool *out_enters) {
  stow_course *c = r->course;
  stow_course_instruction made = {.op = op, .first_formula = c->formulas.count};
  const int32_t number = stow_map_get(r->numbers, op.ptr);
  *out_enters = number < 0;
  if (number < 0)
    return stow_ir_op_is(op, "affine.for")  ? put_loop(c, made)
           : stow_ir_op_is(op, "affine.if") ? put_if(r, made)
                                            : false;
  made.kind = STOW_COURSE_OP;
  made.number = (size_t)number;
  const bool known = put_indices(c, op);
  made.formula_count = c->formulas.count - made.first_formula;
  STOW_PUSH(c->code, made);
  return known;
}

static MlirOperation put_body(reading *r) {
  STOW_ARRAY(size_t) open = {0};
  MlirOperation op = mlirBlockGetFirstOperation(r->body), unknown = {NULL};
  while (mlirOperationIsNull(unknown)) {
    if (mlirOperationIsNull(op)) {
      if (open.count == 0)
        break;
      const size_t begin = open.at[--open.count];
      op = mlirOperationGetNextInBlock(r->course->code.at[begin].op);
      end_op(r->course, begin);
      continue;
    }
    bool enters = false;
    if (is_wanted(r, op) && !put_op(r, op, &enters))
      unknown = op;
    else if (enters)
      STOW_PUSH(open, r->course->code.count - 1);
    op = enters && mlirOperationIsNull(unknown) ? mlirBlockGetFirstOperation(body_of(op))
                                                : mlirOperationGetNextInBlock(op);
  }
  free(open.at);
  return unknown;
}

MlirOperation stow_course_read(stow_course *course, MlirBlock body, const stow_map *numbers) {
  reading r = {.course = course, .numbers = numbers, .body = body};
  STOW_EACH_OP(outer, body)
    STOW_EACH_OP_OF(op, outer)
      if (stow_map_get(numbers, op.ptr) >= 0)
        note_around(&r, op);
  const MlirOperation unknown = put_body(&r);
  stow_map_free(&r.around);
  return unknown;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void begin_loop(stow_course *c, const stow_course_instruction *in) {
  const int64_t lower = value_of(c, in->first_formula), upper = value_of(c, in->first_formula + 1);
  c->variables.at[in->number] = lower;
  c->uppers.at[in->number] = upper;
  c->next = lower < upper ? c->next + 1 : in->other + 1;
}

static void next_iteration(stow_course *c, const stow_course_instruction *in) {
  int64_t *variable = &c->variables.at[in->number];
  const bool more = c->uppers.at[in->number] - *variable > in->step;
  *variable += in->step;
  c->next = more ? in->other + 1 : c->next + 1;
}

static bool holds(const stow_course *c, const stow_course_instruction *in) {
  for (size_t i = in->first_formula; i < in->first_formula + in->formula_count; ++i) {
    const int64_t value = value_of(c, i);
    if (c->formulas.at[i].equal ? value != 0 : value < 0)
      return false;
  }
  return true;
}

const stow_course_instruction *stow_course_run(stow_course *c, uint64_t *steps) {
  while (c->next < c->code.count && *steps > 0) {
    --*steps;
    const stow_course_instruction *in = &c->code.at[c->next];
    if (in->kind == STOW_COURSE_OP)
      return in;
    if (in->kind == STOW_COURSE_LOOP)
      begin_loop(c, in);
    else if (in->kind == STOW_COURSE_NEXT)
      next_iteration(c, in);
    else
      c->next = holds(c, in) ? c->next + 1 : in->other;
  }
  return NULL;
}

void stow_course_pass(stow_course *c) {
  assert(c->next < c->code.count && c->code.at[c->next].kind == STOW_COURSE_OP);
  ++c->next;
}

int64_t stow_course_index(const stow_course *c, size_t index) {
  const stow_course_instruction *in = &c->code.at[c->next];
  assert(in->kind == STOW_COURSE_OP && index < in->formula_count);
  return value_of(c, in->first_formula + index);
}
