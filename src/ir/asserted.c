//===- asserted.c - what assertions say of sizes ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cf.assert in the first block of a function compares two arguments or their dimensions, or one
// of them and a number. It holds for all allocations after it. Of two equal values, the first one
// replaces the other, so replacements form no cycle. An arena's size is computed before the assert,
// where it may not hold; but then the program ends before the allocations after the assert.
//
//===----------------------------------------------------------------------===//

#include "ir/extents.h"

#include "ir/limits.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// Whether it is an argument, or a dimension of one, of which nothing is stated.
static bool is_free_variable(stow_extents *e, MlirValue value, stow_formula *out,
                             size_t *out_index) {
  const MlirType type = mlirValueGetType(value);
  int64_t dimension = -1, number;
  if (!mlirTypeIsAIndex(type) || stow_ir_constant_of(value, &number))
    return false;
  *out = stow_ir_read_number(e, value);
  const stow_polynomial p = stow_formula_terms(e->formulas, *out);
  if (p.count != 1 || p.terms[0].coefficient != 1 || p.terms[0].count != 1)
    return false;
  const stow_atom atom = stow_atom_of(e->formulas, p.terms[0].atoms[0]);
  if (atom.kind != STOW_ATOM_VARIABLE || e->variables.at[atom.variable].is_bit)
    return false;
  const stow_variable *variable = &e->variables.at[atom.variable];
  if (mlirValueIsAOpResult(value) && stow_ir_is(mlirOpResultGetOwner(value), STOW_MEMREF_DIM)) {
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
    dimension = variable->dimension;
  }
  *out_index = atom.variable;
  return mlirValueEqual(value, variable->value) && dimension == variable->dimension &&
         stow_argument_of(e, variable) >= 0 && !stow_ir_is_stated(e, variable);
}

// Among the dimensions of arguments, and behind them the arguments: these may be below 0 as long as
// the assertion was not asked, and others that are computed in front of it are not.
static bool stands_before(const stow_extents *e, size_t a, size_t b) {
  const stow_variable *one = &e->variables.at[a], *other = &e->variables.at[b];
  if ((one->dimension < 0) != (other->dimension < 0))
    return one->dimension >= 0;
  const intptr_t first = stow_argument_of(e, one), second = stow_argument_of(e, other);
  return first != second ? first < second : one->dimension < other->dimension;
}

static void add_fact(stow_extents *e, MlirOperation assertion, size_t variable, stow_formula by,
                     bool is_limit) {
  for (size_t i = 0; i < e->asserted.count; ++i)
    if (e->asserted.at[i].variable == variable && e->asserted.at[i].is_limit == is_limit)
      return; // what was said first counts
  STOW_PUSH(e->asserted, (stow_assertion){assertion, variable, by, is_limit});
}

static void read_equal(stow_extents *e, MlirOperation assertion, MlirValue a, MlirValue b) {
  stow_formula left, right;
  size_t first, second;
  int64_t number;
  if (!is_free_variable(e, a, &left, &first))
    return;
  if (stow_ir_constant_of(b, &number)) {
    if (number >= 0)
      add_fact(e, assertion, first, stow_formula_number(e->formulas, number), false);
  } else if (is_free_variable(e, b, &right, &second) && first != second) {
    const bool keeps_left = stands_before(e, first, second);
    add_fact(e, assertion, keeps_left ? second : first, keeps_left ? left : right, false);
  }
}

// `a` is no more than a number.
static void read_limit(stow_extents *e, MlirOperation assertion, MlirValue a, MlirValue b,
                       bool strictly) {
  stow_formula of[2];
  size_t variable;
  int64_t number;
  if (!stow_ir_constant_of(b, &number) || number < strictly ||
      !is_free_variable(e, a, &of[0], &variable))
    return;
  of[1] = stow_formula_number(e->formulas, number - strictly);
  add_fact(e, assertion, variable, stow_formula_smallest(e->formulas, of, 2), true);
}

static void read_assertion(stow_extents *e, MlirOperation assertion) {
  const MlirValue condition = mlirOperationGetOperand(assertion, 0);
  if (!mlirValueIsAOpResult(condition) ||
      !stow_ir_is(mlirOpResultGetOwner(condition), STOW_ARITH_CMPI))
    return;
  const MlirOperation compare = mlirOpResultGetOwner(condition);
  const MlirValue a = mlirOperationGetOperand(compare, 0), b = mlirOperationGetOperand(compare, 1);
  int64_t how = mlirIntegerAttrGetValueInt(stow_attribute_of(compare, "predicate"));
  if (how > STOW_AT_LEAST) // sizes are not negative
    how -= STOW_UNSIGNED_LESS - STOW_LESS;
  if (how == STOW_EQUAL)
    read_equal(e, assertion, a, b);
  else if (e->bound && (how == STOW_LESS || how == STOW_AT_MOST))
    read_limit(e, assertion, a, b, how == STOW_LESS);
  else if (e->bound && (how == STOW_GREATER || how == STOW_AT_LEAST))
    read_limit(e, assertion, b, a, how == STOW_GREATER);
}

void stow_ir_read_assertions(stow_extents *e) {
  if (!e->readable)
    return;
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(e->function));
  for (MlirOperation op = mlirBlockGetFirstOperation(entry);
       !mlirOperationIsNull(op) && e->asserted.count < STOW_EXTENTS_MOST_ASSERTED;
       op = mlirOperationGetNextInBlock(op))
    if (stow_ir_is(op, STOW_CF_ASSERT))
      read_assertion(e, op);
}

// The formula with what holds in front of an op of the first block.
static stow_formula replaced(stow_extents *e, stow_formula formula, MlirOperation op,
                             bool by_limits) {
  for (size_t i = e->asserted.count; i-- > 0;) {
    const stow_assertion *said = &e->asserted.at[i];
    if (said->is_limit == by_limits && mlirOperationIsBeforeInBlock(said->op, op))
      formula = stow_formula_replaced(e->formulas, formula, said->variable, said->by);
  }
  return formula;
}

static stow_formula as_asserted(stow_extents *e, stow_formula formula, MlirOperation at) {
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(e->function));
  while (e->asserted.count > 0 && !mlirBlockEqual(mlirOperationGetBlock(at), entry)) {
    at = mlirOperationGetParentOperation(at);
    if (mlirOperationIsNull(at) || mlirOperationEqual(at, e->function))
      return formula;
  }
  for (stow_formula before = STOW_NO_FORMULA; e->asserted.count > 0 && before != formula;) {
    before = formula;
    formula = replaced(e, formula, at, false);
  }
  return replaced(e, formula, at, true);
}

stow_formula stow_ir_asserted_extent(stow_extents *e, MlirOperation alloc, uint64_t unit) {
  const stow_formula bytes = stow_ir_read_extent(e, mlirOperationGetResult(alloc, 0), unit);
  return bytes == STOW_NO_FORMULA ? bytes : as_asserted(e, bytes, alloc);
}
