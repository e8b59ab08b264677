//===- DeallocPasses.cpp - the passes of src/dealloc for the pass manager -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns options as the command line has them into those of stowage/passes.h and
// calls the C functions. No decision is taken here.
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "stowage/passes.h"

namespace stowage {
#define GEN_PASS_DECL_BUFFERDEALLOCATION
#define GEN_PASS_DEF_BUFFERDEALLOCATION
#define GEN_PASS_DECL_HOISTALLOCATIONS
#define GEN_PASS_DEF_HOISTALLOCATIONS
#define GEN_PASS_DECL_PROMOTEALLOCSTOSTACK
#define GEN_PASS_DEF_PROMOTEALLOCSTOSTACK
#define GEN_PASS_DECL_SIMPLIFYCLONES
#define GEN_PASS_DEF_SIMPLIFYCLONES
#define GEN_PASS_DECL_TIGHTENDEALLOCS
#define GEN_PASS_DEF_TIGHTENDEALLOCS
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

// The options that both deallocation passes have. A friend of the passes, whose options are
// protected.
struct DeallocOptions {
  template <typename PassT>
  static mlir::LogicalResult convert(PassT &pass, stow_deallocation_options &out) {
    auto refuse = [&](const char *option, const char *choice, const std::string &given) {
      return pass.getOperation().emitError() << pass.getArgument() << ": " << option << " must be "
                                             << choice << ", not '" << given << "'";
    };
    if (pass.unknownOps != "escape" && pass.unknownOps != "use")
      return refuse("unknown-ops", "escape or use", pass.unknownOps);
    if (pass.prefer != "bits" && pass.prefer != "clones")
      return refuse("prefer", "bits or clones", pass.prefer);
    out.struct_size = sizeof out;
    out.unknown_ops_escape = pass.unknownOps == "escape";
    out.clone_first = pass.prefer == "clones";
    return mlir::success();
  }
};

struct BufferDeallocationPass : impl::BufferDeallocationBase<BufferDeallocationPass> {
  using BufferDeallocationBase::BufferDeallocationBase;
  friend DeallocOptions;
  void runOnOperation() override {
    stow_deallocation_options options = {};
    if (failed(DeallocOptions::convert(*this, options)) ||
        !stow_buffer_deallocation(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

struct TightenDeallocsPass : impl::TightenDeallocsBase<TightenDeallocsPass> {
  using TightenDeallocsBase::TightenDeallocsBase;
  friend DeallocOptions;
  void runOnOperation() override {
    stow_deallocation_options options = {};
    if (failed(DeallocOptions::convert(*this, options)) ||
        !stow_tighten_deallocs(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

struct SimplifyClonesPass : impl::SimplifyClonesBase<SimplifyClonesPass> {
  void runOnOperation() override { stow_simplify_clones(wrap(getOperation().getOperation())); }
};

struct HoistAllocationsPass : impl::HoistAllocationsBase<HoistAllocationsPass> {
  void runOnOperation() override {
    if (!stow_hoist_allocations(wrap(getOperation().getOperation())))
      signalPassFailure();
  }
};

struct PromoteAllocsToStackPass : impl::PromoteAllocsToStackBase<PromoteAllocsToStackPass> {
  using PromoteAllocsToStackBase::PromoteAllocsToStackBase;
  void runOnOperation() override {
    stow_promotion_options options = {};
    options.struct_size = sizeof options;
    options.max_size = maxSize;
    options.max_rank = maxRank;
    stow_promote_allocs_to_stack(wrap(getOperation().getOperation()), &options);
  }
};

enum class StartsWith { Deallocation, MergeAlloc };

// What a program wants between bufferization and the lowering to LLVM.
struct MemoryPipelineOptions : mlir::PassPipelineOptions<MemoryPipelineOptions> {
  Option<StartsWith> start{
      *this, "start",
      llvm::cl::desc("What frees: deallocation (and buffer-reuse after it), or merge-alloc (and "
                     "deallocation of what it leaves)"),
      llvm::cl::init(StartsWith::Deallocation),
      llvm::cl::values(clEnumValN(StartsWith::Deallocation, "deallocation",
                                  "buffer-deallocation, then buffer-reuse"),
                       clEnumValN(StartsWith::MergeAlloc, "merge-alloc",
                                  "merge-alloc, then deallocation of what it leaves"))};
  Option<bool> hoist{*this, "hoist", llvm::cl::desc("Run hoist-allocations first"),
                     llvm::cl::init(false)};
  Option<uint64_t> stackBytes{*this, "stack-bytes",
                              llvm::cl::desc("Buffers of at most so many bytes go to the stack "
                                             "(promote-allocs-to-stack); 0: none"),
                              llvm::cl::init(0)};
};

std::string memoryPipeline(const MemoryPipelineOptions &options) {
  const bool merges = options.start == StartsWith::MergeAlloc;
  std::string text = options.hoist ? "hoist-allocations," : "";
  if (merges)
    text += "merge-alloc,";
  text += "buffer-deallocation,simplify-clones,";
  if (options.stackBytes > 0)
    text +=
        "promote-allocs-to-stack{max-size-in-bytes=" + std::to_string(options.stackBytes) + "},";
  if (!merges)
    text += "buffer-reuse,";
  return text + "convert-bufferization-to-memref";
}

void buildMemoryPipeline(mlir::OpPassManager &manager, const MemoryPipelineOptions &options) {
  if (failed(mlir::parsePassPipeline(memoryPipeline(options), manager)))
    llvm::report_fatal_error("stowage-memory: a pass is not registered", false);
}

} // namespace

void stowage::registerDeallocPasses() {
  mlir::PassPipelineRegistration<MemoryPipelineOptions>(
      "stowage-memory",
      "From bufferized IR to IR that is ready to be lowered: deallocation or "
      "merge-alloc, buffer-reuse, clones as copies",
      buildMemoryPipeline);
  mlir::registerPass([] { return std::make_unique<BufferDeallocationPass>(); });
  mlir::registerPass([] { return std::make_unique<HoistAllocationsPass>(); });
  mlir::registerPass([] { return std::make_unique<PromoteAllocsToStackPass>(); });
  mlir::registerPass([] { return std::make_unique<SimplifyClonesPass>(); });
  mlir::registerPass([] { return std::make_unique<TightenDeallocsPass>(); });
}
