//===- c_names.h - names that a program in C or C++ may declare -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_C_NAMES_H
#define STOWAGE_IR_C_NAMES_H

#include <stdbool.h>

// What C takes for a name: other characters become underscores. Freed with free().
char *stow_ir_c_name(const char *name, bool upper);
bool stow_ir_has_c_letters(const char *name); // it is that already

// Whether a program may declare the name: neither C11 nor C++17 nor <stdint.h> keeps it.
bool stow_ir_is_c_name(const char *name);

// Whether C's library has a function of that name which compilers know.
bool stow_ir_is_c_function(const char *name);

// Whether code that a compiler makes may call a function of that name.
bool stow_ir_is_runtime_function(const char *name);

#endif // STOWAGE_IR_C_NAMES_H
