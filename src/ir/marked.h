//===- marked.h - lives that markers tell of -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the flow and its ranges. Computes, of each planned buffer that goes by one name
// (ranges.h), the lives that begin and end in one block, and clips the buffer's pieces to the bytes
// of those that last: outside of its life a part needs none.
//
// Markers are used only if the function respects them. The pieces of a buffer are not clipped if a
// byte is touched outside of its lives, if a start has no end in its block, or if parallel
// iterations each have a life in the buffer.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_MARKED_H
#define STOWAGE_IR_MARKED_H

#include "ir/ranges.h"

typedef struct stow_marked_life {
  int32_t alloc;
  MlirOperation start, finish;
  MlirValue name;     // that the start is given
  int64_t begin, end; // positions, from the first marker to behind the last
  int64_t low, high;  // bytes of the buffer
  bool all;           // these are all
  bool mixed;         // while it lasts its bytes are touched by other names, too
} stow_marked_life;

typedef struct stow_marked_lives {
  STOW_ARRAY(stow_marked_life) lives; // by alloc and position
  STOW_ARRAY(stow_live_piece) pieces; // of buffers with lives of parts
  size_t *first_piece;                // per alloc, and one more: none where the ranges' hold
} stow_marked_lives;

// `sizes`: per alloc the bytes of what is planned, or 0. Freed with stow_marked_lives_free.
stow_marked_lives stow_marked_lives_of(const stow_flow *flow, const stow_ranges *ranges,
                                       const uint64_t *sizes);
void stow_marked_lives_free(stow_marked_lives *marked);

// The lives of an alloc: [*out_first, *out_end).
void stow_ir_lives_of_alloc(const stow_marked_lives *marked, int32_t alloc, size_t *out_first,
                            size_t *out_end);

#endif // STOWAGE_IR_MARKED_H
