//===- Passes.td - the pass of src/rows -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_PASSES
#define STOWAGE_ROWS_PASSES

include "driver/Pass.td"

def StreamRows : ModulePass<"stream-rows", "stow_stream_rows_options"> {
  let summary = "Execute a network row by row, so that buffers keep a few rows";
  let description = [{
    Linalg ops and copies of a block that pass values through local buffers run together, some
    rows at a time: in each step of a loop every op computes the rows for which its input is
    available. A buffer between them keeps only the rows that will still be read. Nothing is
    computed twice, every reduction keeps its order, and shapes stay static.

    Streams are chosen so that the bytes live at the peak are fewest. A function that gains
    nothing is not changed. Runs on bufferized IR, before `merge-alloc` or
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
      %row = memref.alloc() {stowage.rows = 4096 : i64} : memref<1x16xf32>
      linalg.exp ins(%x_row : memref<1x16xf32, strided<[16, 1], offset: ?>>) outs(%row : memref<1x16xf32>)
      %y_row = memref.subview %y[%step, 0] [1, 16] [1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
      linalg.abs ins(%row : memref<1x16xf32>) outs(%y_row : memref<1x16xf32, strided<[16, 1], offset: ?>>)
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "::stowage::Count", /*default=*/"0",
           "Rows per step; 0: chosen per stream, see docs/stream-rows.md", "into(&S::rows, Range{0, 65536})">,
    Option<"maxMoved", "max-moved", "::stowage::Ratio", /*default=*/"STOW_DEFAULT_MAX_MOVED",
           "Limit on the bytes moved within windows, as a share of the bytes that the ops of the "
           "stream touch", "into(&S::max_moved, shareOf)">,
    Option<"leastSaved", "least-saved", "::stowage::Ratio", /*default=*/"STOW_DEFAULT_LEAST_SAVED",
           "Stream a function only if its arenas shrink by at least this share; 0: any share",
           "into(&S::least_saved, shareOf)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">,
    Option<"overlap", "overlap", "bool", /*default=*/"true",
           "Rows may reuse the bytes of dead rows of other buffers, in one allocation", "intoNot(&S::keep_apart)">,
    ReportOption<"stream-rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // STOWAGE_ROWS_PASSES
