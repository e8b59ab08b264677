//===- Pipeline.h - pipelines written as text -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our pipelines name passes of MLIR, which the tool that loads the plugin may not have
// registered. So a pipeline is kept as text and parsed when it is used. A pass that is not
// registered, or that cannot run on the op, is then an error of the user's pipeline, like any
// other.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DRIVER_PIPELINE_H
#define STOWAGE_DRIVER_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

namespace stowage {

// Of what the parser says, the sentence without the text it stands at.
inline llvm::StringRef firstError(llvm::StringRef said) {
  llvm::StringRef line = said.ltrim().split('\n').first;
  return line.contains("error: ") ? line.split("error: ").second : line;
}

using ErrorHandler = llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;

// Adds the passes of a text, or calls the handler with what `hint` adds to the parser's words.
inline mlir::LogicalResult addPasses(mlir::OpPassManager &manager, llvm::StringRef passes,
                                     llvm::StringRef name, llvm::StringRef hint,
                                     ErrorHandler error) {
  std::string said;
  llvm::raw_string_ostream stream(said);
  if (succeeded(mlir::parsePassPipeline(passes, manager, stream)))
    return mlir::success();
  return error(name + ": " + firstError(said) + hint);
}

// `text` gives the passes as a pipeline's text, or calls the handler and fails.
template <typename OptionsT>
void registerTextPipeline(const char *name, const char *description,
                          mlir::FailureOr<std::string> (*text)(const OptionsT &, ErrorHandler)) {
  auto build = [=](mlir::OpPassManager &manager, llvm::StringRef given,
                   ErrorHandler error) -> mlir::LogicalResult {
    OptionsT options;
    if (failed(options.parseFromString(given)))
      return mlir::failure();
    const mlir::FailureOr<std::string> passes = text(options, error);
    if (failed(passes))
      return mlir::failure();
    return addPasses(manager, *passes, name,
                     "; it runs on builtin.module and needs MLIR's own passes registered", error);
  };
  mlir::registerPassPipeline(name, description, build, [](auto handle) { handle(OptionsT()); });
}

} // namespace stowage

#endif // STOWAGE_DRIVER_PIPELINE_H
