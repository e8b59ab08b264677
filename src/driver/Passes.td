//===- Passes.td - Stowage's passes ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file per room. docs/passes.md has the passes in alphabetical order.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASSES
#define STOWAGE_PASSES

include "arena/Passes.td"
include "check/Passes.td"
include "copies/Passes.td"
include "dealloc/Passes.td"
include "fit/Passes.td"
include "lifetime/Passes.td"
include "model/Passes.td"
include "reduce/Passes.td"
include "reorder/Passes.td"
include "rows/Passes.td"
include "taskflow/Passes.td"
include "vectors/Passes.td"

#endif // STOWAGE_PASSES
