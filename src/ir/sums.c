//===- sums.c - indices that are sums of loops ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up the coefficient of each dimension and the constant of an affine expression, with a list
// of parts instead of recursion. What is divided, or overflows, is no sum.
//
//===----------------------------------------------------------------------===//

#include "ir/sums.h"

#include "ir/support.h"

typedef STOW_ARRAY(MlirAffineExpr) expressions;

static bool add_number(int64_t *to, int64_t number) {
  return !__builtin_add_overflow(*to, number, to);
}

static bool add_product(MlirAffineExpr left, MlirAffineExpr right, int64_t *coefficients) {
  return mlirAffineExprIsADim(left) && mlirAffineExprIsAConstant(right) &&
         add_number(&coefficients[mlirAffineDimExprGetPosition(left)],
                    mlirAffineConstantExprGetValue(right));
}

// Adds a term, or puts the parts of a sum among those that are to be added.
static bool add_term(expressions *pending, MlirAffineExpr e, int64_t *coefficients,
                     int64_t *constant) {
  if (mlirAffineExprIsAConstant(e))
    return add_number(constant, mlirAffineConstantExprGetValue(e));
  if (mlirAffineExprIsADim(e))
    return add_number(&coefficients[mlirAffineDimExprGetPosition(e)], 1);
  if (!mlirAffineExprIsAAdd(e) && !mlirAffineExprIsAMul(e))
    return false;
  const MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(e),
                       right = mlirAffineBinaryOpExprGetRHS(e);
  if (mlirAffineExprIsAMul(e))
    return add_product(left, right, coefficients);
  STOW_PUSH(*pending, left);
  STOW_PUSH(*pending, right);
  return true;
}

bool stow_ir_add_sum(MlirAffineExpr expression, int64_t *coefficients, int64_t *constant) {
  expressions pending = {0};
  bool is_sum = true;
  STOW_PUSH(pending, expression);
  while (pending.count > 0 && is_sum)
    is_sum = add_term(&pending, pending.at[--pending.count], coefficients, constant);
  free(pending.at);
  return is_sum;
}
