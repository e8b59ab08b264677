//===- ReorderPasses.cpp - the passes of src/reorder for the pass manager -===//
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
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "stowage/passes.h"

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
    std::vector<const char *> files;
    for (const std::string &report : reports)
      if (report != "none")
        files.push_back(report.c_str());
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
