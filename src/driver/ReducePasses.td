//===- ReducePasses.td - the passes of src/reduce -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REDUCE_PASSES
#define STOWAGE_REDUCE_PASSES

include "mlir/Pass/PassBase.td"

def ReducePeak : Pass<"reduce-peak", "::mlir::ModuleOp"> {
  let summary = "Run the combination of memory passes that makes the arenas smallest";
  let description = [{
    `elide-copies`, `order-for-memory` and `stream-rows` each promise that no arena becomes larger. One
    may still prevent what the next would gain. This pass tries them on copies of the module, in this
    order, with and without each, and runs the combination after which the arenas that `merge-alloc`
    would make have the fewest bytes; if several have as few, the one of the fewest passes. A remark
    names them.

    Runs on bufferized IR, before `merge-alloc` or `buffer-deallocation`, or with deallocs. It takes the
    time of seven runs of a pass, and one more of each pass that is kept.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // STOWAGE_REDUCE_PASSES
