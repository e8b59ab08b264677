//===- TaskflowPasses.cpp - the passes of src/taskflow for the pass manager ===//
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
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "stowage/passes.h"
#include "taskflow/TaskflowDialect.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_CONVERTAFFINETOTASKFLOW
#define GEN_PASS_DEF_CONVERTTASKFLOWTOAFFINE
#define GEN_PASS_DEF_MEMORYACCESSSTREAMINGFUSION
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct ConvertAffineToTaskflowPass
    : impl::ConvertAffineToTaskflowBase<ConvertAffineToTaskflowPass> {
  using ConvertAffineToTaskflowBase::ConvertAffineToTaskflowBase;
  void runOnOperation() override {
    stow_taskflow_conversion_options options = {};
    options.struct_size = sizeof options;
    options.copies = copies;
    if (!stow_affine_to_taskflow(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

struct ConvertTaskflowToAffinePass
    : impl::ConvertTaskflowToAffineBase<ConvertTaskflowToAffinePass> {
  using ConvertTaskflowToAffineBase::ConvertTaskflowToAffineBase;
  void runOnOperation() override {
    if (!stow_taskflow_to_affine(wrap(getOperation().getOperation())))
      signalPassFailure();
  }
};

struct MemoryAccessStreamingFusionPass
    : impl::MemoryAccessStreamingFusionBase<MemoryAccessStreamingFusionPass> {
  using MemoryAccessStreamingFusionBase::MemoryAccessStreamingFusionBase;
  void runOnOperation() override {
    std::vector<const char *> files;
    for (const std::string &report : reports)
      if (report != "none")
        files.push_back(report.c_str());
    stow_fusion_options options = {};
    options.struct_size = sizeof options;
    options.max_rounds = maxRounds < 0 ? 0 : maxRounds == 0 ? -1 : maxRounds.getValue();
    options.forbid_permutation = !allowPermutation;
    options.forbid_reduction = !allowReduction;
    options.assume_noalias_arguments = assumeNoaliasArguments;
    options.allow_higher_peak = allowHigherPeak;
    options.reports = files.data();
    options.report_count = files.size();
    if (!stow_streaming_fusion(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

} // namespace

void stowage::registerTaskflowPasses() {
  mlir::registerPass([] { return std::make_unique<ConvertAffineToTaskflowPass>(); });
  mlir::registerPass([] { return std::make_unique<ConvertTaskflowToAffinePass>(); });
  mlir::registerPass([] { return std::make_unique<MemoryAccessStreamingFusionPass>(); });
}
