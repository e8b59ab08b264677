//===- fuse.h - what is around sums, in their tiles -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_FUSE_H
#define STOWAGE_VECTORS_FUSE_H

#include "vectors/pack.h"

// Fills and elementwise ops become parts of the sums that they belong to. Gives how many nests are
// left, in front of `tiled`, which are those of ops in program order.
size_t stow_vectors_fuse_nests(stow_tiled *tiled, size_t count);

#endif // STOWAGE_VECTORS_FUSE_H
