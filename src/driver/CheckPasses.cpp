//===- CheckPasses.cpp - the passes of src/check for the pass manager -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"

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
    if (run(stow_check_arena_plan))
      markAllAnalysesPreserved();
  }
};

} // namespace
