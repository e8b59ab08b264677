//===- RowsPasses.td - the passes of src/rows -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_PASSES
#define STOWAGE_ROWS_PASSES

include "mlir/Pass/PassBase.td"

def StreamRows : Pass<"stream-rows", "::mlir::ModuleOp"> {
  let summary = "Execute a network row by row, so that buffers keep a few rows";
  let description = [{
    Linalg ops and copies of a block that pass values through local buffers run together, some rows at a
    time: in each step of a loop every op computes the rows for which its input is there. A buffer
    between them keeps only the rows that are still to be read. Nothing is computed twice, every
    reduction keeps its order, and shapes stay static.

    Which ops form a stream is chosen so that the bytes alive at the worst moment are fewest. Where
    nothing is gained nothing is touched. Runs on bufferized IR, before `merge-alloc` or
    `buffer-deallocation`, or with deallocs.

    ```mlir
    %a = memref.alloc() : memref<64x16xf32>
    linalg.exp ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>)
    linalg.abs ins(%a : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
    ```

    becomes

    ```mlir
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    scf.for %step = %c0 to %c64 step %c1 {
      %x_row = memref.subview %x[%step, 0] [1, 16] [1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      %row = memref.alloc() : memref<1x16xf32>
      linalg.exp ins(%x_row : memref<1x16xf32, strided<[16, 1], offset: ?>>) outs(%row : memref<1x16xf32>)
      %y_row = memref.subview %y[%step, 0] [1, 16] [1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      linalg.abs ins(%row : memref<1x16xf32>) outs(%y_row : memref<1x16xf32, strided<[16, 1], offset: ?>>)
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "::stowage::Count", /*default=*/"0",
           "Rows that an op of a stream makes each time that it runs; 0: as many up to 8 as cost no "
           "byte, or an eighth of the peak at most where that saves very much traffic, or 4 "
           "in a quarter of the peak before where rows would share weights, up to 64 where "
           "the ops read more than a MiB again each time or the rows of a step are few bytes">,
    Option<"maxMoved", "max-moved", "::stowage::Ratio", /*default=*/"0.2",
           "Bytes moved to keep the rows of a buffer together, as a share of the bytes that the "
           "ops of the stream touch">,
    Option<"leastSaved", "least-saved", "::stowage::Ratio", /*default=*/"0.02",
           "Streams of a function stay if they save such a share of its arenas; 0: any">,
    Option<"overlap", "overlap", "bool", /*default=*/"true",
           "Rows of a buffer may lie over dead rows of another, in one allocation">,
    ListOption<"reports", "report", "std::string",
               "Reports to write: text (to standard error), text:FILE, json:FILE, html:FILE (the "
               "memory map with a picture of each stream), none">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // STOWAGE_ROWS_PASSES
