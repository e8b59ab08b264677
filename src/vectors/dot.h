//===- dot.h - four products by one instruction ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x86's VPDPBUSD and AArch64's SDOT multiply four bytes by four others for each lane of 32 bits,
// and add the products to it. The one wants the input without sign and the weights with, the other
// both with. Cortex-M's SMLAD does that with two numbers of 16 bits, which other instructions make
// of bytes with and without sign. An input whose sign is another gets its highest bit changed,
// which makes each element 128 more or less. What that, and the zero point that the body subtracts,
// add to a lane is the same at all points, as weights are constants: a constant takes it away
// again. All of it is exact, modulo 2^32 as the body is.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_DOT_H
#define STOWAGE_VECTORS_DOT_H

#include "vectors/nest.h"

typedef struct stow_dot {
  intptr_t input, weight; // operands
  bool is_unsigned;       // the input
  bool flips;             // its highest bits
  int64_t more; // of what is multiplied with an element of the weights, than the body multiplies it
} stow_dot;

// Whether sums of the nest are such products, with the instruction that a machine has.
bool stow_vectors_dot_read(const stow_nest *nest, stow_dot_kind kind, intptr_t weight,
                           stow_dot *out);

// Whether the instruction adds to so many lanes.
bool stow_vectors_dot_has(stow_dot_kind kind, int64_t lanes);

// What is multiplied of four bytes for each lane, a vector; or of four as a number of 32 bits.
typedef struct stow_dot_factor {
  MlirValue parts[2];
  size_t count;
} stow_dot_factor;

stow_dot_factor stow_vectors_dot_factor_of(const stow_builder *at, stow_dot_kind kind,
                                           MlirValue bytes, bool is_unsigned);

// `sum` and the products.
MlirValue stow_vectors_dot_add(const stow_builder *at, stow_dot_kind kind, MlirValue sum,
                               const stow_dot_factor *input, const stow_dot_factor *weight);

#endif // STOWAGE_VECTORS_DOT_H
