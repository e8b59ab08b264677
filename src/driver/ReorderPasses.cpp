//===- ReorderPasses.cpp - the passes of src/reorder for the pass manager -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

namespace stowage {
#define GEN_PASS_DECL_ORDERFORMEMORY
#define GEN_PASS_DEF_ORDERFORMEMORY
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct OrderForMemoryPass : impl::OrderForMemoryBase<OrderForMemoryPass> {
  using OrderForMemoryBase::OrderForMemoryBase;
  void runOnOperation() override {
    std::vector<const char *> files = reportsOf(reports);
    stow_order_for_memory_options options = {};
    options.struct_size = sizeof options;
    options.effort = effort;
    options.reports = files.data();
    options.report_count = files.size();
    if (!stow_order_for_memory(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

} // namespace
