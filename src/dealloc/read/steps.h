//===- steps.h - the steps of reading a region ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callees come before their callers. read.c goes through them all.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_STEPS_H
#define STOWAGE_DEALLOC_STEPS_H

#include "dealloc/read/domain.h"

//===----------------------------------------------------------------------===//
// control.c: what goes on when an op is done
//===----------------------------------------------------------------------===//

// Whether the op returns from the domain's function.
bool stow_dealloc_leaves_function(const stow_domain *domain, MlirOperation op, uint32_t facts);

// Whether the op's regions may still run when the op is done, and nothing is certain to wait for
// them.
bool stow_dealloc_runs_later(stow_domain *domain, MlirOperation op);

// Why an argument is left alone that its contract says is kept.
#define STOW_KEPT_BY_CALLEE "the function called keeps it, or frees it in some cases only"

// Why the program frees an operand in its own way, by this op; or NULL.
const char *stow_dealloc_why_managed(MlirOperation op, const stow_effects *effects,
                                     intptr_t operand);

// Why an operand is left alone because of an op that has no regions and is no call; or NULL.
const char *stow_dealloc_why_kept(stow_domain *domain, const stow_domain_context *context,
                                  MlirOperation op, stow_named_op known,
                                  const stow_effects *effects, intptr_t operand);

//===----------------------------------------------------------------------===//
// external.c: memory that is not made here
//===----------------------------------------------------------------------===//

// What the program itself does to free memory. A terminator, an op with regions or a call that
// takes it lets it escape: it may be freed there.
typedef enum stow_external_end { STOW_NEVER_FREED, STOW_ESCAPES, STOW_FREED } stow_external_end;
stow_external_end stow_external_end_of(MlirValue value);

// Whether results that the op does not allocate may be other memory than its memref operands. An
// address may be an operand of another type.
bool stow_dealloc_brings_memory(MlirOperation op, uint32_t facts, const stow_effects *effects);

// Whether the op may write memory that is none of its memref operands.
bool stow_dealloc_writes_anywhere(const stow_domain_context *context, MlirOperation op,
                                  uint32_t facts, const stow_effects *effects);

//===----------------------------------------------------------------------===//
// captures.c: buffers used inside closed regions
//===----------------------------------------------------------------------===//

// Uses, at `place`, of what the op's regions mention and do not define; `later`: they may run when
// the op is done. True: something is allocated inside.
bool stow_dealloc_read_captures(stow_domain *domain, const stow_domain_context *context,
                                MlirOperation op, stow_own_place place, bool later);

//===----------------------------------------------------------------------===//
// op.c: what an op does with buffers
//===----------------------------------------------------------------------===//

// Records what an op does with buffers, but for operands that it forwards. `forwarded`: per
// operand, or NULL for none.
void stow_domain_read_op(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                         uint32_t facts, stow_own_place place, const bool *forwarded);

// The same for an op that mentions no buffer.
void stow_domain_read_other(stow_domain *domain, const stow_domain_context *context,
                            MlirOperation op, stow_own_place place);

//===----------------------------------------------------------------------===//
// choices.c: selects split into branches
//===----------------------------------------------------------------------===//

// An ending of `segment`, whose operands are added next.
int32_t stow_domain_add_ending(stow_domain *domain, MlirOperation op, int32_t segment);
void stow_domain_add_operand(stow_domain *domain, int32_t operand, int32_t ref, int32_t phi);

// Puts choices before an ending, which then ends another segment.
void stow_domain_choose(stow_domain *domain, int32_t ending);

//===----------------------------------------------------------------------===//
// edges.c: where control goes from the end of a segment
//===----------------------------------------------------------------------===//

// Lays the edges between the segments, with the incoming values of each.
void stow_dealloc_lay_edges(stow_domain *domain);

// Lets phis escape that have no incoming value on some edge. Needs the indices of edges.
void stow_dealloc_mark_unfilled(stow_domain *domain);

//===----------------------------------------------------------------------===//
// needs_no_owner.c: names that need no owner
//===----------------------------------------------------------------------===//

// Marks operands forwarded to phis that need no owner, of what the program frees; with `all`, of
// anything.
void stow_dealloc_find_needs_no_owner(stow_domain *domain, bool all);

// Marks views that are neither freed nor forwarded.
void stow_dealloc_find_local_names(stow_domain *domain);

#endif // STOWAGE_DEALLOC_STEPS_H
