//===- LifetimePasses.cpp - the passes of src/lifetime for the pass manager ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Dialects.h"
#include "driver/Passes.h"
#include "driver/Pipeline.h"

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_CONVERTLIFETIMETOLLVM
#define GEN_PASS_DEF_INSERTLIFETIMES
#define GEN_PASS_DEF_VERIFYLIFETIMES
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct ConvertLifetimeToLLVMPass : impl::ConvertLifetimeToLLVMBase<ConvertLifetimeToLLVMPass> {
  using ConvertLifetimeToLLVMBase::ConvertLifetimeToLLVMBase;
  void runOnModule() override {
    const MlirOperation module = wrap(getOperation().getOperation());
    if (prepare) {
      stow_expand_lifetimes(module, poison);
    } else if (poison) {
      (void)refuse("poison", "false without prepare", "true");
      signalPassFailure();
    } else if (!stow_convert_lifetimes_to_llvm(module)) {
      signalPassFailure();
    }
  }
};

struct InsertLifetimesPass : impl::InsertLifetimesBase<InsertLifetimesPass> {
  using InsertLifetimesBase::InsertLifetimesBase;
  void runOnModule() override {
    stow_idle_subject starts = {};
    starts.op = "lifetime.start";
    starts.adds = starts.for_allocs = true;
    starts.changed = "added";
    starts.none_added = ": missed remarks say why";
    run(stow_insert_lifetimes, {}, &starts);
  }
};

struct VerifyLifetimesPass : impl::VerifyLifetimesBase<VerifyLifetimesPass> {
  using VerifyLifetimesBase::VerifyLifetimesBase;
  void runOnModule() override {
    if (!stow_verify_lifetimes(wrap(getOperation().getOperation())))
      signalPassFailure();
    else
      markAllAnalysesPreserved();
  }
};

struct LoweringOptions : mlir::PassPipelineOptions<LoweringOptions> {
  Option<bool> poison{*this, "poison", llvm::cl::init(false),
                      llvm::cl::desc("As in convert-lifetime-to-llvm")};
  Option<bool> genericFunctions{*this, "use-generic-functions", llvm::cl::init(false),
                                llvm::cl::desc("As in finalize-memref-to-llvm")};
  Option<bool> alignedAlloc{*this, "use-aligned-alloc", llvm::cl::init(false),
                            llvm::cl::desc("As in finalize-memref-to-llvm")};
};

mlir::FailureOr<std::string> lowering(const LoweringOptions &options, ErrorHandler) {
  auto flag = [](bool value) { return value ? "=1" : "=0"; };
  return std::string("convert-lifetime-to-llvm{prepare poison") + flag(options.poison) +
         "},convert-bufferization-to-memref,func.func(scf-forall-to-for),"
         "convert-linalg-to-loops,lower-affine,func.func(convert-vector-to-scf{full-unroll=1}),"
         "expand-realloc,memref-expand,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
         "arith-expand,convert-vector-to-llvm,convert-complex-to-standard,convert-math-to-llvm,"
         "convert-math-to-libm,convert-complex-to-llvm,convert-index-to-llvm,"
         "finalize-memref-to-llvm{use-generic-functions" +
         flag(options.genericFunctions) + " use-aligned-alloc" + flag(options.alignedAlloc) +
         "},convert-lifetime-to-llvm,convert-arith-to-llvm,convert-ub-to-llvm,"
         "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts";
}

} // namespace

void stowage::registerLifetimePipeline() {
  registerTextPipeline("lower-lifetimes-to-llvm",
                       "Lower memref-level IR with lifetime markers to the LLVM dialect", lowering);
}
