//===- Passes.td - Stowage's passes ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per room. docs/passes.md has the passes in alphabetical order.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASSES
#define STOWAGE_PASSES

include "ArenaPasses.td"
include "CheckPasses.td"
include "CopiesPasses.td"
include "DeallocPasses.td"
include "LifetimePasses.td"
include "ReducePasses.td"
include "ReorderPasses.td"
include "RowsPasses.td"
include "TaskflowPasses.td"

#endif // STOWAGE_PASSES
