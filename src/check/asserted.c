//===- asserted.c - what assertions say of leaves ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program ends where a cf.assert does not hold. So samples keep to those of the function's first
// block that compare two arguments or their dimensions, or one and a number: leaves that are equal
// are of one *class*.
//
//===----------------------------------------------------------------------===//

#include "check/limits.h"
#include "check/numbers.h"

#include "mlir-c/BuiltinAttributes.h"

// The predicates of arith.cmpi; the last four again for numbers without a sign.
enum { EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST, UNSIGNED = 4 };

static bool read_constant(MlirValue value, int64_t *out) {
  if (!mlirValueIsAOpResult(value) || !stow_ir_op_is(mlirOpResultGetOwner(value), "arith.constant"))
    return false;
  const MlirAttribute number = stow_attribute_of(mlirOpResultGetOwner(value), "value");
  if (!mlirAttributeIsAInteger(number))
    return false;
  *out = mlirIntegerAttrGetValueInt(number);
  return true;
}

const stow_check_asserted *stow_check_asserted_of(const stow_check_numbers *n, MlirValue value,
                                                  int64_t dimension) {
  for (size_t i = 0; i < n->asserted.count; ++i)
    if (mlirValueEqual(n->asserted.at[i].value, value) && n->asserted.at[i].dimension == dimension)
      return &n->asserted.at[i];
  return NULL;
}

// The argument that a value is, or is a dimension of; a new one in a class of its own. False where
// it is none.
static bool leaf_of(stow_check_numbers *n, MlirValue value, stow_check_asserted *out) {
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(n->function));
  int64_t dimension = -1;
  if (mlirValueIsAOpResult(value) && stow_ir_op_is(mlirOpResultGetOwner(value), "memref.dim") &&
      read_constant(mlirOperationGetOperand(mlirOpResultGetOwner(value), 1), &dimension))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  if (mlirValueIsAOpResult(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), entry))
    return false;
  const stow_check_asserted *known = stow_check_asserted_of(n, value, dimension);
  *out = known ? *known : (stow_check_asserted){value, dimension, n->asserted.count, 0, INT64_MAX};
  if (!known)
    STOW_PUSH(n->asserted, *out);
  return true;
}

// What leaves no number is passed over: no run gets behind that assertion, and samples need some.
static void narrow(stow_check_numbers *n, uint64_t class, int64_t least, int64_t most) {
  STOW_EACH(stow_check_asserted, leaf, n->asserted) {
    if (leaf->class != class || least > leaf->most || most < leaf->least)
      continue;
    leaf->least = least > leaf->least ? least : leaf->least;
    leaf->most = most < leaf->most ? most : leaf->most;
  }
}

static void join(stow_check_numbers *n, MlirValue a, MlirValue b) {
  stow_check_asserted one, other;
  if (!leaf_of(n, a, &one) || !leaf_of(n, b, &other) || one.least > other.most ||
      other.least > one.most)
    return;
  for (size_t i = 0; i < n->asserted.count; ++i)
    if (n->asserted.at[i].class == other.class)
      n->asserted.at[i].class = one.class;
  narrow(n, one.class, one.least, one.most);
  narrow(n, one.class, other.least, other.most);
}

static void compare_number(stow_check_numbers *n, int64_t how, MlirValue a, int64_t number) {
  stow_check_asserted leaf;
  if (!leaf_of(n, a, &leaf))
    return;
  if (how == EQUAL)
    narrow(n, leaf.class, number, number);
  else if ((how == LESS || how == AT_MOST) && number >= (how == LESS))
    narrow(n, leaf.class, 0, number - (how == LESS));
}

static void read_assertion(stow_check_numbers *n, MlirOperation compare) {
  static const int64_t turned[] = {EQUAL, NOT_EQUAL, GREATER, AT_LEAST, LESS, AT_MOST};
  const MlirValue a = mlirOperationGetOperand(compare, 0), b = mlirOperationGetOperand(compare, 1);
  int64_t how = mlirIntegerAttrGetValueInt(stow_attribute_of(compare, "predicate")), number;
  how -= how > AT_LEAST ? UNSIGNED : 0;
  if (read_constant(b, &number))
    compare_number(n, how, a, number);
  else if (read_constant(a, &number))
    compare_number(n, turned[how], b, number);
  else if (how == EQUAL)
    join(n, a, b);
}

void stow_check_find_asserted(stow_check_numbers *n) {
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(n->function));
  for (MlirOperation op = mlirBlockGetFirstOperation(entry);
       !mlirOperationIsNull(op) && n->asserted.count < STOW_CHECK_MOST_ASSERTED;
       op = mlirOperationGetNextInBlock(op)) {
    const MlirValue condition =
        stow_ir_op_is(op, "cf.assert") ? mlirOperationGetOperand(op, 0) : (MlirValue){NULL};
    if (!mlirValueIsNull(condition) && mlirValueIsAOpResult(condition) &&
        stow_ir_op_is(mlirOpResultGetOwner(condition), "arith.cmpi"))
      read_assertion(n, mlirOpResultGetOwner(condition));
  }
}
