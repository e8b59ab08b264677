//===- ModelPasses.cpp - the passes of src/model for the pass manager -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"
#include "driver/Pipeline.h"

namespace stowage {
#define GEN_PASS_DEF_PREPAREMODEL
#define GEN_PASS_DEF_REFUSEALLOCS
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct PrepareModelPass : impl::PrepareModelBase<PrepareModelPass> {
  void runOnModule() override {
    if (!stow_prepare_model(wrap(getOperation().getOperation())))
      signalPassFailure();
  }
};

struct RefuseAllocsPass : impl::RefuseAllocsBase<RefuseAllocsPass> {
  void runOnModule() override {
    if (!stow_refuse_allocs(wrap(getOperation().getOperation())))
      signalPassFailure();
  }
};

struct ModelPipelineOptions : mlir::PassPipelineOptions<ModelPipelineOptions> {
  Option<bool> reducePeak{*this, "reduce-peak",
                          llvm::cl::desc("Run reduce-peak before the arenas are planned"),
                          llvm::cl::init(true)};
  Option<std::string> capacity{
      *this, "capacity-in-bytes",
      llvm::cl::desc(
          "Bytes that the arena may have; where reduce-peak leaves more, fit-memory runs"),
      llvm::cl::init("")};
  Option<std::string> memories{
      *this, "memories",
      llvm::cl::desc("File of the machine's memories, for capacity-in-bytes: an arena in each, see "
                     "fit-memory"),
      llvm::cl::init("")};
  Option<std::string> arena{*this, "arena",
                            llvm::cl::desc("Where arenas are: argument, global, or alloc"),
                            llvm::cl::init("argument")};
  Option<std::string> options{*this, "merge-options",
                              llvm::cl::desc("Further options of merge-alloc"), llvm::cl::init("")};
  Option<std::string> header{*this, "emit-header",
                             llvm::cl::desc("Write a C header for the model's functions here"),
                             llvm::cl::init("")};
};

// What is in which memory; in one of them only where reduce-peak leaves more than it has.
std::string fitting(const ModelPipelineOptions &options, const std::string &capacity) {
  if (!options.memories.empty())
    return "fit-memory{reduce-peak=false memories=\"" + options.memories + "\"},";
  return options.reducePeak && !capacity.empty() ? "fit-memory{reduce-peak=false" + capacity + "},"
                                                 : "";
}

mlir::FailureOr<std::string> modelPipeline(const ModelPipelineOptions &options,
                                           ErrorHandler error) {
  if (options.arena != "argument" && options.arena != "global" && options.arena != "alloc")
    return error("stowage-model: arena must be argument, global or alloc, not '" + options.arena +
                 "'");
  if (!options.memories.empty() && (!options.capacity.empty() || options.arena != "argument"))
    return error("stowage-model: each of several memories has its bytes and its arena, an "
                 "argument: leave capacity-in-bytes and arena as they are");
  const bool outside = options.arena != "alloc";
  const std::string capacity =
      options.capacity.empty() ? "" : " capacity-in-bytes=" + options.capacity;
  // The pattern left out loses the stride of a padded tensor that goes into zeros. Its name is as
  // Clang writes it, and as GCC does.
  return std::string("canonicalize{disable-patterns={(anonymous namespace)::FoldInsertPadIntoFill,"
                     "{anonymous}::FoldInsertPadIntoFill}},cse,prepare-model,"
                     "eliminate-empty-tensors,"
                     "empty-tensor-to-alloc-tensor,one-shot-bufferize{"
                     "bufferize-function-boundaries "
                     "function-boundary-type-conversion=identity-layout-map},"
                     "canonicalize,cse,symbol-dce,") +
         (options.reducePeak ? "reduce-peak," : "") + fitting(options, capacity) +
         "merge-alloc{arena=" + options.arena + (outside ? " public result-arguments" : "") +
         capacity + " " + options.options +
         (options.header.empty() ? "" : " emit-header=" + options.header) +
         "},lower-strided-copies" + (options.memories.empty() ? "" : ",lower-memory-spaces") +
         (outside ? ",refuse-allocs" : "");
}

} // namespace

void stowage::registerModelPipeline() {
  registerTextPipeline("stowage-model",
                       "A model on tensors to a program that works in one arena: prepare-model, "
                       "one-shot-bufferize, reduce-peak, fit-memory, merge-alloc",
                       modelPipeline);
}
