//===- ArenaPasses.cpp - the passes of src/arena for the pass manager -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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

// Runs one of the engine's functions as a pass, with the options that all passes of the room have.
// A friend of the passes, whose options are protected.
struct Engine {
  using Function = bool(MlirOperation, const stow_reuse_options *);

  // What the passes have that make arenas on the heap.
  template <typename PassT> static void readHeap(PassT &pass, stow_reuse_options &out) {
    out.results_apart = !pass.lendResults;
    out.bound_heap = pass.maxHeapOverhead >= 0;
    out.heap_overhead = pass.maxHeapOverhead;
    out.conditional_share = pass.conditionalShare;
  }

  template <typename PassT>
  static mlir::LogicalResult readDynamic(PassT &pass, stow_reuse_options &out) {
    out.stackings = unsigned(std::min<uint64_t>(pass.stackings, UINT32_MAX));
    if (out.stackings == 0)
      return refuseOption(pass.getOperation(), pass.getArgument(), "stackings",
                          "a number from 1 on", "0");
    mlir::FailureOr<size_t> word = readWord(pass.getOperation(), pass.getArgument(), "dynamic",
                                            {"off", "exact", "bound"}, pass.dynamic);
    out.dynamic = static_cast<stow_dynamic_sizes>(word.value_or(0));
    return word;
  }

  // Each is the name of a size and a number.
  template <typename PassT> static mlir::LogicalResult checkSizes(PassT &pass) {
    for (const std::string &given : pass.at) {
      const auto [name, number] = llvm::StringRef(given).split('=');
      int64_t size; // or an index, which may be below 0
      if (name.empty() || number.getAsInteger(10, size))
        return refuseOption(pass.getOperation(), pass.getArgument(), "at",
                            "NAME=NUMBER such as n=128", given);
    }
    return mlir::success();
  }

  // `options` has what is the pass's own; its reports are for where the pass is not told any.
  template <typename PassT>
  static bool run(PassT &pass, stow_reuse_options options, Function *function) {
    if (failed(read(pass, options)) || failed(readDynamic(pass, options)) ||
        failed(checkSizes(pass)))
      return pass.signalPassFailure(), false;
    const std::vector<const char *> spaces = textsOf(pass.memorySpaces), at = textsOf(pass.at);
    const std::vector<const char *> reports = reportsOf(pass.reports);
    options.at = at.data(), options.at_count = at.size();
    options.memory_spaces = spaces.data();
    options.memory_space_count = spaces.size();
    if (!pass.reports.empty())
      options.reports = reports.data(), options.report_count = reports.size();
    bool done = function(wrap(pass.getOperation().getOperation()), &options);
    if (!done)
      pass.signalPassFailure();
    return done;
  }

private:
  static std::string strategies() {
    std::string names;
    for (int i = 0; const char *name = stow_strategy_name(static_cast<stow_strategy>(i)); ++i)
      names += (i == 0 ? "" : ", ") + std::string(name);
    return "one of " + names;
  }

  template <typename PassT> static mlir::LogicalResult read(PassT &pass, stow_reuse_options &out) {
    if (!stow_strategy_parse(pass.strategy.c_str(), &out.strategy))
      return refuseOption(pass.getOperation(), pass.getArgument(), "strategy", strategies(),
                          pass.strategy);
    if (pass.alignment.value == 0)
      return refuseOption(pass.getOperation(), pass.getArgument(), "alignment-in-bytes",
                          "a power of two", "0");
    out.struct_size = sizeof out;
    out.alignment = pass.alignment;
    out.capacity = pass.capacity;
    out.planner_effort = pass.plannerEffort;
    out.min_size = pass.minSize;
    out.prefer_recent = pass.preferRecent;
    return readUnknownOps(pass.getOperation(), pass.getArgument(), pass.unknownOps,
                          out.unknown_ops);
  }
};

struct BufferReuseAnalysisPass : impl::BufferReuseAnalysisBase<BufferReuseAnalysisPass> {
  using BufferReuseAnalysisBase::BufferReuseAnalysisBase;
  friend Engine;
  void runOnModule() override {
    static const char *const text[] = {"text"};
    stow_reuse_options options = {};
    options.reports = text;
    options.report_count = 1;
    options.annotate = annotate;
    options.allow_missing_dealloc = !requireDealloc;
    options.pool_all = poolAll;
    Engine::readHeap(*this, options);
    if (Engine::run(*this, options, stow_buffer_reuse_analysis) && !annotate)
      markAllAnalysesPreserved();
  }
};

struct BufferReusePass : impl::BufferReuseBase<BufferReusePass> {
  using BufferReuseBase::BufferReuseBase;
  friend Engine;
  void runOnModule() override {
    stow_reuse_options options = {};
    options.poison = poison;
    options.verify_sizes = verifySizes;
    options.allow_missing_dealloc = !requireDealloc;
    options.pool_all = poolAll;
    Engine::readHeap(*this, options);
    Engine::run(*this, options, stow_buffer_reuse);
  }
};

struct MergeAllocPass : impl::MergeAllocBase<MergeAllocPass> {
  using MergeAllocBase::MergeAllocBase;
  friend Engine;
  void runOnModule() override {
    stow_reuse_options options = {};
    options.leave_arena = !deallocArena;
    Engine::readHeap(*this, options);
    options.analysis_only = analysisOnly;
    options.poison = poison;
    options.verify_sizes = verifySizes;
    options.hoist_parallel = hoistParallel;
    options.hoist_limit = hoistLimit;
    options.workgroup_capacity = workgroupCapacity;
    options.public_entries = publicEntries;
    options.keep_wrapper = keepWrapper;
    options.result_arguments = resultArguments;
    options.stack_limit = stackLimit;
    options.callback = callback.hasValue() ? callback.c_str() : nullptr;
    options.header = header.empty() ? nullptr : header.c_str();
    const std::vector<const char *> names = textsOf(entries);
    options.entries = names.data();
    options.entry_count = names.size();
    mlir::FailureOr<size_t> place =
        readWord(getOperation(), getArgument(), "arena",
                 {"alloc", "stack", "argument", "global", "callback"}, arena);
    if (failed(place))
      return signalPassFailure();
    options.arena = static_cast<stow_arena_place>(*place);
    Engine::run(*this, options, stow_merge_alloc);
  }
};

struct PackStackPass : impl::PackStackBase<PackStackPass> {
  using PackStackBase::PackStackBase;
  friend Engine;
  void runOnModule() override {
    stow_reuse_options options = {};
    options.poison = poison;
    Engine::run(*this, options, stow_pack_stack);
  }
};

} // namespace
