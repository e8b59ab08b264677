//===- memories.h - the memories of a machine -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array attribute of dictionaries, from a file or from the module, the fastest memory first:
//
//     stowage.memories = [{name = "sram", bytes = 65536}, {name = "dram", bytes = 1048576, cost =
//     8}]
//
// or the devices of a dlti.target_system_spec that have such members as "stowage.bytes".
//
// One of them is the *default*: buffers that no pass moves are there, and its memory space is the
// default one. Of the others the memory space is the name, until stow_lower_memory_spaces makes
// numbers of them. Constants lie in one of them, or in one more that has nothing but constants.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FIT_MEMORIES_H
#define STOWAGE_FIT_MEMORIES_H

#include "ir/support.h"

#define STOW_MEMORIES "stowage.memories"

// Of the copy of a constant: what the program assumes of the constant, beyond what this states.
#define STOW_ASSUMED_ALIGNMENT "stowage.assumed_alignment"

typedef struct stow_machine_memory {
  char *name;
  MlirAttribute space; // in the program: null for the default memory
  uint64_t bytes, alignment;
  uint64_t cost;   // of a byte that is read or written, where an operation on an element costs 1
  uint64_t number; // of the address space
  uint64_t banks;  // of one size, each for one access at a time (arena/banks.c)
  bool copied;     // the processor does not compute there: buffers are copied to it and from it
  bool constants;  // constants lie there
  bool read_only;  // and nothing else
} stow_machine_memory;

typedef struct stow_machine {
  STOW_ARRAY(stow_machine_memory) all; // where buffers may lie
  size_t home;                         // the default one
  stow_machine_memory read_only;       // of constants alone; without a name: there is none
  stow_machine_memory *constants;      // where these lie; NULL: nothing says so
} stow_machine;

// place.c. Whether nothing but views of a buffer and ops that take any memory space have it.
bool stow_fit_may_change_space(MlirValue buffer);

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

// Those in a file, which the module gets as an attribute, or with NULL those of the module: of this
// attribute, or else of dlti.target_system_spec; none where it has neither. False, with a located
// error. Freed with stow_machine_free, also after false.
bool stow_machine_read(MlirOperation module, const char *path, stow_machine *out);
void stow_machine_free(stow_machine *memories);

#endif // STOWAGE_FIT_MEMORIES_H
