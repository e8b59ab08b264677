//===- Passes.td - Stowage's passes ---------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per room, but for those that lower the peak. docs/passes.md has the passes in alphabetical order.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASSES
#define STOWAGE_PASSES

include "ArenaPasses.td"
include "CheckPasses.td"
include "DeallocPasses.td"
include "LifetimePasses.td"
include "ModelPasses.td"
include "PeakPasses.td"
include "TaskflowPasses.td"

#endif // STOWAGE_PASSES
