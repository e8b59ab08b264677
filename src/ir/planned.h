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

#include "ir/support.h"

// The outermost functions of a module that have a body, in program order. Freed with free(list.at).
stow_op_list stow_functions_in(MlirOperation module);

// Per function: the bytes of the arenas that merge-alloc would make in it.
void stow_plan_functions(MlirOperation module, const stow_op_list *functions, uint64_t *out_bytes);

// Puts `with` in the place of a function, which is destroyed.
void stow_replace_function(MlirOperation function, MlirOperation with);

#endif // STOWAGE_IR_PLANNED_H
