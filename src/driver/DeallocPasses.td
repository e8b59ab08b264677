//===- DeallocPasses.td - the passes of src/dealloc -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_PASSES
#define STOWAGE_DEALLOC_PASSES

include "mlir/Pass/PassBase.td"

def BufferDeallocation : Pass<"buffer-deallocation", "::mlir::ModuleOp"> {
  let summary = "Free every allocation once on every path, by static ownership";
  let description = [{
    Gives each heap allocation one owner at each point of the program, and frees it where the owner
    is needed no longer: after the last use on every path, through branches, loops and regions.
    Ownership moves along with a value that is handed over (to a block argument, an iteration's
    argument, an op's or a function's result) where its source dies there. Only where a memref that
    nobody here owns, or that is still needed, is handed to what must own, a `bufferization.clone`
    is made. Deallocs that the program has are kept.

    ```mlir
    %r = scf.for %i = %lb to %ub step %s iter_args(%b = %init) -> (memref<2xf32>) {
      %next = memref.alloc() : memref<2xf32>
      "step"(%b, %next) : (memref<2xf32>, memref<2xf32>) -> ()
      scf.yield %next : memref<2xf32>
    }
    "use"(%r) : (memref<2xf32>) -> ()
    ```

    becomes, where `%init` is the caller's,

    ```mlir
    %0 = bufferization.clone %init : memref<2xf32> to memref<2xf32>
    %r = scf.for %i = %lb to %ub step %s iter_args(%b = %0) -> (memref<2xf32>) {
      %next = memref.alloc() : memref<2xf32>
      "step"(%b, %next) : (memref<2xf32>, memref<2xf32>) -> ()
      memref.dealloc %b : memref<2xf32>
      scf.yield %next : memref<2xf32>
    }
    "use"(%r) : (memref<2xf32>) -> ()
    memref.dealloc %r : memref<2xf32>
    ```

    A function's arguments stay its caller's. What it returns becomes its caller's, unless it only
    ever returns arguments and other memory that is not its own.
  }];
  let options = [
    Option<"unknownOps", "unknown-ops", "std::string", /*default=*/"\"use\"",
           "What ops of unknown effects and functions without a body may do with a buffer: use (only "
           "use it while they run) or escape (keep it: it is not freed)">,
    Option<"prefer", "prefer", "std::string", /*default=*/"\"bits\"",
           "What to do where a memref that is not owned meets one that is: bits (a bit tells at run "
           "time which of the two came) or clones (clone it, where nobody can tell the difference)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // STOWAGE_DEALLOC_PASSES
