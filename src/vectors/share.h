//===- share.h - equal nests are one function -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_SHARE_H
#define STOWAGE_VECTORS_SHARE_H

#include "vectors/pack.h"

// Ops whose nests and tiles are equal become calls of a function that has one of them. Gives how
// many are left, in front of `tiled`.
size_t stow_vectors_share_nests(MlirOperation module, stow_tiled *tiled, size_t count);

// The function around an op, if the module has it and no op between them does more than run its
// regions; or null.
MlirOperation stow_vectors_function_around(MlirOperation op, MlirOperation module);

// A func.func with a body that linkers do not see.
MlirOperation stow_vectors_build_internal_function(const stow_builder *at, const char *name,
                                                   MlirType type);

#endif // STOWAGE_VECTORS_SHARE_H
