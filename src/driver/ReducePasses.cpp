//===- ReducePasses.cpp - the passes of src/reduce for the pass manager ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace stowage {
#define GEN_PASS_DECL_REDUCEPEAK
#define GEN_PASS_DEF_REDUCEPEAK
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct ReducePeakPass : impl::ReducePeakBase<ReducePeakPass> {
  void runOnOperation() override { stow_reduce_peak(wrap(getOperation().getOperation())); }
};

} // namespace
