//===- pack.h - weights in the order in which tiles read them -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_PACK_H
#define STOWAGE_VECTORS_PACK_H

#include "vectors/tile.h"

// A nest and its tile.
typedef struct stow_tiled {
  stow_nest nest;
  stow_tile tile;
} stow_tiled;

// What nothing uses once the nests are gone: views and constants, each behind what it is made of.
typedef STOW_ARRAY(MlirOperation) stow_unused;

// Gives constants of the module the order of the nests that read them, and operands the strides of
// that. `index`: of an op, its nest.
void stow_vectors_pack_weights(MlirOperation module, stow_tiled *tiled, const stow_map *index,
                               stow_vectors_machine machine, stow_unused *out);

// After the nests are gone.
void stow_vectors_unused_destroy(stow_unused *unused);

#endif // STOWAGE_VECTORS_PACK_H
