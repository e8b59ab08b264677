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
#include <stddef.h>
#include <stdint.h>

// A way along views, from each to what it is a view of; {0} before its first value. In a block that
// nothing reaches, views may be views of each other, and the way has no end.
typedef struct stow_way {
  MlirValue seen;
  size_t steps;
} stow_way;

// Goes on to `view`. True where the way was there before, sooner or later on each way without end.
bool stow_ir_comes_again(stow_way *way, MlirValue view);

// The value behind all views; where they are views of each other, one of them.
MlirValue stow_ir_root_of(MlirValue view);

// layout.c: whether a memref's type tells that different indices may name one cell, as strides of 0
// do, dynamic strides being taken to keep cells apart; and whether it proves that they do not.
bool stow_layout_overlaps(MlirType memref);
bool stow_layout_keeps_apart(MlirType memref);

// Whether two views of one buffer surely share no element.
bool stow_ir_are_disjoint(MlirValue a, MlirValue b);

#endif // STOWAGE_IR_PARTS_H
