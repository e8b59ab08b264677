//===- barriers.h - what the threads of a workgroup do at once -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a workgroup run at once, and only gpu.barrier orders them: what one
// does before it has happened when another goes on. So time in a kernel moves in
// *steps*. A step ends at a barrier that every thread passes exactly once:
//
//   it stands in one of the kernel's own blocks, not in the region of an op there,
//   that block is on every path through the kernel, and in no loop of blocks.
//
// Such barriers come in one order on all paths, that of their positions, so the step of
// an op is the number of barriers at lower positions. An op in step i has been done by
// all threads before any begins step i + 1, whatever the order inside of a step.
//
// A barrier in an op whose control flow is uniform, the same for all threads, ends no
// step, which is safe: steps are only longer. Any other barrier might be met by some
// threads while the rest waits at one of ours, so such a kernel has no steps.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_BARRIERS_H
#define STOWAGE_ARENA_BARRIERS_H

#include "ir/flow.h"

typedef struct stow_steps {
  STOW_ARRAY(int64_t) barriers; // positions, ascending
  MlirOperation divergent;      // a barrier that threads may not pass together, or null
} stow_steps;

// How often a position of the flow is in a loop of blocks, for each of its positions. Freed with
// free().
int32_t *stow_block_loops(const stow_flow *flow);

// The steps of a kernel, a gpu.func or gpu.launch whose body is a scope of the flow. Linear.
stow_steps stow_steps_of(const stow_flow *flow, const stow_scope *kernel, const int32_t *loops,
                         stow_post_dominance *dominance);

int64_t stow_step_at(const stow_steps *steps, int64_t position);

#endif // STOWAGE_ARENA_BARRIERS_H
