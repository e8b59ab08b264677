//===- steps.h - the steps of reading a region ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function per question; callees come before their callers, and read.c calls them all.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_STEPS_H
#define STOWAGE_DEALLOC_STEPS_H

#include "dealloc/read/domain.h"

//===----------------------------------------------------------------------===//
// control.c: where control goes, and when what an op does is done
//===----------------------------------------------------------------------===//

// Whether control enters the op's regions and leaves them as its interface tells.
bool stow_tells_control_flow(MlirOperation op, uint32_t facts);

// Whether the op returns from the domain's function.
bool stow_leaves_function(const stow_domain *domain, MlirOperation op, uint32_t facts);

// Whether what the op's regions do may go on when the op is done; and whether it is certain to be
// waited for in the op's block.
bool stow_runs_later(MlirOperation op);
bool stow_is_awaited_nearby(MlirOperation op);

// Why a buffer is left alone that an op without regions, no call, is given as that operand; or
// NULL.
const char *stow_why_kept(const stow_domain_context *context, MlirOperation op, uint32_t facts,
                          const stow_effects *effects, intptr_t operand);

//===----------------------------------------------------------------------===//
// elsewhere.c: memory that is not made here
//===----------------------------------------------------------------------===//

// Whether the program may free what `value` names by ops of its own: one does, or it is passed on.
bool stow_is_freed_elsewhere(MlirValue value);

// Whether the results of an op that does not allocate them may be memory that none of its operands
// is. An address may travel as another type than a memref.
bool stow_brings_memory(MlirOperation op, uint32_t facts, const stow_effects *effects);

// Whether the op may write memory that it is not given as a buffer.
bool stow_writes_anywhere(const stow_domain_context *context, MlirOperation op, uint32_t facts,
                          const stow_effects *effects);

//===----------------------------------------------------------------------===//
// captures.c: buffers used inside closed regions
//===----------------------------------------------------------------------===//

// Uses, at `place`, of what the op's regions mention and do not define; `later`: they may run when
// the op is done. Tells whether something is allocated inside.
bool stow_read_captures(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                        stow_domain_place place, bool later);

//===----------------------------------------------------------------------===//
// op.c: what an op does with buffers
//===----------------------------------------------------------------------===//

// Records what an op does with buffers, except for what it passes along paths. `forwarded` has an
// entry per operand, or is NULL: it passes nothing.
void stow_domain_read_op(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                         uint32_t facts, stow_domain_place place, const bool *forwarded);

// The same for an op that mentions no buffer.
void stow_domain_read_other(stow_domain *domain, const stow_domain_context *context,
                            MlirOperation op, stow_domain_place place);

//===----------------------------------------------------------------------===//
// choices.c: selects made anew as branches
//===----------------------------------------------------------------------===//

// An ending of `stretch`, whose hands are added next.
int32_t stow_domain_add_ending(stow_domain *domain, MlirOperation op, int32_t stretch);
void stow_domain_add_hand(stow_domain *domain, int32_t operand, int32_t ref, int32_t target);

// Puts the choices that are wished for before an ending, which then ends another stretch.
void stow_domain_choose(stow_domain *domain, int32_t ending);

//===----------------------------------------------------------------------===//
// paths.c: where control goes from the end of a stretch
//===----------------------------------------------------------------------===//

// Lays the paths between the stretches, with what is passed along each.
void stow_lay_paths(stow_domain *domain);

// Marks phis that some path into their stretch passes nothing. Needs the indices of paths.
void stow_mark_unfilled(stow_domain *domain);

//===----------------------------------------------------------------------===//
// idle.c: names that no buffer depends on
//===----------------------------------------------------------------------===//

// Marks handovers to idle targets of what the program frees; with `all`, of anything.
void stow_find_idle(stow_domain *domain, bool all);

// Marks refs that ops only look at.
void stow_find_mere_names(stow_domain *domain);

//===----------------------------------------------------------------------===//
// dominators.c
//===----------------------------------------------------------------------===//

// Fills `reachable`, `enter` and `leave` of every stretch; the domain's first one is the entry.
void stow_find_dominators(stow_domain *domain);

#endif // STOWAGE_DEALLOC_STEPS_H
