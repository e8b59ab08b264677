//===- symbols.h - the names of a module's symbols ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that add symbols: each name is looked for in constant time, where MLIR goes
// through the module. Who adds a symbol takes its name here first.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_SYMBOLS_H
#define STOWAGE_IR_SYMBOLS_H

#include "ir/support.h"

typedef struct stow_symbol_names {
  MlirContext context;
  stow_map taken; // by the string attribute that a name is
} stow_symbol_names;

// The names in a module's own table. Freed with stow_symbol_names_free.
stow_symbol_names stow_symbol_names_of(MlirOperation module);
void stow_symbol_names_free(stow_symbol_names *names);

// False: it was taken already.
bool stow_ir_take_name(stow_symbol_names *names, const char *name);

// Takes `wanted`, or that with a number. Freed with free().
char *stow_ir_take_free_name(stow_symbol_names *names, const char *wanted);

#endif // STOWAGE_IR_SYMBOLS_H
