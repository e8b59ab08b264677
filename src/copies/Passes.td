//===- Passes.td - the passes of src/copies -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_COPIES_PASSES
#define STOWAGE_COPIES_PASSES

include "driver/Pass.td"

def ElideCopies : ModulePass<"elide-copies", "stow_elide_copies_options"> {
  let summary = "Make one buffer of two where one is a copy of the other, or of a part of it";
  let description = [{
    A buffer whose last use is a copy into another buffer, or into a part of it, becomes that
    part: its writers write the part. So does a buffer whose last use is an op that computes the
    other buffer from it elementwise. No op may access the part while the buffer is in use; ops
    that fill the other buffer before are moved up.

    A buffer that only holds moved elements (a transpose, a broadcast, a copy, a fill) is
    removed if all its readers are linalg ops whose indexing maps can read the source, and the
    source is not written in between. The target of a plain copy that is not written otherwise
    is replaced by its source. A cast, a move or a fill of constants alone, read by other ops,
    becomes a constant.

    A buffer that an iteration of a loop allocates for the next one is written into the memory
    of the previous one, or into a spare buffer that the loop carries.

    With `lend-arguments`, a buffer that is copied into an argument of the function is written
    there directly, and an argument that the function overwrites before reading it holds buffers
    of its element type that are dead by then. Both apply to arguments with `llvm.noalias`,
    which states that their memory is reached in no other way, and to all arguments with
    `assume-noalias-arguments`. A copy of an argument is replaced by the argument although
    others are written meanwhile, if one of these, or `memref.distinct_objects`, states that
    they share no byte with it.

    Every function is planned as by `merge-alloc`, with and without the rewrite, and never needs
    more bytes than before, except for updates in place of loops. Runs on bufferized IR, before
    `stream-rows`, `merge-alloc` or `buffer-deallocation`, or with deallocs.

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
           "An op that computes elementwise may write over an operand that is not used afterwards",
           "intoNot(&S::keep_operands)">,
    Option<"maxConstantBytes", "max-constant-bytes", "::stowage::Bytes", /*default=*/"STOW_DEFAULT_CONSTANT_BYTES",
           "The largest constant, in bytes, that is made from others by a transpose, a cast or a fill; 0: none",
           "into(&S::max_constant_bytes)">,
    Option<"lendArguments", "lend-arguments", "bool", /*default=*/"false",
           "Put buffers into the bytes of an argument until the function overwrites it, and write an argument "
           "instead of a buffer that is copied into it; for arguments with llvm.noalias, or all with "
           "assume-noalias-arguments", "into(&S::lend_arguments)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">,
    Option<"stridedReads", "strided-reads", "bool", /*default=*/"false",
           "Read the source of a transpose directly even if the reader then jumps from one element to the "
           "next and the arenas are not halved", "into(&S::strided_reads)">,
    Option<"contiguousReads", "contiguous-reads", "bool", /*default=*/"false",
           "Never read the source of a transpose directly if the reader then jumps from one element to the "
           "next, even if that halves the arenas; overrides strided-reads", "into(&S::contiguous_reads)">,
    Option<"allocationFreeLoops", "allocation-free-loops", "bool", /*default=*/"false",
           "Update what loops carry in place even if the heap needs more bytes then, so that no iteration allocates; "
           "as reduce-peak does", "into(&S::allocation_free_loops)">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def LowerStridedCopies : ModulePass<"lower-strided-copies"> {
  let summary = "Turn copies that are not a single memcpy into loops";
  let description = [{
    `finalize-memref-to-llvm` lowers each `memref.copy` whose source or target is not contiguous
    to a call of `memrefCopy` of MLIR's runtime library, which a machine without malloc does not
    have. This pass turns such a copy into a `linalg.copy`, which `convert-linalg-to-loops`
    lowers. A copy of contiguous memrefs stays, and becomes a memcpy. So does a copy of an
    unranked memref, which only the library can do.

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
