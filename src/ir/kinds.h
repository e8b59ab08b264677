// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// op.h under its former name, for components that do not read ops by its fates yet.

#ifndef STOWAGE_IR_KINDS_H
#define STOWAGE_IR_KINDS_H

#include "ir/op.h"

static inline bool stow_tells_shape(MlirOperation op) {
  return stow_op_traits(op) & STOW_TELLS_SHAPE;
}

static inline bool stow_makes_number(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (!stow_is_buffer(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

#endif // STOWAGE_IR_KINDS_H
