//===- Passes.td - the passes of src/fit ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FIT_PASSES
#define STOWAGE_FIT_PASSES

include "driver/Pass.td"

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
    Option<"spillCost", "spill-cost", "::stowage::Count", /*default=*/"STOW_DEFAULT_SPILL_COST",
           "Cost of a byte that is copied to that space or from it, where an operation on an element costs 1; with objective=traffic of its side there, where the other side costs 1",
           "into(&S::spill_cost, Range{1, 65536})">,
    Option<"objective", "objective", "std::string", /*default=*/"\"time\"",
           "What is made as little as possible: time, or traffic (bytes read and written, times the cost of their memory)",
           [{into(&S::objective, Words{"time", "traffic"})}]>,
    Option<"dma", "dma", "bool", /*default=*/"false",
           "Copy constants to the first memory by memref.dma_start and memref.dma_wait, one op ahead, or by rows",
           "into(&S::transfers)">,
    Option<"reducePeak", "reduce-peak", "bool", /*default=*/"true", "Run reduce-peak first",
           "intoNot(&S::keep_peak)">,
    Option<"lendResults", "lend-results", "bool", /*default=*/"true",
           "Let buffers use the bytes of results, as merge-alloc does with arena=alloc; false for its other places, where it does not",
           "intoNot(&S::results_apart)">,
    Option<"effort", "effort", "::stowage::Count", /*default=*/"STOW_BUDGET_EFFORT",
           "Steps that a search may take; more may find a cheaper choice, or prove that there is none",
           "into(&S::effort)">,
    ReportOption<"fit-memory">
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

#endif // STOWAGE_FIT_PASSES
