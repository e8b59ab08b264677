//===- parts.h - views, and which surely share no element ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_PARTS_H
#define STOWAGE_IR_PARTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

// The value behind all views.
MlirValue stow_root_of(MlirValue view);

// Whether two views of one buffer surely share no element.
bool stow_are_apart(MlirValue a, MlirValue b);

#endif // STOWAGE_IR_PARTS_H
