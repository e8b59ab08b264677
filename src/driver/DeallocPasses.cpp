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
#include "mlir/Pass/PassRegistry.h"
#include "stowage/passes.h"

namespace stowage {
#define GEN_PASS_DECL_BUFFERDEALLOCATION
#define GEN_PASS_DEF_BUFFERDEALLOCATION
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct BufferDeallocationPass : impl::BufferDeallocationBase<BufferDeallocationPass> {
  using BufferDeallocationBase::BufferDeallocationBase;
  void runOnOperation() override {
    if (unknownOps != "escape" && unknownOps != "use") {
      getOperation().emitError() << "buffer-deallocation: unknown-ops must be escape or use, not '"
                                 << unknownOps << "'";
      return signalPassFailure();
    }
    if (prefer != "bits" && prefer != "clones") {
      getOperation().emitError() << "buffer-deallocation: prefer must be bits or clones, not '"
                                 << prefer << "'";
      return signalPassFailure();
    }
    stow_deallocation_options options = {};
    options.struct_size = sizeof options;
    options.unknown_ops_escape = unknownOps == "escape";
    options.clone_first = prefer == "clones";
    if (!stow_buffer_deallocation(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

} // namespace

void stowage::registerDeallocPasses() {
  mlir::registerPass([] { return std::make_unique<BufferDeallocationPass>(); });
}
