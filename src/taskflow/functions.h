//===- functions.h - the functions of a module, one after the other -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_FUNCTIONS_H
#define STOWAGE_TASKFLOW_FUNCTIONS_H

#include "mlir-c/IR.h"

// Calls `fn` for each function with a body that `module` holds, or for `module` itself where it is
// a function.
typedef void (*stow_function_fn)(MlirOperation function, void *user);
void stow_each_function(MlirOperation module, stow_function_fn fn, void *user);

#endif // STOWAGE_TASKFLOW_FUNCTIONS_H
