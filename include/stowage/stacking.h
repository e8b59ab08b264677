//===- stowage/stacking.h - plans for sizes that are not known yet --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a plan, of two buffers that are alive together one is below the other. A
// *stacking* keeps this order of a plan and drops sizes and offsets. It is a
// plan for every size: each buffer begins where the highest of those below it
// ends,
//
//     offset(i) = max over j below i of offset(j) + size(j), rounded up to i's alignment,
//
// which is a longest path in an acyclic graph. For the sizes of the plan that it was made
// of, the arena is no larger than that plan's.
//
// Only edges that no other path implies are kept (the transitive reduction):
// where nothing is exclusive and lives have no holes, at most three per buffer.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STACKING_H
#define STOWAGE_STACKING_H

#include "stowage/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Buffers are indices of a problem's. Freed with stow_stacking_free.
typedef struct stow_stacking {
  size_t buffer_count;
  size_t *order;       // all buffers, those below before those above
  size_t *first_below; // per buffer: an index of `below`,
  size_t *below_count; // and how many there are from there on:
  size_t *below;       // those directly below the buffer
} stow_stacking;

// More buffers than this are refused: the work and the memory are quadratic in bits.
#define STOW_STACKING_MOST_BUFFERS 16384

// The stacking of a plan of `problem`, in which every size is at least 1. STOW_INVALID: the problem
// has fixed offsets, parts of buffers, colocated pairs or several spaces, or too many buffers.
stow_status stow_stacking_of(const stow_problem *problem, const uint64_t *offsets,
                             stow_stacking *out_stacking);

// Offsets for the sizes and alignments of `buffers`, in bytes, and the arena's size.
stow_status stow_stacking_place(const stow_stacking *stacking, const stow_buffer *buffers,
                                uint64_t *out_offsets, uint64_t *out_arena_size);

// Whether the stacking is a plan of `problem` for all sizes: each two buffers that are alive
// together and not exclusive have a path from one to the other. Shares with stow_stacking_of only
// what "alive together" means.
stow_status stow_stacking_verify(const stow_problem *problem, const stow_stacking *stacking,
                                 int *out_holds);

void stow_stacking_free(stow_stacking *stacking);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_STACKING_H
