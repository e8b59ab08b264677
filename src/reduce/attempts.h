//===- attempts.h - functions with a rewrite, planned before and after ----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that may make memory worse asks the planner: it keeps a copy of each function,
// plans the module before and after, and puts the copy back where that needed less.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REDUCE_ATTEMPTS_H
#define STOWAGE_REDUCE_ATTEMPTS_H

#include "bridge/bridge.h"
#include "ir/support.h"
#include "stowage/passes.h"

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

// A function that a pass rewrites.
typedef struct stow_attempt {
  MlirOperation op;         // in the module
  MlirOperation kept;       // as it was; owned, and not in the module. Null: nobody keeps it
  stow_planned before, now; // what it would need after merge-alloc: at the beginning, and when the
                            // module was last planned
} stow_attempt;

typedef struct stow_attempts {
  stow_attempt *at;
  size_t count, capacity;
  bool results_apart; // planned as a merge-alloc that places no buffer in the bytes of a result
} stow_attempts;

// The outermost functions with a body that are wanted, in program order, or all with NULL; planned.
// Freed with free(list.at).
stow_attempts stow_attempts_begin(MlirOperation module, bool (*wanted)(MlirOperation function));
stow_attempts stow_attempts_begin_all(MlirOperation module, bool results_apart);

// Plans the module again, with the bytes in a memory space; null: the default one.
void stow_attempts_plan_in(MlirOperation module, stow_attempts *all, MlirAttribute space);
void stow_attempts_plan(MlirOperation module, stow_attempts *all); // in the default one

// Keeps the function as it is.
void stow_attempt_keep(stow_attempt *attempt);

// Puts another version into the module. Returns the one that was there, which the caller owns.
MlirOperation stow_attempt_exchange(stow_attempt *attempt, MlirOperation with);

// Puts what was kept into the module once more, and destroys what was there.
void stow_attempt_renew(stow_attempt *attempt);

// Destroys what was kept, if anything, or puts it back.
void stow_attempt_end(stow_attempt *attempt, bool stays);

// Ends as well, and tells of the changes that a pass made of a function, which `what` names:
// "streams: 2; arenas of 64 bytes, not 128". They stay where they are worth it.
void stow_attempt_finish(stow_attempt *attempt, const char *pass, const char *what, size_t changes,
                         bool worth);

// Adds bytes that both arenas and heap need.
stow_planned stow_reduce_planned_with(stow_planned planned, uint64_t bytes);

// Whether arenas or heap need more than before. It is the function's own heap, as the rewrite of a
// callee may be undone by itself.
bool stow_reduce_is_dearer(stow_planned now, stow_planned before);

// Whether the heap does; and whether it holds more than before with callees, which is what counts
// where all are planned again until none is dearer.
bool stow_reduce_has_more_heap(stow_planned now, stow_planned before);
bool stow_reduce_holds_more(stow_planned now, stow_planned before);

// Whether smaller arenas are a gain: not where something else takes the heap higher than before.
bool stow_reduce_is_gain(stow_planned now, stow_planned before);

// Whether arenas with reads that jump from one element to the next are worth their time: they are
// less than half of those without.
bool stow_reduce_pays_for_strides(uint64_t with, uint64_t without);

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

// Whether some function has a buffer that merge-alloc plans.
bool stow_attempts_are_planned(const stow_attempts *all);

// That none has; freed with free().
char *stow_reduce_none_planned_text(MlirOperation module);

// Remarks that are kept until it is certain that what they are about stays as rewritten. Their
// texts are the list's own.
typedef STOW_ARRAY(stow_remark) stow_remarks;

// Adds a copy; `list` is a stow_remarks.
void stow_remarks_keep(void *list, const stow_remark *remark);

// Adds one, at the location of an op; the text is given away.
void stow_remarks_add(stow_remarks *to, MlirOperation op, stow_remark remark, char *text);

// Frees the texts of one that leaves the list.
void stow_reduce_remark_drop(stow_remark *remark);

// Emits them if they are wanted, and forgets them. They are of the function; null: each of its own.
void stow_remarks_settle(stow_remarks *remarks, MlirOperation function, bool wanted);

#endif // STOWAGE_REDUCE_ATTEMPTS_H
