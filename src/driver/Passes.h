//===- Passes.h - Stowage's passes for MLIR's pass manager ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each NAMEPasses.cpp turns options as the command line has them into those of
// stowage/passes.h and calls the C functions. No decision is taken there.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_PASSES_H
#define STOWAGE_DRIVER_PASSES_H

#include "driver/Numbers.h"
#include "ir/nothing_done.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
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

// Which of the words that an option takes was given; an error for any other.
mlir::FailureOr<size_t> readWord(mlir::Operation *module, llvm::StringRef pass,
                                 llvm::StringRef option, llvm::ArrayRef<llvm::StringRef> words,
                                 llvm::StringRef given);

// The texts of a list option, which must outlive them; of `report`, those that are reports.
std::vector<const char *> textsOf(llvm::ArrayRef<std::string> given);
std::vector<const char *> reportsOf(llvm::ArrayRef<std::string> given);

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
