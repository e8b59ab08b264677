//===- emit.h - loops and vectors -----------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_EMIT_H
#define STOWAGE_VECTORS_EMIT_H

#include "vectors/tile.h"

// Where ops go, and where each operand is there.
typedef struct stow_emitter {
  const stow_nest *nest;
  const stow_tile *tile;
  stow_constants *constants; // before the op
  stow_builder at;
  MlirValue flat[STOW_NEST_READS];       // an operand's elements, side by side in memory
  MlirValue cells[STOW_NEST_READS];      // of which this one is the tile's first
  MlirValue iterations[STOW_NEST_LOOPS]; // of its first point
  int64_t lanes;                         // of the tile
  MlirValue start;                       // the constant of the nest, or null
  bool contract;                         // products are fused with sums
} stow_emitter;

// The points that are computed at once: a box, and vectors along the lanes.
typedef struct stow_box {
  size_t points, vectors;
  int64_t deltas[STOW_TILE_POINTS][STOW_NEST_LOOPS];          // from the first point
  int64_t first[STOW_TILE_VECTORS], lanes[STOW_TILE_VECTORS]; // one lane: a number, no vector
} stow_box;

// A value of the body at all points. What does not change along the lanes is a number, which
// becomes a vector where it meets one.
typedef struct stow_point_values {
  bool by_point, by_lane;
  MlirValue at[STOW_TILE_POINTS][STOW_TILE_VECTORS];
} stow_point_values;

// The results' elements of each point and vector, of one written operand after another.
#define STOW_SUM_AT(box, result, point, vector)                                                    \
  (((result) * (box)->points + (point)) * (box)->vectors + (vector))

// Runs the body once for each point: `sums` go in and come out. `step`: iterations of the innermost
// sum further on. `transposed`: what operands hold there, or null.
void stow_vectors_emit_body(const stow_emitter *e, const stow_box *box, int64_t step,
                            const stow_point_values *transposed, MlirValue *sums);

// The same for two iterations of the innermost sum, or four, where the tile takes them together.
void stow_vectors_emit_pair(const stow_emitter *e, const stow_box *box, MlirValue *sums);
void stow_vectors_emit_dot(const stow_emitter *e, const stow_box *box, MlirValue *sums);

// Runs what is fused behind the sums, and stores what it computes.
void stow_vectors_emit_then(const stow_emitter *e, const stow_box *box, const MlirValue *sums);

// A number as a vector.
MlirValue stow_vectors_emit_vector(const stow_emitter *e, MlirValue value, int64_t lanes);

// Operands that are contiguous along the innermost sum, for `steps` iterations: what they hold
// along the lanes, [step * operands + operand].
stow_point_values *stow_vectors_emit_transposed(const stow_emitter *e, const stow_box *box,
                                                int64_t steps);

MlirValue stow_vectors_emit_load(const stow_emitter *e, intptr_t operand, int64_t cell,
                                 int64_t lanes);
void stow_vectors_emit_store(const stow_emitter *e, intptr_t operand, int64_t cell,
                             MlirValue value);

// Cells from one iteration of a loop to the next.
int64_t stow_vectors_emit_stride(const stow_emitter *e, intptr_t operand, intptr_t loop);

// From the first cell of the tile to that of a point.
int64_t stow_vectors_emit_cell(const stow_emitter *e, const stow_box *box, intptr_t operand,
                               size_t point);

// In the place of the op.
void stow_vectors_emit_nest(const stow_nest *nest, const stow_tile *tile, bool contract);

#endif // STOWAGE_VECTORS_EMIT_H
