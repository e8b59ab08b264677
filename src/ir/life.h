//===- life.h - how long buffers live, and how they escape ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the flow. Computes the life of each value: the range of positions from the first op that
// touches its memory, by whatever name, to one past the last. It is the hull of
//
//   its own uses,
//   the lives of the values it flows into,
//
// each *lifted* to the nest of the value: where a range lies in a loop that the value
// does not, every iteration needs the memory and so the range becomes the whole loop.
// A value that flows around a back edge lives through all of that loop.
//
// So lives are a fixpoint over the flow's edges, and since lifting composes, it is
// reached in one pass over the strongly connected components of the edges, targets
// first: O(values + edges + uses), times the depth of nests. What else is to be known
// of a value travels the same way.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_LIFE_H
#define STOWAGE_IR_LIFE_H

#include "ir/flow.h"

typedef struct stow_life {
  int64_t begin, end; // begin > end: never touched
  int64_t handed;     // one past the last position that hands any of its names on, touched or not
  int32_t escape;     // the first escape it may take, or -1; returning is apart
  int32_t returned;   // the first return it may take, or -1
  int32_t carried;    // the outermost nest around whose back edge it may go, or -1
  int32_t outermost;  // depth of the outermost scope's nest it may reach
  uint64_t alignment; // bytes: the most that any of its names is relied on to have
  int32_t free;       // the dealloc in the outermost block that may free it, or -1
  bool fills_loop;    // an end of the life is that of a loop of blocks
} stow_life;

// One life per value of the flow. Freed with free().
stow_life *stow_ir_live(const stow_flow *flow);

//===----------------------------------------------------------------------===//
// dealloc.c: which deallocs belong to which allocs
//===----------------------------------------------------------------------===//
//
// A dealloc of a value that may be one of several buffers (a select, the result of
// an scf.if, a value carried by a loop) can be taken away only if all of them are
// planned. So allocs and deallocs fall into groups: two things are in one group if
// some dealloc may free both. A group that may also free memory from elsewhere (an
// argument, a global, a call's result) is *foreign*; nothing in it can be planned.

typedef struct stow_dealloc_groups {
  int32_t *of_alloc; // per alloc of the flow: its group
  int32_t *of_free;  // per dealloc of the flow
  bool *foreign;     // per group
  int32_t group_count;
} stow_dealloc_groups;

// Linear in the flow.
stow_dealloc_groups stow_ir_group_deallocs(const stow_flow *flow);
void stow_ir_dealloc_groups_free(stow_dealloc_groups *groups);

// Whether each path from the alloc to the end of its region passes a dealloc that may free it. A
// dealloc inside an op that may not run it (an if, a loop) does not count.
bool stow_ir_freed_on_every_path(const stow_flow *flow, const stow_life *lives, size_t alloc,
                                 stow_post_dominance *dominance);

#endif // STOWAGE_IR_LIFE_H
