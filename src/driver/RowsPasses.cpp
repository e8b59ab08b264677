//===- RowsPasses.cpp - the passes of src/rows for the pass manager -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace stowage {
#define GEN_PASS_DECL_STREAMROWS
#define GEN_PASS_DEF_STREAMROWS
#include "driver/Passes.h.inc"
} // namespace stowage

using namespace stowage;

namespace {

struct StreamRowsPass : impl::StreamRowsBase<StreamRowsPass> {
  using StreamRowsBase::StreamRowsBase;
  void runOnOperation() override {
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

} // namespace
