//===- place.h - buffers in other memories --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FIT_PLACE_H
#define STOWAGE_FIT_PLACE_H

#include "ir/machine.h"

// Of the copy of a constant: what the program assumes of the constant, beyond what this states.
#define STOW_ASSUMED_ALIGNMENT "stowage.assumed_alignment"

// Whether nothing but views of a buffer and ops that take any memory space have it, and the machine
// lets these have it in the memory.
bool stow_fit_may_be_in(MlirValue buffer, const stow_machine_memory *memory);

// Puts a buffer that an alloc makes, and its views, into a memory.
void stow_fit_move_to(MlirValue buffer, const stow_machine_memory *memory);

// Gives the uses of such a buffer, and their views, to another one of its shape.
void stow_fit_replace_buffer(MlirValue buffer, MlirValue by);

// A memory map shows the buffer by what its location is named: the layer, or `maker`, and why it is
// there.
void stow_fit_name_buffer(MlirOperation alloc, const char *maker, const char *why);

// Gives a buffer the alignment of the memory it is in, where its own is smaller. Until it is
// forgotten it knows its own, for the next memory.
void stow_fit_align_in(MlirOperation alloc, const stow_machine_memory *memory);

// The alignment that the program gave; 0: none. It is kept where a memory asks for more.
uint64_t stow_fit_own_alignment(MlirOperation alloc);

void stow_fit_forget_alignments(MlirOperation function);

// Of the default memory the name, as a memory space, is no space.
void stow_fit_drop_default_name(MlirOperation module, const stow_machine *machine);

#endif // STOWAGE_FIT_PLACE_H
