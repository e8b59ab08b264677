//===- PeakPasses.td - passes that lower the peak -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of src/copies, src/fit, src/reorder, src/rows, src/reduce and src/vectors.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PEAK_PASSES
#define STOWAGE_PEAK_PASSES

include "Pass.td"

def ElideCopies : ModulePass<"elide-copies", "stow_elide_copies_options"> {
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

    What an iteration of a loop allocates for the next one is made in the memory of the one before, or
    in a spare buffer that the loop carries.

    With `lend-arguments`, what is copied into an argument of the function is written there at once. An
    argument that the function overwrites before it reads it holds buffers of its element type that are
    dead by then. Both hold for arguments with `llvm.noalias`, which say that their memory is reached in
    no other way, and for all with `assume-noalias-arguments`. A copy of an argument is read where it comes
    from although others are written meanwhile, if these promises or `memref.distinct_objects` say that they
    share no byte with it.

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
           "An op that computes elementwise may write over an operand that is not used afterwards",
           "intoNot(&S::keep_operands)">,
    Option<"maxConstantBytes", "max-constant-bytes", "::stowage::Bytes", /*default=*/"65536",
           "Bytes of a constant that is made of others by a transpose, a cast or a fill, at most; 0: none",
           "into(&S::max_constant_bytes)">,
    Option<"lendArguments", "lend-arguments", "bool", /*default=*/"false",
           "Put buffers into the bytes of an argument until the function overwrites it, and write an argument "
           "instead of a buffer that is copied into it; for arguments with llvm.noalias, or all with "
           "assume-noalias-arguments", "into(&S::lend_arguments)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">,
    Option<"stridedReads", "strided-reads", "bool", /*default=*/"false",
           "Read what is transposed where it comes from also where that jumps from one element to the next, and does "
           "not halve the arenas", "into(&S::strided_reads)">,
    Option<"contiguousReads", "contiguous-reads", "bool", /*default=*/"false",
           "Leave what is transposed where a reader would jump from one element to the next, also where reading it where "
           "it comes from halves the arenas; goes before strided-reads", "into(&S::contiguous_reads)">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def LowerStridedCopies : ModulePass<"lower-strided-copies"> {
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

def OrderForMemory : ModulePass<"order-for-memory", "stow_order_for_memory_options"> {
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
           "Steps that may be taken for a block, and eight times as many for all of a module; more "
           "may find a better order, or prove that there is none", "into(&S::effort)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">,
    ListOption<"reports", "report", "std::string",
               "Reports to write: text (to standard error), text:FILE, json:FILE, none", "intoReports()">
  ];
}

def StreamRows : ModulePass<"stream-rows", "stow_stream_rows_options"> {
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
    Option<"maxMoved", "max-moved", "::stowage::Ratio", /*default=*/"0.2",
           "Limit on the bytes moved within windows, as a share of the bytes that the ops of the "
           "stream touch", "into(&S::max_moved, shareOf)">,
    Option<"leastSaved", "least-saved", "::stowage::Ratio", /*default=*/"0.02",
           "Stream a function only if its arenas shrink by at least this share; 0: any share",
           "into(&S::least_saved, shareOf)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "No argument overlaps another or a global, as if each had llvm.noalias",
           "into(&S::assume_noalias_arguments)">,
    Option<"overlap", "overlap", "bool", /*default=*/"true",
           "Rows may reuse the bytes of dead rows of other buffers, in one allocation", "intoNot(&S::keep_apart)">,
    ListOption<"reports", "report", "std::string",
               "Reports to write: text (to standard error), text:FILE, json:FILE, html:FILE (the "
               "memory map with a picture of each stream), none", "intoReports()">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ReducePeak : ModulePass<"reduce-peak"> {
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

def FitMemory : ModulePass<"fit-memory", "stow_fit_memory_options"> {
  let summary = "Make each function fit into so many bytes, as fast as it then can be";
  let description = [{
    Where the arenas that `merge-alloc` would make of a function have more than `capacity-in-bytes`,
    `reduce-peak` runs first. If the function still does not fit, ops run again: a buffer that waits
    while others need its bytes is computed anew just before it is read. With `spill-space` it may also
    be copied to a second memory and back.

    With `memories`, a list of the machine's memories, each buffer gets one, which is its memory space
    then: the fastest for what is touched most per byte, the next for what has no room there.
    docs/fit-memory.md says what is in the file, and `lower-memory-spaces` makes numbers of the names.

    Which buffers go is the cheapest choice that fits, by a model of the time: one per operation on an
    element, one per byte of an operand, and `spill-cost` per byte that is copied to the second memory
    or from it. A remark says how much time that adds, and how much it adds at least. Linalg ops and
    copies of static sizes run again, where what they read is still what it was; so every bit stays.

    Nothing is touched where all functions fit. A function that cannot fit is an error at the op that
    is in the way. A report has what fewer bytes cost, from what a function needs to the least possible. Runs on
    bufferized IR, before `merge-alloc` or `buffer-deallocation`, or with deallocs.

    ```mlir
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.matvec ins(%m, %b : memref<64x64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
    linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    ```

    becomes

    ```mlir
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.matvec ins(%m, %b : memref<64x64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
    linalg.exp ins(%x : memref<64xf32>) outs(%again : memref<64xf32>)
    linalg.add ins(%again, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    ```

    with `capacity-in-bytes=512` and a `memref.alloc` for `%again`.
  }];
  let options = [
    Option<"capacityInBytes", "capacity-in-bytes", "::stowage::Bytes", /*default=*/"0",
           "Bytes that the arenas of a function may have; 0: memories are given", "into(&S::capacity)">,
    Option<"memories", "memories", "std::string", /*default=*/"",
           "File of the memories to place buffers in; empty and no capacity: the module's attribute stowage.memories",
           "into(&S::memories)">,
    Option<"spillSpace", "spill-space", "std::string", /*default=*/"",
           "Memory space to spill buffers to, as MLIR prints it (1, #gpu.address_space<global>); empty: none are",
           "into(&S::spill_space)">,
    Option<"spillCost", "spill-cost", "::stowage::Count", /*default=*/"4",
           "Cost of a byte that is copied to that space or from it, where an operation on an element costs 1",
           "into(&S::spill_cost, Range{1, 65536})">,
    Option<"reducePeak", "reduce-peak", "bool", /*default=*/"true", "Run reduce-peak first",
           "intoNot(&S::keep_peak)">,
    Option<"effort", "effort", "::stowage::Count", /*default=*/"100000000",
           "Steps that a search may take; more may find a cheaper choice, or prove that there is none",
           "into(&S::effort)">,
    ListOption<"reports", "report", "std::string",
               "Reports to write: text (to standard error), text:FILE, json:FILE, html:FILE, none", "intoReports()">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMemorySpaces : ModulePass<"lower-memory-spaces"> {
  let summary = "Make LLVM's address spaces of the memories that buffers are placed in";
  let description = [{
    `fit-memory` gives a buffer that it places in a memory the name of that memory as its memory space,
    by which arenas are told apart. LLVM knows numbers: the attribute `stowage.memories` of the module
    has one for each, 0 if it does not say. Memories of one number are the same to LLVM; their arenas
    are still different arguments. Runs behind `merge-alloc` and `buffer-deallocation`, before
    `finalize-memref-to-llvm`. Other memory spaces stay.

    ```mlir
    module attributes {stowage.memories = [{name = "sram", bytes = 4096, space = 3}, {name = "dram", bytes = 65536} ]} {
      func.func private @net(memref<1024xi8>, memref<512xi8, "sram">)
    }
    ```

    becomes

    ```mlir
    module {
      func.func private @net(memref<1024xi8>, memref<512xi8, 3>)
    }
    ```
  }];
}

def ConvertLinalgToVectors : ModulePass<"convert-linalg-to-vectors", "stow_linalg_to_vectors_options"> {
  let summary = "Make loops over register tiles of linalg ops on memrefs";
  let description = [{
    Takes the place of `convert-linalg-to-loops` where the code is to be fast: the sums of a tile of
    points stay in registers while the loops that add up run, along the contiguous elements of the
    results as vectors. The sizes of tiles follow from the registers of the machine. Each element is
    summed up in the order of the plain loops, so that the bits are theirs; with `contract` products may
    be fused with sums, which rounds once instead of twice, and exp, tanh and erf of 32 bits are polynomials
    within 3 units in the last place of the C library's results.

    Runs behind `merge-alloc`, with streams or without. Ops on memrefs of dynamic shape or strides, and
    bodies that load or store, stay for `convert-linalg-to-loops`.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"128",
           "Bits of a vector register; 32: there are none, and a tile has single numbers",
           "into(&S::vector_bits, vectorWidth)">,
    Option<"registers", "registers", "unsigned", /*default=*/"16", "Vector registers of the machine",
           "into(&S::registers, Range{4, 256})">,
    Option<"contract", "contract", "bool", /*default=*/"false", "Fuse products with sums; polynomials for exp, tanh and erf",
           "into(&S::contract)">,
    Option<"packWeights", "pack-weights", "bool", /*default=*/"true",
           "Give constants that only such ops read the order in which tiles do", "intoNot(&S::keep_weights)">,
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

#endif // STOWAGE_PEAK_PASSES
