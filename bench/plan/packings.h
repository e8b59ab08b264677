//===- packings.h - hard small problems with a known answer ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packing is made as a picture, time across and bytes upwards, of rectangles that
// fill it but for some holes: so the picture's height is a capacity that a plan meets.
// Then the offsets are forgotten and the buffers shuffled. Integers only are involved:
// a seed gives the same problem on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BENCH_PACKINGS_H
#define STOWAGE_BENCH_PACKINGS_H

#include "stowage/plan.h"

// One line per family: name, function, what is special about it.
#define PACKING_FAMILIES(X)                                                                        \
  X("guillotine", cut_straight, "each cut goes through from side to side")                         \
  X("pinwheel", cut_around, "some cuts leave five rectangles of which none goes through")          \
  X("tiles", cut_phases, "phases of equal tiles beside weights that stay for several of them")     \
  X("equal", cut_on_grid, "few different sizes and lives, each many times")                        \
  X("aligned", cut_aligned, "odd sizes that alignments of 16 to 64 round up")                      \
  X("mixed", cut_long_and_fat, "long thin buffers beside short fat ones")

enum {
#define PACKING_COUNT(NAME, FUNCTION, HELP) +1
  PACKING_FAMILY_COUNT = 0 PACKING_FAMILIES(PACKING_COUNT)
#undef PACKING_COUNT
};

typedef struct packing {
  const char *family;
  stow_buffer *buffers; // the caller's to free
  size_t count;
  uint64_t capacity;
} packing;

// The family is the seed's rest by their number. About `count` buffers; 0: 40 to 250 by the seed.
// Returns 0 where memory is short.
int packing_make(uint64_t seed, size_t count, packing *out_packing);

#endif // STOWAGE_BENCH_PACKINGS_H
