//===- Passes.td - the pass of src/check ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_PASSES
#define STOWAGE_CHECK_PASSES

include "driver/Pass.td"

def CheckArenaPlan : ModulePass<"check-arena-plan", "stow_check_options"> {
  let summary = "Report views of an arena that destroy each other's contents";
  let description = [{
    Reads IR in which any tool has planned arenas, and reports as an error every write through
    one view of an arena that destroys what another view has written and has yet to read. It
    follows contents through control flow, calls, views of views and asynchronous work, and uses
    nothing of the planner. An arena is memory of i8 from which views are made: a
    `memref.alloc`, a `memref.alloca`, a global, an argument.

    Also reported: a view used after the arena's dealloc, an arena deallocated twice, a view that
    leaves its arena, an offset that the element type or `memref.assume_alignment` does not allow,
    iterations that run at once and write to the same bytes.

    ```mlir
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    %b = memref.view %arena[%c32][] : memref<128xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    linalg.fill ins(%y : f32) outs(%b : memref<16xf32>) // error: overwrites bytes 32 to 64 ...
    %r = memref.load %a[%i] : memref<16xf32>
    ```

    The IR is not changed.
  }];
  let options = [
    Option<"dynamicOffsets", "dynamic-offsets", "std::string", /*default=*/"\"overlap\"",
           "A view whose offset is known only at run time: overlap (may be any bytes of its arena) or ignore "
           "(is not checked)",
           [{into(&S::dynamic_offsets, Words{"overlap", "ignore"})}]>,
    Option<"leaks", "leaks", "bool", /*default=*/"false",
           "Report arenas that nothing deallocates, as remarks", "into(&S::leaks)">,
    Option<"maxEffort", "max-effort", "::stowage::Count", /*default=*/"200000000",
           "Steps, of some nanoseconds each, that a function may take; one that needs more is an "
           "error", "into(&S::max_effort)">,
    Option<"samples", "samples", "::stowage::Count", /*default=*/"0",
           "Check each function this many times at concrete sizes, instead of once with unknown sizes and "
           "offsets", "into(&S::samples)">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // STOWAGE_CHECK_PASSES
