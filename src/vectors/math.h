//===- math.h - exp, tanh and erf of vectors ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C library takes one number at a time, which is a third of a transformer's time. Here they are
// polynomials of all lanes at once, correct to a few units in the last place, with infinities, NaN,
// -0.0 and subnormal numbers (test/vectors/math.mlir).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_MATH_H
#define STOWAGE_VECTORS_MATH_H

#include "ir/build.h"

// factors[0] * factors[1] + sum, rounded once where the machine does that as fast. One op, so that
// LLVM fuses no other product with the sum, whatever it sees of what is added to.
MlirValue stow_vectors_plus_product(const stow_builder *at, const MlirValue factors[2],
                                    MlirValue sum);

// The result of a math op of a number of 32 bits or a vector of them, in fused products and sums;
// or null: there is no polynomial for it.
MlirValue stow_vectors_math_of(const stow_builder *at, MlirOperation op, MlirValue operand);

#endif // STOWAGE_VECTORS_MATH_H
