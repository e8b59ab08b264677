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
#include "ir/op.h"

typedef struct stow_calls {
  MlirOperation *functions; // those with a body, in the order of the module
  size_t function_count;
  size_t *op_counts;          // per function: ops from it to the next
  stow_index called;          // per function: those with a body that its calls may call
  stow_components components; // of functions, by index: those that may call each other
  stow_map index;             // of functions, by op
  bool *pointed; // per function: its address is taken, so that calls may not tell that they call it
  int32_t *alike; // per function: the first of those that one call by address may call, with it
  stow_map by_address; // of calls by address: their number
  stow_index callees;  // per such number: the functions with a body that may be called
  bool *leaves;        // per such number: one without a body may be called, too
  size_t by_address_count;
  stow_symbols *symbols;
  stow_by_name *names; // of its ops, and of others that are looked up
} stow_calls;

// Valid while no symbol is added or removed. Freed with stow_calls_free.
stow_calls stow_calls_of(MlirOperation module);
void stow_calls_free(stow_calls *calls);

// The function with a body that a call calls, or -1.
int32_t stow_ir_called(const stow_calls *calls, MlirOperation call);

// The number of a call by address, for `callees`, or -1. Calls that may call the same functions may
// have the same number. An address is followed through selects to where it is taken. An address of
// unknown origin may be any function whose address is taken and that has as many arguments and
// results. It may also be a function outside the module if it may come from there: from an argument
// of a function that others may call, a cast, or a call of a function without a body.
int32_t stow_ir_call_by_address(const stow_calls *calls, MlirOperation call);

// The function with a body that an op stands in, or -1.
int32_t stow_calls_caller(const stow_calls *calls, MlirOperation op);

// Whether the declaration of the function that `op` calls promises that it neither keeps, returns
// nor frees an argument.
bool stow_ir_call_borrows(const stow_calls *calls, MlirOperation op, intptr_t argument);

// Whether the declaration of the function that `op` calls says that a result is STOW_BORROWED.
bool stow_ir_call_lends(const stow_calls *calls, MlirOperation op, intptr_t result);

#endif // STOWAGE_IR_CALLS_H
