//===- CopiesPasses.cpp - the passes of src/copies for the pass manager ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace stowage {
#define GEN_PASS_DECL_ELIDECOPIES
#define GEN_PASS_DEF_ELIDECOPIES
#define GEN_PASS_DEF_LOWERSTRIDEDCOPIES
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct ElideCopiesPass : impl::ElideCopiesBase<ElideCopiesPass> {
  using ElideCopiesBase::ElideCopiesBase;
  void runOnOperation() override {
    stow_elide_copies_options options = {};
    options.struct_size = sizeof options;
    options.keep_operands = !inPlace;
    options.max_constant_bytes = maxConstantBytes;
    options.lend_arguments = lendArguments;
    options.assume_noalias_arguments = assumeNoaliasArguments;
    options.strided_reads = stridedReads;
    options.contiguous_reads = contiguousReads;
    stow_elide_copies(wrap(getOperation().getOperation()), &options);
  }
};

struct LowerStridedCopiesPass : impl::LowerStridedCopiesBase<LowerStridedCopiesPass> {
  void runOnOperation() override { stow_lower_strided_copies(wrap(getOperation().getOperation())); }
};

} // namespace
