//===- PeakPasses.cpp - what lowers the peak, for the pass manager --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of src/copies, src/reorder, src/rows, src/reduce and src/vectors.
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace stowage {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_CONVERTLINALGTOVECTORS
#define GEN_PASS_DEF_ELIDECOPIES
#define GEN_PASS_DEF_LOWERSTRIDEDCOPIES
#define GEN_PASS_DEF_ORDERFORMEMORY
#define GEN_PASS_DEF_REDUCEPEAK
#define GEN_PASS_DEF_STREAMROWS
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct ElideCopiesPass : impl::ElideCopiesBase<ElideCopiesPass> {
  using ElideCopiesBase::ElideCopiesBase;
  void runOnModule() override {
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
  void runOnModule() override { stow_lower_strided_copies(wrap(getOperation().getOperation())); }
};

struct OrderForMemoryPass : impl::OrderForMemoryBase<OrderForMemoryPass> {
  using OrderForMemoryBase::OrderForMemoryBase;
  void runOnModule() override {
    std::vector<const char *> files = reportsOf(reports);
    stow_order_for_memory_options options = {};
    options.struct_size = sizeof options;
    options.effort = effort;
    options.assume_noalias_arguments = assumeNoaliasArguments;
    options.reports = files.data();
    options.report_count = files.size();
    if (!stow_order_for_memory(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }
};

struct StreamRowsPass : impl::StreamRowsBase<StreamRowsPass> {
  using StreamRowsBase::StreamRowsBase;
  void runOnModule() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    std::vector<const char *> files = reportsOf(reports);
    stow_stream_rows_options options = {};
    options.struct_size = sizeof options;
    options.rows = rows;
    options.max_moved = maxMoved == 0 ? -1 : maxMoved.getValue().value;
    options.least_saved = leastSaved == 0 ? -1 : leastSaved.getValue().value;
    options.reports = files.data();
    options.report_count = files.size();
    options.keep_apart = !overlap;
    options.assume_noalias_arguments = assumeNoaliasArguments;
    if (!stow_stream_rows(wrap(getOperation().getOperation()), &options))
      signalPassFailure();
  }

private:
  mlir::LogicalResult checkOptions() {
    if (rows > 1 << 16)
      return refuseOption(getOperation(), getArgument(), "rows", "a number from 0 to 65536",
                          std::to_string(rows));
    if (!(maxMoved >= 0))
      return refuseOption(getOperation(), getArgument(), "max-moved", "a share from 0 on",
                          std::to_string(maxMoved));
    if (!(leastSaved >= 0))
      return refuseOption(getOperation(), getArgument(), "least-saved", "a share from 0 on",
                          std::to_string(leastSaved));
    return mlir::success();
  }
};

struct ReducePeakPass : impl::ReducePeakBase<ReducePeakPass> {
  void runOnModule() override { stow_reduce_peak(wrap(getOperation().getOperation())); }
};

struct ConvertLinalgToVectorsPass : impl::ConvertLinalgToVectorsBase<ConvertLinalgToVectorsPass> {
  using ConvertLinalgToVectorsBase::ConvertLinalgToVectorsBase;
  void runOnModule() override {
    if (vectorBits < 32 || vectorBits > 4096 || !llvm::isPowerOf2_32(vectorBits)) {
      (void)refuseOption(getOperation(), getArgument(), "vector-bits",
                         "a power of two from 32 to 4096", std::to_string(vectorBits));
      return signalPassFailure();
    }
    if (registers < 4 || registers > 256) {
      (void)refuseOption(getOperation(), getArgument(), "registers", "a number from 4 to 256",
                         std::to_string(registers));
      return signalPassFailure();
    }
    const auto kind = llvm::StringSwitch<std::optional<stow_dot_kind>>(dot)
                          .Case("none", STOW_DOT_NONE)
                          .Case("vnni", STOW_DOT_VNNI)
                          .Case("neon", STOW_DOT_NEON)
                          .Case("dsp", STOW_DOT_DSP)
                          .Default(std::nullopt);
    if (!kind) {
      (void)refuseOption(getOperation(), getArgument(), "dot", "none, vnni, neon or dsp", dot);
      return signalPassFailure();
    }
    stow_linalg_to_vectors_options options = {};
    options.struct_size = sizeof options;
    options.vector_bits = vectorBits;
    options.registers = registers;
    options.contract = contract;
    options.keep_weights = !packWeights;
    options.pairs = pairs;
    options.dot = *kind;
    stow_linalg_to_vectors(wrap(getOperation().getOperation()), &options);
  }
};

} // namespace
