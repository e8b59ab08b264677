//===- Passes.td - the passes of src/vectors ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_PASSES
#define STOWAGE_VECTORS_PASSES

include "driver/Pass.td"

def ConvertLinalgToVectors : ModulePass<"convert-linalg-to-vectors", "stow_linalg_to_vectors_options"> {
  let summary = "Turn linalg ops on memrefs into loops over register tiles";
  let description = [{
    Replaces `convert-linalg-to-loops` for fast code. The sums of a tile of points stay in
    registers while the reduction loops run; the contiguous elements of results are vectors.
    Tile sizes follow from the registers of the machine. Each element is summed up in the order
    of the plain loops, so that results are equal bit for bit. With `contract`, products may be
    fused with sums, which rounds once instead of twice, and exp, tanh and erf of 32 bits are
    polynomials within 3 units in the last place of the C library's results.

    Runs after `merge-alloc`, with or without streams. Ops on memrefs of dynamic shape or
    strides, and bodies that load or store, are left to `convert-linalg-to-loops`.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"128",
           "Bits of a vector register; 32: there are none, and a tile has single numbers",
           "into(&S::vector_bits, vectorWidth)">,
    Option<"registers", "registers", "unsigned", /*default=*/"16", "Vector registers of the machine",
           "into(&S::registers, Range{4, 256})">,
    Option<"contract", "contract", "bool", /*default=*/"false", "Fuse products with sums; polynomials for "
    "exp, tanh and erf",
           "into(&S::contract)">,
    Option<"packWeights", "pack-weights", "bool", /*default=*/"true",
           "Store constants that only such ops read in the order in which tiles read them", "intoNot(&S::keep_weights)">,
    Option<"pairs", "pairs", "bool", /*default=*/"false",
           "Multiply integers of 16 bits or fewer in pairs and add both products, as x86 does in one "
           "instruction", "into(&S::pairs)">,
    Option<"dot", "dot", "std::string", /*default=*/"\"none\"",
           "Multiply bytes in fours by instructions of the machine: vnni (x86), neon (AArch64 with dotprod), dsp "
           "(Cortex-M, with vector-bits=32)", [{into(&S::dot, Words{"none", "vnni", "neon", "dsp"})}]>
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def OutlineDistinctViews : ModulePass<"outline-distinct-views"> {
  let summary = "Tell LLVM which views of an arena share no byte";
  let description = [{
    LLVM sees one allocation where a plan has many buffers, and checks at run time whether they
    overlap, or does not vectorize. This pass moves loops and linalg ops on such buffers into
    functions. An argument of these has `llvm.noalias` if the bytes of its buffer are proven to
    be apart from those of all other buffers there, for static and computed offsets. That holds
    at all times: buffers that share bytes one after the other are never distinct. Offsets that
    may overflow prove nothing; a buffer that exists is taken to have at most 2^48 bytes. LLVM
    inlines the functions and keeps the information.

    Runs last, before `convert-linalg-to-loops`. Loops that `convert-linalg-to-vectors` made
    need no checks, and stay; so do those of functions with `passthrough` or other attributes for
    LLVM. Results are equal bit for bit.

    ```mlir
    %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
    %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
    linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    ```

    becomes

    ```mlir
    %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
    %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
    %base, %offset, %sizes, %strides = memref.extract_strided_metadata %a : memref<64xf32> -> memref<f32>, index, index, index
    %base_0, %offset_1, %sizes_2, %strides_3 = memref.extract_strided_metadata %b : memref<64xf32> -> memref<f32>, index, index, index
    call @f_loop(%base, %base_0) : (memref<f32>, memref<f32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

#endif // STOWAGE_VECTORS_PASSES
