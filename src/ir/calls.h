//===- calls.h - the functions of a module, callees first -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_CALLS_H
#define STOWAGE_IR_CALLS_H

#include "bridge/bridge.h"
#include "ir/digraph.h"
#include "ir/support.h"

typedef struct stow_calls {
  MlirOperation *functions; // those with a body, in the order of the module
  size_t function_count;
  stow_components components; // of functions, by index: those that may call each other
  stow_map index;             // of functions, by op
  bool *pointed; // per function: its address is taken, so that calls may not tell that they call it
  stow_symbols *symbols;
} stow_calls;

// Valid while no symbol is added or removed. Freed with stow_calls_free.
stow_calls stow_calls_of(MlirOperation module);
void stow_calls_free(stow_calls *calls);

// The function with a body that a call calls, or -1.
int32_t stow_called(const stow_calls *calls, MlirOperation call);

// The function with a body that an op stands in, or -1.
int32_t stow_calls_caller(const stow_calls *calls, MlirOperation op);

// Whether the declaration of the function that `op` calls promises that it neither keeps, returns
// nor frees an argument.
bool stow_call_borrows(const stow_calls *calls, MlirOperation op, intptr_t argument);

// Whether the declaration of the function that `op` calls says that a result is STOW_BORROWED.
bool stow_call_lends(const stow_calls *calls, MlirOperation op, intptr_t result);

#endif // STOWAGE_IR_CALLS_H
