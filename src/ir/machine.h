//===- machine.h - the memories of a machine ------------------------------===//
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

#ifndef STOWAGE_IR_MACHINE_H
#define STOWAGE_IR_MACHINE_H

#include "ir/support.h"

#define STOW_MEMORIES "stowage.memories"

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

// Whether an op may have a buffer of this memory where it has the one of the use. What an op may
// not do to a memory is said here: all that is placed asks.
bool stow_machine_lets(const stow_machine_memory *memory, MlirOpOperand use);

// Where a buffer of this memory space is: in the memory that the space names, without a space in
// the default one; NULL: in none of them.
const stow_machine_memory *stow_machine_memory_of(const stow_machine *machine, MlirAttribute space);

// Those in a file, which the module gets as an attribute, or with NULL those of the module: of this
// attribute, or else of dlti.target_system_spec; none where it has neither. False, with a located
// error. Freed with stow_machine_free, also after false.
bool stow_machine_read(MlirOperation module, const char *path, stow_machine *out);

void stow_machine_free(stow_machine *memories);

#endif // STOWAGE_IR_MACHINE_H
