//===- Passes.h - Stowage's passes for MLIR's pass manager ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ArenaPasses.cpp, PeakPasses.cpp and so on call the C functions of stowage/passes.h. No decision
// is taken there.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_PASSES_H
#define STOWAGE_DRIVER_PASSES_H

#include "driver/Options.h"

namespace mlir {
class DialectRegistry;
}

namespace stowage {

// Registers every dialect of Stowage.
void registerDialects(mlir::DialectRegistry *registry);

// Registers every pass and pipeline of Stowage. Must run before the command line is parsed.
void registerPasses();

// Pipelines, by room.
void registerDeallocPipeline();
void registerLifetimePipeline();
void registerModelPipeline();

} // namespace stowage

#endif // STOWAGE_DRIVER_PASSES_H
