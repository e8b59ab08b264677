//===- PeakPasses.cpp - what lowers the peak, for the pass manager --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of src/copies, src/fit, src/reorder, src/rows, src/reduce and src/vectors.
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_CONVERTLINALGTOVECTORS
#define GEN_PASS_DEF_ELIDECOPIES
#define GEN_PASS_DEF_FITMEMORY
#define GEN_PASS_DEF_LOWERMEMORYSPACES
#define GEN_PASS_DEF_LOWERSTRIDEDCOPIES
#define GEN_PASS_DEF_ORDERFORMEMORY
#define GEN_PASS_DEF_OUTLINEDISTINCTVIEWS
#define GEN_PASS_DEF_REDUCEPEAK
#define GEN_PASS_DEF_STREAMROWS
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct ElideCopiesPass : impl::ElideCopiesBase<ElideCopiesPass> {
  using ElideCopiesBase::ElideCopiesBase;
  void runOnModule() override { run(stow_elide_copies); }
};

struct LowerStridedCopiesPass : impl::LowerStridedCopiesBase<LowerStridedCopiesPass> {
  void runOnModule() override { stow_lower_strided_copies(wrap(getOperation().getOperation())); }
};

struct LowerMemorySpacesPass : impl::LowerMemorySpacesBase<LowerMemorySpacesPass> {
  void runOnModule() override {
    if (!stow_lower_memory_spaces(wrap(getOperation().getOperation())))
      signalPassFailure();
  }
};

struct OrderForMemoryPass : impl::OrderForMemoryBase<OrderForMemoryPass> {
  using OrderForMemoryBase::OrderForMemoryBase;
  void runOnModule() override { run(stow_order_for_memory); }
};

struct StreamRowsPass : impl::StreamRowsBase<StreamRowsPass> {
  using StreamRowsBase::StreamRowsBase;
  void runOnModule() override { run(stow_stream_rows); }
};

struct ReducePeakPass : impl::ReducePeakBase<ReducePeakPass> {
  using ReducePeakBase::ReducePeakBase;
  void runOnModule() override { run(stow_reduce_peak); }
};

struct FitMemoryPass : impl::FitMemoryBase<FitMemoryPass> {
  using FitMemoryBase::FitMemoryBase;
  void runOnModule() override { run(stow_fit_memory); }
};

struct ConvertLinalgToVectorsPass : impl::ConvertLinalgToVectorsBase<ConvertLinalgToVectorsPass> {
  using ConvertLinalgToVectorsBase::ConvertLinalgToVectorsBase;
  void runOnModule() override { run(stow_linalg_to_vectors); }
};

struct OutlineDistinctViewsPass : impl::OutlineDistinctViewsBase<OutlineDistinctViewsPass> {
  void runOnModule() override { stow_outline_distinct_views(wrap(getOperation().getOperation())); }
};

} // namespace
