//===- kinds.h - what an op's name and types tell of it -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What interfaces do not say of an op that is given a buffer: whether it gives the
// address away as a number, or is still at work when it is done.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_KINDS_H
#define STOWAGE_IR_KINDS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

// Whether a type is one the analyses follow: a memref, ranked or not.
bool stow_is_buffer(MlirType type);

// A ranked memref whose elements lie at strides, so that its allocation can be told from it.
bool stow_is_strided(MlirType type);

// Ops that start work and return: their names or attributes say so, their interfaces do not.
bool stow_starts_work(MlirOperation op);

// Pure ops whose integer results tell a shape, not an address.
bool stow_tells_shape(MlirOperation op);

// A result that is neither a buffer nor a number may stand for the buffer (a pointer, a tensor) or
// for work that is still to come (a token).
bool stow_makes_handle(MlirOperation op);

// The token of an op known to start work, where that work is certain to be waited for in its block;
// null for any other op.
MlirValue stow_settled_token(MlirOperation op);

// Whether some result is no buffer.
bool stow_makes_number(MlirOperation op);

// Whether, for all that the op's name tells, a result may stand for a buffer operand: what a load
// gives was stored in the buffer and is not the buffer, and some ops rename theirs in order.
bool stow_may_rename(MlirOperation op, intptr_t operand, intptr_t result);

// lifetime.start, lifetime.end, either.
bool stow_is_start(MlirOperation op);
bool stow_is_end(MlirOperation op);
bool stow_is_marker(MlirOperation op);

#endif // STOWAGE_IR_KINDS_H
