//===- Passes.td - the pass of src/reorder --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REORDER_PASSES
#define STOWAGE_REORDER_PASSES

include "driver/Pass.td"

def OrderForMemory : ModulePass<"order-for-memory", "stow_order_for_memory_options"> {
  let summary = "Put the ops of each block into the order that needs the fewest bytes at once";
  let description = [{
    The ops of a block may run in any order that respects their dependences, and if a network
    has branches, the bytes live at the peak depend on the order. The pass searches for the
    order with the fewest bytes, with a proof if its effort is enough. An op with regions is one
    op for the block around it, and its own blocks are ordered first.

    No op moves past a call, an op whose effects are unknown or not on a buffer, or an
    asynchronous or atomic op. Allocations are placed before their first user, deallocs of
    planned buffers after their last.

    Every function is planned as by `merge-alloc`, before and after, and is changed only if its
    arenas become smaller. Runs on bufferized IR, before `stream-rows`, `merge-alloc` or
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
    Option<"effort", "effort", "::stowage::Count", /*default=*/"STOW_ORDER_EFFORT",
           "Steps that may be taken for a block, and eight times as many for all of a module; more "
           "may find a better order, or prove that there is none", "into(&S::effort)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">,
    ReportOption<"order-for-memory">
  ];
}

#endif // STOWAGE_REORDER_PASSES
