//===- ArenaPasses.cpp - the passes of src/arena for the pass manager -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_BUFFERREUSE
#define GEN_PASS_DEF_MERGEALLOC
#define GEN_PASS_DEF_PACKSTACK
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct BufferReusePass : impl::BufferReuseBase<BufferReusePass> {
  using BufferReuseBase::BufferReuseBase;
  void runOnModule() override {
    if (analysis) {
      analyse();
    } else if (annotate) {
      (void)refuse("annotate", "false without analysis", "true");
      signalPassFailure();
    } else {
      run(stow_buffer_reuse);
    }
  }

private:
  void analyse() {
    static const char *const text[] = {"text"};
    stow_reuse_options options = {};
    options.reports = text; // where the pass is not told any
    options.report_count = 1;
    if (run(stow_buffer_reuse_analysis, options) && !annotate)
      markAllAnalysesPreserved();
  }
};

struct MergeAllocPass : impl::MergeAllocBase<MergeAllocPass> {
  using MergeAllocBase::MergeAllocBase;
  void runOnModule() override {
    stow_reuse_options options = {};
    options.callback = callback.hasValue() ? callback.c_str() : nullptr;
    run(stow_merge_alloc, options);
  }
};

struct PackStackPass : impl::PackStackBase<PackStackPass> {
  using PackStackBase::PackStackBase;
  void runOnModule() override { run(stow_pack_stack); }
};

} // namespace
