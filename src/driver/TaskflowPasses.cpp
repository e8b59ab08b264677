//===- TaskflowPasses.cpp - the passes of src/taskflow for the pass manager ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"

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
  void runOnModule() override {
    stow_idle_subject tasks = {};
    tasks.op = "taskflow.task";
    tasks.adds = true;
    tasks.changed = "made";
    tasks.none_added =
        ": no affine.for, nor a loop that can be one, in a block of a function's body";
    run(stow_affine_to_taskflow, {}, &tasks);
  }
};

struct ConvertTaskflowToAffinePass
    : impl::ConvertTaskflowToAffineBase<ConvertTaskflowToAffinePass> {
  using ConvertTaskflowToAffineBase::ConvertTaskflowToAffineBase;
  void runOnModule() override {
    stow_idle_subject tasks = {};
    tasks.op = "taskflow.task";
    tasks.none = "nothing to convert";
    if (!tryWatched(getOperation(), getArgument(), tasks, stow_taskflow_to_affine))
      signalPassFailure();
  }
};

struct MemoryAccessStreamingFusionPass
    : impl::MemoryAccessStreamingFusionBase<MemoryAccessStreamingFusionPass> {
  using MemoryAccessStreamingFusionBase::MemoryAccessStreamingFusionBase;
  void runOnModule() override {
    stow_idle_subject tasks = {};
    tasks.op = "taskflow.task";
    tasks.none = "run convert-affine-to-taskflow first";
    tasks.changed = "fused";
    if (form == "channels") {
      tasks.op = "taskflow.channel";
      tasks.adds = true;
      tasks.changed = "made";
      tasks.none_added = ": report=text says why no buffer between two tasks can be one";
    }
    run(stow_streaming_fusion, {}, &tasks);
  }
};

} // namespace
