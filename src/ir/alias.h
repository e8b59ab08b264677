//===- alias.h - which memory two values may share ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *root* is a memref value that no view op made (parts.h). Allocations are memory of their own.
// Of arguments and globals nothing is known, but for what the program promises: `llvm.noalias` that
// the memory behind an argument of a func.func is reached in no other way while the function runs,
// `memref.distinct_objects` that no two of its operands share a byte; and for what an option says
// of all arguments. No other file reads these promises.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_ALIAS_H
#define STOWAGE_IR_ALIAS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

// Whether a value is an argument of a func.func whose memory is reached in no other way.
// `all`: it holds for all of them.
bool stow_ir_is_reached_alone(MlirValue value, bool all);

// The root that promises were made of: behind results of `memref.distinct_objects`.
MlirValue stow_ir_behind_promises(MlirValue root);

// Whether two roots may share a byte. `distinct_arguments`: arguments of one function and globals
// share none.
bool stow_ir_may_alias(MlirValue a, MlirValue b, bool distinct_arguments);

#endif // STOWAGE_IR_ALIAS_H
