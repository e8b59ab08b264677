//===- disjoint.h - memrefs that share no byte ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of one arena are disjoint if their bytes are, at all times: what offsets and sizes are,
// known or computed, is proven by formulas (formula.h).
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_DISJOINT_H
#define STOWAGE_VECTORS_DISJOINT_H

#include "ir/extents.h"

// Of one function.
typedef struct stow_disjointness {
  MlirOperation function;
  stow_layout layout;
} stow_disjointness;

// Whether two values are one, made twice, as streams ask for a row wherever they need it.
bool stow_vectors_is_same(MlirValue a, MlirValue b);

// Whether two memrefs of the function are proven to share no byte.
bool stow_vectors_are_disjoint(const stow_disjointness *in, MlirValue a, MlirValue b);

#endif // STOWAGE_VECTORS_DISJOINT_H
