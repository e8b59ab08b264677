//===- sums.h - indices that are sums of loops ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SUMS_H
#define STOWAGE_IR_SUMS_H

#include "mlir-c/AffineExpr.h"

#include <stdbool.h>
#include <stdint.h>

// Adds an expression that is a sum of dimensions, constants and products of the two: to the
// coefficient of each dimension, and to the constant. False: it is none, or too large a number.
bool stow_ir_add_sum(MlirAffineExpr expression, int64_t *coefficients, int64_t *constant);

#endif // STOWAGE_IR_SUMS_H
