//===- problem.h - reading what a caller gives ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_PROBLEM_H
#define STOWAGE_PLAN_PROBLEM_H

#include "stowage/plan.h"

#include <stdbool.h>

// The largest number of buffers a problem may have; indices inside the planner are 32 bits wide.
#define STOW_MAX_BUFFERS ((size_t)1 << 30)

// Copies what the caller's version of the struct has into this version's, absent fields zero, and
// checks every value: STOW_INVALID for what is malformed, STOW_OVERFLOW for what is too large.
stow_status stow_problem_read(const stow_problem *problem, stow_problem *out_problem);

// The same for options; NULL reads as all defaults.
stow_status stow_options_read(const stow_plan_options *options, stow_plan_options *out_options);

// How many pieces the buffer's life is given by; 0: it lives from begin to end.
size_t stow_problem_piece_count(const stow_problem *problem, size_t buffer);

// The required offset of a buffer or STOW_ANY_OFFSET, and its alignment, at least 1.
uint64_t stow_problem_fixed(const stow_problem *problem, size_t buffer);
uint64_t stow_problem_alignment(const stow_problem *problem, size_t buffer);

// The least multiple of `alignment`, a power of two, that is not below `value`. Returns false where
// it does not fit.
bool stow_align_up(uint64_t value, uint64_t alignment, uint64_t *out_aligned);

#endif // STOWAGE_PLAN_PROBLEM_H
