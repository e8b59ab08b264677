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
    Option<"maxConstantBytes", "max-constant-bytes", "::stowage::Bytes", /*default=*/"65536",
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

def FitMemory : ModulePass<"fit-memory", "stow_fit_memory_options"> {
  let summary = "Make each function fit into a given number of bytes, at the least cost in time";
  let description = [{
    If the arenas that `merge-alloc` would make of a function have more than
    `capacity-in-bytes`, `reduce-peak` runs first. If the function still does not fit, ops run
    again: a buffer that is unused while others need its bytes is computed again just before it
    is read. With `spill-space` it may also be copied to a second memory and back.

    With `memories`, a list of the machine's memories, each buffer is placed in one of them,
    which becomes its memory space: the fastest for the buffers with the most accesses per byte,
    the next for those that have no room there. If the list says in which memory constants
    are, those that are read often are copied to the fastest. docs/fit-memory.md describes the
    file; `lower-memory-spaces` replaces the names by numbers.

    The pass takes the cheapest choice that fits, by a model of the time: one per operation on
    an element, one per byte of an operand, and `spill-cost` per byte that is copied to the
    second memory or from it. A remark has the added time and a lower bound of it. Linalg ops
    and copies of static sizes run again if what they read has not changed, so results are equal
    bit for bit.

    If all functions fit, nothing is changed. A function that cannot fit is an error at the op
    that needs too much. The report has the time against the bytes, from what a function needs
    to the least possible. Runs on bufferized IR, before `merge-alloc` or `buffer-deallocation`,
    or with deallocs.

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
           "File of the memories to place buffers in; empty and no capacity: those of the module, its stowage.memories or dlti.target_system_spec",
           "into(&S::memories)">,
    Option<"spillSpace", "spill-space", "std::string", /*default=*/"",
           "Memory space to spill buffers to, as MLIR prints it (1, #gpu.address_space<global>); empty: no spilling",
           "into(&S::spill_space)">,
    Option<"spillCost", "spill-cost", "::stowage::Count", /*default=*/"4",
           "Cost of a byte that is copied to that space or from it, where an operation on an element costs 1",
           "into(&S::spill_cost, Range{1, 65536})">,
    Option<"dma", "dma", "bool", /*default=*/"false",
           "Copy constants to the first memory by memref.dma_start and memref.dma_wait, one op ahead, or by rows",
           "into(&S::transfers)">,
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
  let summary = "Replace the names of memories by LLVM's address spaces";
  let description = [{
    `fit-memory` makes the name of a memory the memory space of the buffers that it places
    there, so that arenas are distinguished by it. LLVM needs numbers: `space` in the module's
    attribute `stowage.memories`, 0 by default. Memories of one number are the same to LLVM;
    their arenas are still different arguments. Runs after `merge-alloc` and
    `buffer-deallocation`, before `finalize-memref-to-llvm`. Other memory spaces are not
    changed.

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

#endif // STOWAGE_PEAK_PASSES
