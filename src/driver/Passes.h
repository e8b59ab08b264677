//===- Passes.h - Stowage's passes for MLIR's pass manager ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_PASSES_H
#define STOWAGE_DRIVER_PASSES_H

#include "driver/Numbers.h"
#include "ir/nothing_done.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Operation.h"
#include "stowage/passes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class DialectRegistry;
}

namespace stowage {

// Registers every dialect of Stowage.
void registerDialects(mlir::DialectRegistry *registry);

// Registers every pass and pipeline of Stowage. Must run before the command line is parsed.
void registerPasses();

// The error for a value that an option of the pass does not take.
mlir::LogicalResult refuseOption(mlir::Operation *module, llvm::StringRef pass,
                                 llvm::StringRef option, llvm::StringRef allowed,
                                 llvm::StringRef given);

// Whether an option that takes one of two words was given the second; an error for any other.
mlir::FailureOr<bool> isSecond(mlir::Operation *module, llvm::StringRef pass,
                               llvm::StringRef option, llvm::StringRef first,
                               llvm::StringRef second, llvm::StringRef given);

// The option unknown-ops.
mlir::LogicalResult readUnknownOps(mlir::Operation *module, llvm::StringRef pass,
                                   llvm::StringRef given, stow_unknown_ops &out);

// What the pass's function returns; where that is true and nothing came of it, says so
// (ir/nothing_done.h).
bool tryWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                llvm::function_ref<bool(MlirOperation)> function);

// The same for a function that cannot fail.
void runWatched(mlir::Operation *module, llvm::StringRef pass, stow_idle_subject subject,
                llvm::function_ref<void(MlirOperation)> function);

// Pipelines, by room.
void registerDeallocPipeline();
void registerLifetimePipeline();

} // namespace stowage

#endif // STOWAGE_DRIVER_PASSES_H
