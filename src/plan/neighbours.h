//===- neighbours.h - where a block can lie among those it meets ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What occupancy.h answers, from the gaps between pairs: of many spans few blocks are made, and of
// those few meet.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_NEIGHBOURS_H
#define STOWAGE_PLAN_NEIGHBOURS_H

#include "gaps.h"

// Offsets at which a block would meet one that is placed, without the ends.
typedef struct stow_closed {
  int64_t low, high;
} stow_closed;

typedef struct stow_neighbours {
  const stow_gaps *gaps;
  stow_memory *memory;
  int64_t *offsets;    // per block, or -1: not placed
  stow_closed *closed; // of the last query, a heap by `low`
  uint32_t count, capacity;
  uint64_t effort;
} stow_neighbours;

// False: no memory.
bool stow_neighbours_begin(const stow_model *model, stow_memory *memory,
                           stow_neighbours *out_neighbours);

static inline void stow_neighbours_add(stow_neighbours *neighbours, uint32_t block,
                                       uint64_t offset) {
  neighbours->offsets[block] = (int64_t)offset;
}

// Collects where a block cannot lie. False: no memory.
bool stow_neighbours_enter(stow_neighbours *neighbours, uint32_t block);

// Raises the offset, a multiple of the alignment, to the lowest that is open; no lower one than at
// the last call for the same block. Returns by how much more it could be raised without meeting
// any; UINT64_MAX: by all.
uint64_t stow_neighbours_raise(stow_neighbours *neighbours, uint64_t alignment,
                               uint64_t *inout_offset);

#endif // STOWAGE_PLAN_NEIGHBOURS_H
