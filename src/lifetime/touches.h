//===- touches.h - what happens to a buffer, by all its names -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The *names* of a value are the value itself, all views of it, and all values that may be one of
// these. Clones are among them, those too that a callee makes and returns: upstream's
// canonicalization may replace a clone by its source, after inlining. A *touch* of a value
// is a read, a write, a call with it or a return of it, through any of its names. An op with
// regions that touches a name does so at its first and at its last position.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_TOUCHES_H
#define STOWAGE_LIFETIME_TOUCHES_H

#include "ir/bytes.h"

// A flow's tables sorted by value. Markers count as no touch.
typedef struct stow_lifetime_touch_index {
  const stow_flow *flow;
  stow_index clones;         // of it, by value
  stow_index touches, frees; // positions by value; frees: of deallocs
  stow_map position_of;      // of ops: the first
  stow_map end_of;           // of ops that have two: the last
  stow_walk walk;            // over values
} stow_lifetime_touch_index;

stow_lifetime_touch_index stow_lifetime_touch_index_of(const stow_flow *flow);
void stow_lifetime_touch_index_free(stow_lifetime_touch_index *index);

typedef struct stow_lifetime_touch {
  int64_t position;
  int32_t value; // the name
} stow_lifetime_touch;

typedef STOW_ARRAY(stow_lifetime_touch) stow_lifetime_touches;

// Of one value: its names, and by position what touches and what frees them.
typedef struct stow_lifetime_history {
  STOW_ARRAY(int32_t) names;
  stow_lifetime_touches touches, frees;
} stow_lifetime_history;

// Names that have `stop` set, other than `value` itself, are left out, and what is named after them
// only; `stop` may be NULL. Linear in what it finds, up to sorting. Reuses the memory in
// `history`, which starts out zeroed.
void stow_lifetime_history_of(stow_lifetime_touch_index *index, int32_t value, const bool *stop,
                              stow_lifetime_history *history);
void stow_lifetime_history_free(stow_lifetime_history *history);

//===----------------------------------------------------------------------===//
// The paths control may take through a function
//===----------------------------------------------------------------------===//
//
// The segments and jumps of flow.h as a graph in which each segment has at least one position.
// Where an op's interfaces do not say in which order its regions run, flow.h has an empty
// segment that all of them jump to and from; it becomes edges between its neighbours.

typedef struct stow_lifetime_segment {
  int64_t begin, end; // positions
  bool reachable;     // from the function's entry
  bool resumes;       // begins where an op with regions is done
} stow_lifetime_segment;

// Where a scope lies: the op that holds its region, as positions, and the scope around it or -1.
typedef struct stow_lifetime_scope {
  int32_t parent;
  int64_t begin, end; // the op's first and last position
} stow_lifetime_scope;

typedef struct stow_lifetime_paths {
  const stow_flow *flow;
  stow_lifetime_segment *segments; // those of the flow
  size_t segment_count;
  int32_t *of_position;                // the segment of each position
  int32_t *scope_at;                   // the innermost scope of each position
  stow_index successors, predecessors; // segments by segment
  stow_lifetime_scope *scopes;
} stow_lifetime_paths;

// Linear in positions and jumps, and in regions squared of one op.
stow_lifetime_paths stow_lifetime_paths_of(const stow_flow *flow);
void stow_lifetime_paths_free(stow_lifetime_paths *paths);

#endif // STOWAGE_LIFETIME_TOUCHES_H
