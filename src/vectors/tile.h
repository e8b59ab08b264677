//===- tile.h - which points of a nest share registers --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *tile* is a box of points whose sums stay in registers while the loops that add up run. Along
// one loop its points are *lanes* of vectors, `vectors` of them; along others it has `sizes`
// points. What does not change along the lanes is read once per point, what does not change from
// point to point once per vector: a tile of 12 points and 2 vectors reads 14 numbers or vectors for
// 24 products.
//
// Sizes follow from the machine's registers by rule, not from the network.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_TILE_H
#define STOWAGE_VECTORS_TILE_H

#include "vectors/dot.h"

enum { STOW_NUMBER_BITS = 32 }; // of registers that hold one number each, whatever its bits

typedef struct stow_vectors_machine {
  unsigned vector_bits; // of one register
  unsigned registers;   // vector registers
  bool pairs;           // multiplies pairs of narrow integers and adds both products
  stow_dot_kind dot;
} stow_vectors_machine;

// Whether vectors of numbers of 64 bits are best made of words at even places and at odd ones.
bool stow_vectors_machine_has_words(stow_vectors_machine machine);

typedef struct stow_tile {
  intptr_t lanes;  // the loop along which elements of the results are contiguous; -1: none
  int64_t width;   // lanes of a full vector, a power of two
  int64_t vectors; // full vectors of a full tile
  int64_t sizes[STOW_NEST_LOOPS]; // points along each loop; 1 along the lanes and loops that add up
  int64_t points;                 // their product
  intptr_t inner;                 // the loop that adds up innermost; -1: none
  bool lanes_outside; // tiles go along the lanes outermost, so that a part of the weights is read
                      // once
  bool sums;
  bool words;       // numbers of 64 bits are computed of words at even places and at odd ones
  int64_t together; // iterations of `inner` multiplied at once: 1; 2, whose products are added
                    // first; or 4, by `dot`
  stow_dot dot;
  stow_dot_kind dot_kind;
} stow_tile;

// How many iterations of the innermost sum are multiplied at once if `weight` is packed, a constant
// that changes along the lanes. Pairs are of integers of 16 bits or fewer, whose sum is that of any
// order.
int64_t stow_vectors_tile_together(const stow_nest *nest, const stow_tile *tile,
                                   stow_vectors_machine machine, intptr_t weight,
                                   stow_dot *out_dot);

void stow_vectors_tile_choose(const stow_nest *nest, stow_vectors_machine machine, stow_tile *out);

// Whether an operand is strided along the lanes, and contiguous along `inner`; whether one is.
bool stow_vectors_tile_transposes(const stow_nest *nest, const stow_tile *tile, intptr_t operand);
bool stow_vectors_tile_transposes_any(const stow_nest *nest, const stow_tile *tile);

#endif // STOWAGE_VECTORS_TILE_H
