//===- nest.h - a linalg op as loops over cells ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *nest* is what a structured op computes: loops of known extents, and a body that is run for
// each of their points. All strides are static, so the cell of an operand that a point uses is one
// number: a constant and a stride per loop, in elements from where the operand begins.
//
// convert-linalg-to-vectors goes from there in these steps:
//
//   op --read--> nest     src/vectors/nest.c; requantization by upper words   words.c
//      --tile--> tile     which loop becomes lanes, which points share registers   tile.c
//      --fuse-->          first values, and elementwise ops, in the tiles of sums          fuse.c
//      --pack, share-->   weights in the order of tiles; equal nests in a function pack.c, share.c
//      --emit--> loops and vectors                                                 emit.c, body.c
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_NEST_H
#define STOWAGE_VECTORS_NEST_H

#include "ir/build.h"
#include "ir/support.h"
#include "stowage/passes.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  STOW_NEST_LOOPS = 12, // an op with more loops or operands is left alone
  STOW_NEST_OPERANDS = 12,
  STOW_NEST_READS = 2 * STOW_NEST_OPERANDS + 1, // with those of what is fused
  STOW_TILE_POINTS = 32,                        // points of a tile, and vectors of each
  STOW_TILE_VECTORS = 12,
  STOW_MOST_VECTOR_BITS = 4096, // of wider registers a part is used
  STOW_MOST_LANES = STOW_MOST_VECTOR_BITS / 8,
};

typedef struct stow_nest_operand {
  MlirValue value;
  MlirType element;
  bool memref; // else one value for all points
  bool written;
  size_t bytes;  // of an element
  bool packed;   // in panels: sums, one step further, are a tile's lanes times their stride away
  int64_t first; // the cell of the first point
  int64_t strides[STOW_NEST_LOOPS]; // from one iteration of a loop to the next
  int64_t span;                     // cells from its first to its last, at most
} stow_nest_operand;

// An elementwise op behind the nest, which reads its result and runs in the tiles.
typedef struct stow_nest_then {
  MlirOperation op; // or null
  MlirBlock body;
  intptr_t count, places[STOW_NEST_OPERANDS]; // of its operands among the nest's; -1: the result
} stow_nest_then;

typedef struct stow_nest {
  MlirOperation op;
  MlirBlock body;
  intptr_t loop_count, operand_count;
  int64_t extents[STOW_NEST_LOOPS];
  bool parallel[STOW_NEST_LOOPS];
  intptr_t read_count; // operands, and behind them what the tiles read besides
  stow_nest_operand operands[STOW_NEST_READS];
  unsigned bits;       // of the widest number that the body computes with
  MlirOperation start; // the constant that sums begin with; null: with what is in memory
  stow_nest_then then;
  bool drops;      // the result: what runs behind it writes over it
  intptr_t excess; // the operand that products made four at once add besides; 0: none
} stow_nest;

// What the body adds to its only result, an integer that it does nothing else with; or null.
MlirValue stow_vectors_nest_term(const stow_nest *nest);

// False: not such an op, or one whose body does more than compute numbers of numbers. `out_why`
// says what is in the way.
bool stow_vectors_nest_read(MlirOperation op, stow_nest *out, const char **out_why);

#endif // STOWAGE_VECTORS_NEST_H
