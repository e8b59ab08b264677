//===- model.h - what a model needs before bufferization ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_MODEL_MODEL_H
#define STOWAGE_MODEL_MODEL_H

#include "ir/build.h"
#include "mlir-c/BuiltinAttributes.h"

// No two uses have the same empty tensor.
void stow_split_empty(MlirOperation module);

// What a loop carries stays in one buffer each.
void stow_keep_carried(MlirOperation module);

// Whether bufferization makes a value in the memory of a tensor, without help.
bool stow_is_update(MlirValue value, MlirValue tensor);

// Mutable globals of ml_program become memory of the caller's. False after an error, which leaves
// the module as it was.
bool stow_pass_state(MlirOperation module);

#endif // STOWAGE_MODEL_MODEL_H
