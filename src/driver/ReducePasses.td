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
  let summary = "Run those passes that make arenas smaller which do so together";
  let description = [{
    `elide-copies`, `order-for-memory` and `stream-rows` each promise that no arena becomes larger. One
    may still be in the way of the next. This pass tries them on copies of the module, in this order,
    with and without each, and runs those after which the arenas that `merge-alloc` would make have
    the fewest bytes; of equal ones the fewest passes. A remark names them.

    Runs on bufferized IR, before `merge-alloc` or `buffer-deallocation`, or with deallocs. It takes the
    time of seven runs of these passes, and as much again for those that are kept.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // STOWAGE_REDUCE_PASSES
