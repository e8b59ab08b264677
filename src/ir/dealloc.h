//===- dealloc.h - which deallocs belong to which allocs ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dealloc of a value that may be one of several buffers (a select, the result of
// an scf.if, a value carried by a loop) can be taken away only if all of them are
// planned. So allocs and deallocs fall into groups: two things are in one group if
// some dealloc may free both. A group that may also free memory from elsewhere (an
// argument, a global, a call's result) is *foreign*; nothing in it can be planned.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_DEALLOC_H
#define STOWAGE_IR_DEALLOC_H

#include "ir/life.h"

typedef struct stow_dealloc_groups {
  int32_t *of_alloc; // per alloc of the flow: its group
  int32_t *of_free;  // per dealloc of the flow
  bool *foreign;     // per group
  int32_t group_count;
} stow_dealloc_groups;

// Linear in the flow.
stow_dealloc_groups stow_group_deallocs(const stow_flow *flow);
void stow_dealloc_groups_free(stow_dealloc_groups *groups);

// Whether each path from the alloc to the end of its region passes a dealloc that may free it. A
// dealloc inside an op that may not run it (an if, a loop) does not count.
bool stow_freed_on_every_path(const stow_flow *flow, const stow_life *lives, size_t alloc,
                              stow_post_dominance *dominance);

#endif // STOWAGE_IR_DEALLOC_H
