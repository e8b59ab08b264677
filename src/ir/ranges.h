//===- ranges.h - when exactly buffers are live ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A life (life.h) is one range that contains all uses of a buffer. Requires the flow and
// its lives, and refines them by control flow: a buffer is *live* at a position if its memory was
// touched on some path to the position, and is touched on some path from there before all of it is
// overwritten.
//
// Names are followed backwards over the segments of the flow, from their
// mentions to their definition: the liveness of SSA values. The ranges of all names
// that may stand for a buffer are then clipped to what a touch of it has reached. What
// remains are *pieces*: the arm of a branch that does not need the buffer is not in
// them, nor is the time between a last read and the write that starts afresh.
//
// The work is bounded by a multiple of the flow's size; beyond it, lives take the place
// of pieces.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_RANGES_H
#define STOWAGE_IR_RANGES_H

#include "ir/life.h"

//===----------------------------------------------------------------------===//
// Values that are the same memory
//===----------------------------------------------------------------------===//
//
// A *name* is a value together with the views that are made of it and of nothing
// else: wherever they exist they are the same memory, so they are live together. A
// value that control or a choice gives one of several buffers (an argument of a
// block, the result of an scf.if or a select) is a name of its own. At any moment it
// stands for exactly one buffer; which one, may differ from run to run. (A token of work
// that uses several buffers is the exception: it stands for them all.)

// An op that touches the memory behind a name, or an edge that forwards the name.
typedef struct stow_name_mention {
  int64_t begin, end; // positions; in an atomic nest, all of the op
  bool touches;       // and does not only forward the name
  bool overwrites;    // all of it, without a look at what was there
  bool leaves;        // control forwards it to another segment
} stow_name_mention;

typedef struct stow_names {
  int32_t *of_value;           // the first value of each value's name
  int32_t *first;              // by that value: where its mentions are; one more
  stow_name_mention *mentions; // of one name by their beginnings
} stow_names;

//===----------------------------------------------------------------------===//
// ranges.c: pieces of buffers
//===----------------------------------------------------------------------===//

typedef struct stow_live_piece {
  int64_t begin, end; // positions
  bool opens;         // on every path to `begin` it was not live
  bool closes;        // on every path from `end` it is not live
  uint64_t low, high; // its bytes that are, and that `opens` and `closes` speak of where they are
                      // not those of the piece that it meets; both 0: all
} stow_live_piece;

// Whether two lives, as ascending pieces, share a position.
bool stow_ir_pieces_meet(const stow_live_piece *a, size_t a_count, const stow_live_piece *b,
                         size_t b_count);

// A name in one segment.
typedef struct stow_span {
  int32_t segment;
  int64_t begin, end; //
  int64_t touch;      // where it is first touched; INT64_MAX: nowhere
  bool in, out;       // live at the beginning, and at the end, of the segment
} stow_span;

typedef struct stow_ranges {
  stow_names names;
  size_t *first_piece; // per alloc, and one more
  STOW_ARRAY(stow_live_piece) pieces;
  // What is left of the work on names, for src/ir/exclusive.c.
  int32_t *first_name; // per alloc, and one more: the names that may stand for it
  STOW_ARRAY(int32_t) alloc_names;
  size_t *first_span, *span_count; // per name
  STOW_ARRAY(stow_span) spans;     // ascending
  int64_t budget;                  // steps left
} stow_ranges;

// `wanted`: per alloc, whether its pieces matter; of others the life is given. Freed with
// stow_ranges_free.
stow_ranges stow_ranges_of(const stow_flow *flow, const stow_life *lives, const bool *wanted);
void stow_ranges_free(stow_ranges *ranges);

// Whether the lives of two allocs share a position.
bool stow_ranges_meet(const stow_ranges *ranges, int32_t a, int32_t b);

//===----------------------------------------------------------------------===//
// exclusive.c: buffers that share bytes though their lives overlap
//===----------------------------------------------------------------------===//

// Where one of two buffers is chosen (both arms of a branch yield into one result), both
// are live from there on as far as positions tell, and yet no run needs both. Two
// buffers can share bytes as soon as neither is touched while the other is live: the
// interference of register allocation. And a touch through a name that stands for one
// of them does no harm to what is live through that same name only, because if it is
// the one, the name is not the other.

typedef struct stow_pair {
  int32_t first, second; // allocs; first < second
} stow_pair;

typedef STOW_ARRAY(stow_pair) stow_pairs; // ascending

// The index of the first one whose first is `alloc` or a later one.
static inline size_t stow_ir_first_pair(const stow_pairs *pairs, size_t alloc) {
  return stow_ir_first_from(STOW_COLUMN(pairs->at, pairs->count, first), (int64_t)alloc);
}

// The pairs of wanted allocs whose pieces overlap and that can share bytes nevertheless. Looked for
// among buffers with a name in common, within the rest of `ranges`' budget. Freed with
// free(pairs.at).
stow_pairs stow_ir_exclusive_pairs(const stow_flow *flow, stow_ranges *ranges, const bool *wanted);

#endif // STOWAGE_IR_RANGES_H
