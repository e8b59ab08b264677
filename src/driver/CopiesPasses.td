//===- CopiesPasses.td - the passes of src/copies -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COPIES_PASSES
#define STOWAGE_COPIES_PASSES

include "mlir/Pass/PassBase.td"

def ElideCopies : Pass<"elide-copies", "::mlir::ModuleOp"> {
  let summary = "Make one buffer of two where one is a copy of the other, or of a part of it";
  let description = [{
    A buffer whose last use is a copy into another one, or into a part of it, becomes that part: what
    wrote the buffer writes the part. So does a buffer whose last use is an op that computes the other
    one from it cell by cell. Nobody may look at the part while the buffer is in use; what fills the
    other buffer before is moved up.

    A buffer that only holds moved elements (a transpose, a broadcast, a copy, a fill) is removed if
    all its readers are linalg ops whose indexing maps can read the source, and the source is not
    written in between. A plain copy that nobody else writes becomes another name of its source. A
    cast, a move or a fill of constants alone, read by other ops, becomes a constant.

    With `lend-arguments`, what is copied into an argument of the function is written there at once. An
    argument that the function overwrites before it reads it holds buffers of its element type that are
    dead by then. Both hold for arguments with `llvm.noalias`, which say that their memory is reached in
    no other way, and for all with `assume-noalias-arguments`.

    Every function is planned as `merge-alloc` would, with and without, and never needs more bytes
    than before. Runs on bufferized IR, before `stream-rows`, `merge-alloc` or `buffer-deallocation`, or
    with deallocs.

    ```mlir
    %a = memref.alloc() : memref<4x4xf32>
    linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
    %b = memref.alloc() : memref<6x6xf32>
    linalg.fill ins(%zero : f32) outs(%b : memref<6x6xf32>)
    %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
    memref.copy %a, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
    ```

    becomes

    ```mlir
    %b = memref.alloc() : memref<6x6xf32>
    %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
    linalg.fill ins(%zero : f32) outs(%b : memref<6x6xf32>)
    linalg.exp ins(%x : memref<4x4xf32>) outs(%part : memref<4x4xf32, strided<[6, 1], offset: 7>>)
    ```
  }];
  let options = [
    Option<"inPlace", "in-place", "bool", /*default=*/"true",
           "An op that computes elementwise may write over an operand that is not used afterwards">,
    Option<"maxConstantBytes", "max-constant-bytes", "::stowage::Bytes", /*default=*/"65536",
           "Bytes of a constant that is made of others by a transpose, a cast or a fill, at most; 0: none">,
    Option<"lendArguments", "lend-arguments", "bool", /*default=*/"false",
           "Put buffers into the bytes of an argument until the function overwrites it, and write an argument "
           "instead of a buffer that is copied into it; for arguments with llvm.noalias, or all with "
           "assume-noalias-arguments">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "With lend-arguments: what an argument points to shares no byte with another argument or a global">,
    Option<"stridedReads", "strided-reads", "bool", /*default=*/"false",
           "Read what is transposed where it comes from also where that jumps from one element to the next, and does "
           "not halve the arenas">,
    Option<"contiguousReads", "contiguous-reads", "bool", /*default=*/"false",
           "Leave what is transposed where a reader would jump from one element to the next, also where reading it where "
           "it comes from halves the arenas; goes before strided-reads">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def LowerStridedCopies : Pass<"lower-strided-copies", "::mlir::ModuleOp"> {
  let summary = "Make loops of copies that are no single memcpy";
  let description = [{
    `finalize-memref-to-llvm` makes a call of MLIR's runtime library, `memrefCopy`, of each `memref.copy`
    with a side whose elements are not in one piece. A program without that library, on a machine
    without malloc, cannot make this call. Here such a copy becomes a `linalg.copy`, which
    `convert-linalg-to-loops` lowers. One of contiguous memrefs stays, and becomes a memcpy. So does one
    of an unranked memref, which only the library can copy.

    ```mlir
    memref.copy %a, %column : memref<8x1xf32> to memref<8x1xf32, strided<[4, 1]>>
    memref.copy %a, %b : memref<8x1xf32> to memref<8x1xf32>
    ```

    becomes

    ```mlir
    linalg.copy ins(%a : memref<8x1xf32>) outs(%column : memref<8x1xf32, strided<[4, 1]>>)
    memref.copy %a, %b : memref<8x1xf32> to memref<8x1xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

#endif // STOWAGE_COPIES_PASSES
