//===- paths.h - the paths control may take through a function -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The segments and jumps of flow.h as a graph in which each segment has at least one position.
// Where an op's interfaces do not say in which order its regions run, flow.h has an empty
// segment that all of them jump to and from; it becomes edges between its neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_PATHS_H
#define STOWAGE_LIFETIME_PATHS_H

#include "ir/flow.h"

typedef struct stow_life_segment {
  int64_t begin, end; // positions
  bool reachable;     // from the function's entry
  bool resumes;       // begins where an op with regions is done
} stow_life_segment;

// Where a scope lies: the op that holds its region, as positions, and the scope around it or -1.
typedef struct stow_life_scope {
  int32_t parent;
  int64_t begin, end; // the op's first and last position
} stow_life_scope;

typedef struct stow_life_paths {
  const stow_flow *flow;
  stow_life_segment *segments; // those of the flow
  size_t segment_count;
  int32_t *of_position;                // the segment of each position
  int32_t *scope_at;                   // the innermost scope of each position
  stow_index successors, predecessors; // segments by segment
  stow_life_scope *scopes;
} stow_life_paths;

// Linear in positions and jumps, and in regions squared of one op.
stow_life_paths stow_life_paths_of(const stow_flow *flow);
void stow_life_paths_free(stow_life_paths *paths);

#endif // STOWAGE_LIFETIME_PATHS_H
