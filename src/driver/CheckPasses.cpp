//===- CheckPasses.cpp - the passes of src/check for the pass manager -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace stowage {
#define GEN_PASS_DECL_CHECKARENAPLAN
#define GEN_PASS_DEF_CHECKARENAPLAN
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct CheckArenaPlanPass : impl::CheckArenaPlanBase<CheckArenaPlanPass> {
  using CheckArenaPlanBase::CheckArenaPlanBase;
  void runOnModule() override {
    stow_check_options options = {};
    mlir::FailureOr<size_t> ignore = readWord(getOperation(), getArgument(), "dynamic-offsets",
                                              {"overlap", "ignore"}, dynamicOffsets);
    if (failed(ignore))
      return signalPassFailure();
    options.dynamic_offsets = *ignore ? STOW_DYNAMIC_OFFSETS_IGNORE : STOW_DYNAMIC_OFFSETS_OVERLAP;
    options.leaks = leaks;
    options.max_effort = maxEffort;
    options.samples = samples;
    if (!stow_check_arena_plan(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
    else
      markAllAnalysesPreserved();
  }
};

} // namespace
