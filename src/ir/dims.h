//===- dims.h - what a program states of its sizes --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute stowage.dims of a function's argument: an array with a dictionary for each
// dimension of a memref, or one for an index,
//
//   {stowage.dims = [{name = "n", min = 1, max = 2048, hint = 128}, {}]}
//
// each entry of which may be missing. Dimensions of one name are equal.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_DIMS_H
#define STOWAGE_IR_DIMS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

// What is not stated is "" or -1.
typedef struct stow_stated {
  MlirStringRef name;
  int64_t min, max, hint;
} stow_stated;

// Of argument `argument` of a function-like op, in its dimension `dimension`, 0 for an index. The
// attributes of the module are valid.
stow_stated stow_stated_of(MlirOperation function, intptr_t argument, int64_t dimension);

// False, with a located error, where some function's stowage.dims is not as above.
bool stow_ir_dims_are_valid(MlirOperation module);

#endif // STOWAGE_IR_DIMS_H
