//===- lent.c - memory that a declared function lends ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function without a body whose result is STOW_BORROWED lends memory. If another function
// takes it back, and the first has two integer arguments, these are its bytes and alignment.
//
//===----------------------------------------------------------------------===//

#include "check/steps.h"

#include "mlir-c/BuiltinTypes.h"

// Lenders are called by name.
static MlirOperation declaration_called(const stow_check_program *p, MlirOperation op) {
  MlirOperation callee =
      stow_bridge_op_is_call(op) ? stow_bridge_callee(op, p->symbols) : (MlirOperation){NULL};
  const bool declared =
      !mlirOperationIsNull(callee) && mlirRegionIsNull(stow_bridge_function_body(callee));
  return declared ? callee : (MlirOperation){NULL};
}

bool stow_check_is_borrowed(const stow_check_program *p, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation lender = declaration_called(p, mlirOpResultGetOwner(value));
  return !mlirOperationIsNull(lender) &&
         stow_bridge_result_has_attribute(lender, mlirOpResultGetResultNumber(value),
                                          STOW_BORROWED);
}

bool stow_check_takes_back(const stow_check_program *p, MlirOperation op) {
  return mlirOperationGetNumOperands(op) == 1 && mlirOperationGetNumResults(op) == 0 &&
         !mlirOperationIsNull(declaration_called(p, op));
}

static bool is_taken_back(const stow_check_program *p, MlirValue value) {
  STOW_EACH_USE(use, value)
    if (stow_check_takes_back(p, mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

int64_t stow_check_lent(const stow_check_program *p, MlirValue value, enum stow_check_asked asked) {
  if (!stow_check_is_borrowed(p, value) || !is_taken_back(p, value))
    return -1;
  MlirOperation call = mlirOpResultGetOwner(value);
  int64_t number;
  if (mlirOperationGetNumOperands(call) != 2 ||
      !mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(call, 0))) ||
      !mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(call, 1))))
    return -1;
  MlirValue rest = stow_check_offset_split(mlirOperationGetOperand(call, asked), &number);
  return mlirValueIsNull(rest) ? number : -1;
}
