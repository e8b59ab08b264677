//===- Passes.td - the pass of src/reduce ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REDUCE_PASSES
#define STOWAGE_REDUCE_PASSES

include "driver/Pass.td"

def ReducePeak : ModulePass<"reduce-peak", "stow_reduce_peak_options"> {
  let summary = "Run the combination of memory passes that makes the arenas smallest";
  let description = [{
    `elide-copies`, `order-for-memory` and `stream-rows` each guarantee that no arena becomes
    larger, but one may prevent what the next would gain. This pass tries them on copies of the
    module, in this order, with and without each, and runs the combination after which the
    arenas that `merge-alloc` would make have the fewest bytes; on a tie, the one with the
    fewest passes. A remark names them.

    Runs on bufferized IR, before `merge-alloc` or `buffer-deallocation`, or with deallocs. It takes the
    time of seven runs of a pass, and one more of each pass that is kept; fewer with `steps`.
  }];
  let options = [
    ListOption<"steps", "steps", "std::string",
               "Passes that may be run: elide-copies, order-for-memory, stream-rows; none given: all",
               "intoList(&S::steps, &S::step_count)">,
    Option<"contiguousReads", "contiguous-reads", "bool", /*default=*/"false",
           "As in elide-copies: no reader of a transpose jumps from one element to the next",
           "into(&S::contiguous_reads)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // STOWAGE_REDUCE_PASSES
