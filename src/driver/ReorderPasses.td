//===- ReorderPasses.td - the passes of src/reorder -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REORDER_PASSES
#define STOWAGE_REORDER_PASSES

include "mlir/Pass/PassBase.td"

def OrderForMemory : Pass<"order-for-memory", "::mlir::ModuleOp"> {
  let summary = "Put the ops of each block into the order that needs the fewest bytes at once";
  let description = [{
    Ops of a block may run in any order that keeps what depends on each other, and where a network
    has branches the bytes alive at the worst moment depend on it. The pass finds the order with the
    fewest, with a proof where its effort is enough. An op with regions is one op for the block
    around it, and its own blocks are ordered first.

    Calls, ops whose effects are not known or are tied to no buffer, and asynchronous or atomic ops
    keep their places: no op passes them. Allocations stand before their first user, deallocs of
    planned buffers behind their last.

    Every function is planned as `merge-alloc` would, before and after, and stays as it is unless
    its arenas become smaller. Runs on bufferized IR, before `stream-rows`, `merge-alloc` or
    `buffer-deallocation`, or with deallocs.

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%s : memref<f32>) dimensions = [0]
    linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%t : memref<f32>) dimensions = [0]
    ```

    becomes

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%s : memref<f32>) dimensions = [0]
    %b = memref.alloc() : memref<64xf32>
    linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%t : memref<f32>) dimensions = [0]
    ```
  }];
  let options = [
    Option<"effort", "effort", "::stowage::Count", /*default=*/"100000000",
           "Steps that may be taken for each block; more may find a better order, or prove that "
           "there is none">,
    ListOption<"reports", "report", "std::string",
               "Reports to write: text (to standard error), text:FILE, json:FILE, none">
  ];
}

#endif // STOWAGE_REORDER_PASSES
