//===- ArenaPasses.cpp - the passes of src/arena for the pass manager -------===//
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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "stowage/passes.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_BUFFERREUSE
#define GEN_PASS_DEF_BUFFERREUSEANALYSIS
#define GEN_PASS_DEF_MERGEALLOC
#define GEN_PASS_DEF_PACKSTACK
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

// The options that all passes of the room have, read here so that they are read in one way. A
// friend of the passes, whose options are protected. Keeps what the C struct points to.
struct SharedOptions {
  std::vector<const char *> spaces, reports;

  template <typename PassT> mlir::LogicalResult convert(PassT &pass, stow_reuse_options &out) {
    mlir::ModuleOp module = pass.getOperation();
    if (!stow_strategy_parse(pass.strategy.c_str(), &out.strategy))
      return module.emitError() << pass.getArgument() << ": unknown strategy '" << pass.strategy
                                << "'";
    if (pass.unknownOps != "escape" && pass.unknownOps != "use")
      return module.emitError() << pass.getArgument()
                                << ": unknown-ops must be escape or use, not '" << pass.unknownOps
                                << "'";
    for (const std::string &space : pass.memorySpaces)
      spaces.push_back(space.c_str());
    for (const std::string &report : pass.reports)
      if (report != "none")
        reports.push_back(report.c_str());
    out.struct_size = sizeof out;
    out.alignment = pass.alignment;
    out.capacity = pass.capacity;
    out.planner_effort = pass.plannerEffort;
    out.min_size = pass.minSize;
    out.unknown_ops = pass.unknownOps == "use" ? STOW_UNKNOWN_OPS_USE : STOW_UNKNOWN_OPS_ESCAPE;
    out.prefer_recent = pass.preferRecent;
    out.memory_spaces = spaces.data();
    out.memory_space_count = spaces.size();
    out.reports = reports.data();
    out.report_count = reports.size();
    return mlir::success();
  }
};

struct BufferReuseAnalysisPass : impl::BufferReuseAnalysisBase<BufferReuseAnalysisPass> {
  using BufferReuseAnalysisBase::BufferReuseAnalysisBase;
  friend SharedOptions;
  void runOnOperation() override {
    stow_reuse_options options = {};
    SharedOptions shared;
    if (failed(shared.convert(*this, options)))
      return signalPassFailure();
    static const char *const text[] = {"text"};
    if (reports.empty())
      options.reports = text, options.report_count = 1;
    options.annotate = annotate;
    options.allow_missing_dealloc = !requireDealloc;
    options.pool_all = poolAll;
    if (!stow_buffer_reuse_analysis(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
    else if (!annotate)
      markAllAnalysesPreserved();
  }
};

struct BufferReusePass : impl::BufferReuseBase<BufferReusePass> {
  using BufferReuseBase::BufferReuseBase;
  friend SharedOptions;
  void runOnOperation() override {
    stow_reuse_options options = {};
    SharedOptions shared;
    if (failed(shared.convert(*this, options)))
      return signalPassFailure();
    options.poison = poison;
    options.allow_missing_dealloc = !requireDealloc;
    options.pool_all = poolAll;
    if (!stow_buffer_reuse(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

struct MergeAllocPass : impl::MergeAllocBase<MergeAllocPass> {
  using MergeAllocBase::MergeAllocBase;
  friend SharedOptions;
  void runOnOperation() override {
    stow_reuse_options options = {};
    SharedOptions shared;
    if (failed(shared.convert(*this, options)))
      return signalPassFailure();
    options.leave_arena = !deallocArena;
    options.analysis_only = analysisOnly;
    options.poison = poison;
    options.hoist_parallel = hoistParallel;
    options.hoist_limit = hoistLimit;
    options.workgroup_capacity = workgroupCapacity;
    if (!stow_merge_alloc(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

struct PackStackPass : impl::PackStackBase<PackStackPass> {
  using PackStackBase::PackStackBase;
  friend SharedOptions;
  void runOnOperation() override {
    stow_reuse_options options = {};
    SharedOptions shared;
    if (failed(shared.convert(*this, options)))
      return signalPassFailure();
    options.poison = poison;
    if (!stow_pack_stack(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

} // namespace

void stowage::registerArenaPasses() {
  mlir::registerPass([] { return std::make_unique<BufferReuseAnalysisPass>(); });
  mlir::registerPass([] { return std::make_unique<BufferReusePass>(); });
  mlir::registerPass([] { return std::make_unique<MergeAllocPass>(); });
  mlir::registerPass([] { return std::make_unique<PackStackPass>(); });
}
