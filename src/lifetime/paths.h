//===- paths.h - the ways control may take through a function -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of flow.h cut into *segments*: runs of positions that control passes
// from the first to the last, if it enters them at all. A segment ends with a
// terminator or with the first position of an op that has regions; where that op is
// done, at its last position, the next one begins. So a segment is a range of
// positions, and all of them together are all positions.
//
// Edges lead from segment to segment. Of an op whose regions run in a way that is not known, any
// region may follow any other, or none may run.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_PATHS_H
#define STOWAGE_LIFETIME_PATHS_H

#include "ir/flow.h"

typedef struct stow_path_segment {
  int64_t begin, end; // positions
  int32_t scope;      // of the flow
  bool reachable;     // from the function's entry
  bool resumes;       // begins where an op with regions is done
} stow_path_segment;

// Where a scope lies: the op that holds its region, as positions, and the scope around it or -1.
typedef struct stow_scope_place {
  int32_t parent;
  int64_t begin, end; // the op's first and last position
} stow_scope_place;

typedef struct stow_paths {
  const stow_flow *flow;
  stow_path_segment *segments;
  size_t segment_count, segment_capacity;
  int32_t *of_position; // the segment of each position
  int32_t *first_successor, *successors;
  int32_t *first_predecessor, *predecessors;
  stow_scope_place *scopes;
} stow_paths;

// Linear in positions and edges.
stow_paths stow_paths_of(const stow_flow *flow);
void stow_paths_free(stow_paths *paths);

#endif // STOWAGE_LIFETIME_PATHS_H
