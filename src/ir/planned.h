//===- planned.h - functions, and what merge-alloc would make of them -----===//
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

#ifndef STOWAGE_IR_PLANNED_H
#define STOWAGE_IR_PLANNED_H

#include "bridge/bridge.h"
#include "ir/support.h"
#include "stowage/passes.h"

// The outermost functions of a module that have a body, in program order. Freed with free(list.at).
stow_op_list stow_functions_in(MlirOperation module);

// Per function: what it would need after merge-alloc.
void stow_plan_functions(MlirOperation module, const stow_op_list *functions, stow_planned *out);

// Whether arenas or heap need more than before.
bool stow_is_dearer(stow_planned now, stow_planned before);

// Whether smaller arenas are a gain: not where something else takes the heap higher than before.
bool stow_is_gain(stow_planned now, stow_planned before);

// The same in words, of `count` changes that `what` names: "streams: 2; arenas of 64 bytes, not
// 128". Freed with free().
char *stow_gain_text(const char *what, size_t count, stow_planned now, stow_planned before);

// Whether arenas with reads that jump from one element to the next are worth their time: they are
// less than half of those without.
bool stow_pays_for_strides(uint64_t with, uint64_t without);

// Remarks on a function that are kept until it is certain that it stays as rewritten.
typedef STOW_ARRAY(stow_remark) stow_remarks;

// Adds one, at the location of an op; the text is given away.
void stow_remarks_add(stow_remarks *to, MlirOperation op, stow_remark remark, char *text);

// Emits them as of the function, which else may be null, if they are wanted, and forgets them.
void stow_remarks_settle(stow_remarks *remarks, MlirOperation function, bool wanted);

// Says of a function what a pass made of it, or, where it was not worth that, undid. Frees the
// text.
void stow_tell_function(const char *pass, MlirOperation function, bool worth, char *text);

// Puts `with` in the place of a function, which is destroyed.
void stow_replace_function(MlirOperation function, MlirOperation with);

#endif // STOWAGE_IR_PLANNED_H
