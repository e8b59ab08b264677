//===- problem.h - reading what a caller gives ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_PROBLEM_H
#define STOWAGE_PLAN_PROBLEM_H

#include "memory.h"
#include "stowage/plan.h"

#include <stdbool.h>

// The largest number of buffers a problem may have; indices inside the planner are 32 bits wide.
#define STOW_MAX_BUFFERS ((size_t)1 << 30)

// Copies what the caller's version of the struct has into this version's, absent fields zero, and
// checks every value: STOW_INVALID for what is malformed, STOW_OVERFLOW for what is too large.
// `out_fault`, where not NULL, tells what.
stow_status stow_plan_problem_read(const stow_problem *problem, stow_problem *out_problem,
                                   stow_fault *out_fault);

// The same for options; NULL reads as all defaults.
stow_status stow_plan_options_read(const stow_plan_options *options,
                                   stow_plan_options *out_options);

// How many pieces the buffer's life is given by; 0: it lives from begin to end.
size_t stow_plan_problem_piece_count(const stow_problem *problem, size_t buffer);

// The required offset of a buffer or STOW_ANY_OFFSET, and its alignment, at least 1.
uint64_t stow_plan_problem_fixed(const stow_problem *problem, size_t buffer);
uint64_t stow_plan_problem_alignment(const stow_problem *problem, size_t buffer);

// The least multiple of `alignment`, a power of two, that is not below `value`. Returns false where
// it does not fit.
bool stow_plan_align_up(uint64_t value, uint64_t alignment, uint64_t *out_aligned);

//===----------------------------------------------------------------------===//
// relations.c: what is special about pairs of buffers
//===----------------------------------------------------------------------===//
//
// The relations of a problem in a form that answers quickly: which buffers are
// bound to one offset, and whether a pair may overlap.
//
// A pair that *may* colocate has two fates: it does, and then it is as bound as
// if it had to, or it does not, and then it conflicts like any other. A set of
// *bonds* says which: one flag per relation.

typedef struct stow_relations {
  const stow_problem *problem;
  const uint32_t *class_of; // per buffer the lowest buffer it must start with; NULL: each its own
  const uint32_t *first_exclusive; // per buffer and one more, into exclusives; NULL: there are none
  const uint32_t *exclusives;      // ascending for each buffer
} stow_relations;

// Reads the relations of `problem` with `bonds` (NULL: no pair that may colocate does). They live
// as long as `memory`.
stow_status stow_relations_read(const stow_problem *problem, const unsigned char *bonds,
                                stow_memory *memory, stow_relations *out_relations);

// Whether the buffer is exclusive with any other, and whether the two are with each other.
bool stow_plan_has_exclusives(const stow_relations *relations, uint32_t buffer);
bool stow_plan_are_exclusive(const stow_relations *relations, uint32_t a, uint32_t b);

// For each buffer those that it has a relation of that kind to, ascending: others[first[b]]
// up to but not others[first[b + 1]].
stow_status stow_plan_list_related(const stow_problem *problem, stow_relation_kind kind,
                                   stow_memory *memory, const uint32_t **out_first,
                                   const uint32_t **out_others);

// Whether the second is in such a list of the first.
bool stow_plan_are_related(const uint32_t *first, const uint32_t *others, uint32_t a, uint32_t b);

// The pairs that may colocate.
size_t stow_plan_count_optional(const stow_problem *problem);

#endif // STOWAGE_PLAN_PROBLEM_H
