//===- read.h - from IR to a program --------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that fill the tables of program.h, callers first.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_READ_H
#define STOWAGE_CHECK_READ_H

#include "check/program.h"

// build.c: a function as a control flow graph. Freed with stow_check_program_free.
void stow_check_program_read(stow_check_program *program);

// names.c: reads the sources, and finds origins and families. Once all else is read.
void stow_check_names_close(stow_check_program *program);

// effects.c: appends the events of `op`, but for those of its regions.
void stow_check_effects_add(stow_check_program *program, MlirOperation op, uint32_t facts);

// returns.c: which arguments of a call may be its result `result`, as bits; all from the 31st on
// are one.
uint32_t stow_check_returned_arguments(stow_check_program *program, MlirOperation call,
                                       intptr_t result);

// places.c: gives `value` a place if it is an arena, memory of i8 that views are cut from.
void stow_check_root_find(stow_check_program *program, MlirValue value);

// The same for the results of an op that only makes new names for memory. False for any other op.
bool stow_check_view_follow(stow_check_program *program, MlirOperation op);

// A name for a value that stands for one of others; its sources are added with
// stow_check_source_add. `node` brings it along its edges; where that is -1 it has an event.
int32_t stow_check_choice_add(stow_check_program *program, MlirValue value, int32_t node);

#endif // STOWAGE_CHECK_READ_H
