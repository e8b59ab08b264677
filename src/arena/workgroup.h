//===- workgroup.h - the shared memory of a GPU kernel ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.func or gpu.launch lists the buffers that the threads of a workgroup share as
// *workgroup attributions*, arguments of its body. There is little of that memory, and
// it is reserved as long as the kernel runs. The attributions of one kernel whose lives
// are disjoint become views of one attribution of bytes.
//
// A life is a range of steps (barriers.h): from the step of the first op that may touch
// the attribution, by whatever name, to that of the last. Two attributions whose lives
// are disjoint have a barrier between their uses that all threads pass. The attribution
// holds nothing when the kernel begins, and nobody reads it when it has ended.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_WORKGROUP_H
#define STOWAGE_ARENA_WORKGROUP_H

#include "arena/arena.h"

// What LLVM aligns an array in shared memory to, and vector accesses rely on.
enum { STOW_WORKGROUP_ALIGNMENT = 16 };

typedef struct stow_attribution {
  MlirValue value;
  intptr_t argument; // its index among those of the body
  MlirAttribute space;
  stow_reason reason; // STOW_PLANNED: it goes into the merged attribution of its space
  MlirOperation blame;
  stow_extent size;
  uint64_t alignment; // bytes
  int64_t begin, end; // steps
  uint64_t offset;    // where it is planned
} stow_attribution;

// What the planned attributions of one memory space become.
typedef struct stow_merged {
  MlirAttribute space;
  uint64_t size, alignment; // bytes; with `padding`
  uint64_t padding;         // in front, where the start is aligned at run time
  size_t count;             // of attributions
  uint64_t apart;           // bytes that they have
  int64_t peak;             // the step of most live bytes
} stow_merged;

typedef struct stow_kernel {
  MlirOperation op; // gpu.func or gpu.launch
  MlirRegion body;
  MlirOperation function;     // around it, or itself
  intptr_t first_attribution; // index among the body's arguments
  size_t count, merged_count;
  stow_attribution *attributions;
  stow_merged *merged;
} stow_kernel;

// Lists the workgroup attributions of every kernel, where the pass plans them.
void stow_collect_workgroups(stow_arenas *arenas);

// Plans them. False, with a located
// error, where a kernel has more bytes than it may.
bool stow_plan_workgroups(stow_arenas *arenas);

void stow_remark_workgroups(const stow_arenas *arenas, bool rewritten);
void stow_rewrite_workgroups(const stow_arenas *arenas);
void stow_kernels_free(stow_arenas *arenas);

#endif // STOWAGE_ARENA_WORKGROUP_H
