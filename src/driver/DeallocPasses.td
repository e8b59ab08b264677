//===- DeallocPasses.td - the passes of src/dealloc -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_PASSES
#define STOWAGE_DEALLOC_PASSES

include "Pass.td"

defvar DeallocDialects = ["::mlir::arith::ArithDialect",
                          "::mlir::bufferization::BufferizationDialect",
                          "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
                          "::mlir::scf::SCFDialect"];

class UnknownOps<string escape> {
  list<Option> options = [
    Option<"unknownOps", "unknown-ops", "std::string", /*default=*/"\"use\"",
           "What ops of unknown effects and functions without a body may do with a buffer: use (only "
           "use it while they run, and return it) or escape (keep it: it " # escape # ")",
           "into(&S::unknown_ops, policies())">
  ];
}

class DeallocOptions {
  list<Option> options = UnknownOps<"is not freed">.options # [
    Option<"prefer", "prefer", "std::string", /*default=*/"\"bits\"",
           "What to do where one path passes a memref that is owned and another one that is not: bits "
           "(a bit says at run time which it was) or clones (clone the second, where the difference "
           "cannot be observed)", [{into(&S::clone_first, Words{"bits", "clones"})}]>
  ];
}

def DeallocOptionList : DeallocOptions;

def BufferDeallocation : ModulePass<"buffer-deallocation", "stow_deallocation_options"> {
  let summary = "Free every allocation once on every path, by static ownership";
  let description = [{
    Gives each heap allocation one owner at each point of the program, and frees it where the owner
    is needed no longer: after the last use on every path, through branches, loops and regions.
    Ownership moves with a value that is passed (to a block argument, an iteration argument, an op's
    or a function's result) where its source dies there; otherwise the value borrows. Where one path
    passes a memref that is owned and another path one that is not, a bit says at run time which it
    was. A function clones what it returns if it does not own it. Deallocs that the program has are
    kept.

    ```mlir
    %init = memref.alloc() : memref<2xf32>
    %r = scf.for %i = %lb to %ub step %s iter_args(%b = %init) -> (memref<2xf32>) {
      %next = memref.alloc() : memref<2xf32>
      "step"(%b, %next) : (memref<2xf32>, memref<2xf32>) -> ()
      scf.yield %next : memref<2xf32>
    }
    "use"(%r) : (memref<2xf32>) -> ()
    ```

    becomes

    ```mlir
    %init = memref.alloc() : memref<2xf32>
    %r = scf.for %i = %lb to %ub step %s iter_args(%b = %init) -> (memref<2xf32>) {
      %next = memref.alloc() : memref<2xf32>
      "step"(%b, %next) : (memref<2xf32>, memref<2xf32>) -> ()
      memref.dealloc %b : memref<2xf32>
      scf.yield %next : memref<2xf32>
    }
    "use"(%r) : (memref<2xf32>) -> ()
    memref.dealloc %r : memref<2xf32>
    ```

    A function's arguments stay its caller's, but for those that it takes over: its own deallocs
    account for them on every path. The caller owns what the function returns, unless it only ever
    returns arguments and other memory that it does not own.
  }];
  let options = DeallocOptionList.options;
  let dependentDialects = DeallocDialects;
}

def TightenDeallocs : ModulePass<"tighten-deallocs", "stow_deallocation_options"> {
  let summary = "Move deallocs up to the last use on every path";
  let description = [{
    For a module that has deallocs already: each that frees one allocation, known by the same
    analysis as `buffer-deallocation`, is placed anew, right after the last use on every path.
    Others stay where they are, and so does what they may free. What nothing frees is freed.
  }];
  let options = DeallocOptionList.options;
  let dependentDialects = DeallocDialects;
}

def SimplifyClones : ModulePass<"simplify-clones"> {
  let summary = "Remove clones where the difference cannot be observed";
  let description = [{
    A `bufferization.clone` is removed where its source is freed soon after it (the source takes the
    clone's place) and where the clone itself is freed soon after (its readers read the source), if
    neither may be written in between: buffers are mutable.

    ```mlir
    %1 = bufferization.clone %0 : memref<?xf32> to memref<?xf32>
    memref.dealloc %0 : memref<?xf32>
    return %1 : memref<?xf32>
    ```

    becomes

    ```mlir
    return %0 : memref<?xf32>
    ```
  }];
  let dependentDialects = DeallocDialects;
}

def LowerClones : ModulePass<"lower-clones"> {
  let summary = "Make an alloc and a copy of each clone";
  let description = [{
    A `bufferization.clone` of a ranked memref becomes a `memref.alloc` of identity layout and a
    `memref.copy`, and a `memref.cast` where its type has another layout. Nothing else of the
    bufferization dialect is touched: unlike `convert-bufferization-to-memref`, which refuses a
    module with tensors in it, this pass leaves them as they are. Clones of unranked memrefs stay,
    and those of layouts that no allocation can be cast to.

    ```mlir
    %1 = bufferization.clone %0 : memref<?xf32> to memref<?xf32>
    ```

    becomes

    ```mlir
    %c0 = arith.constant 0 : index
    %dim = memref.dim %0, %c0 : memref<?xf32>
    %1 = memref.alloc(%dim) : memref<?xf32>
    memref.copy %0, %1 : memref<?xf32> to memref<?xf32>
    ```
  }];
  let dependentDialects = DeallocDialects;
}

def HoistAllocations : ModulePass<"hoist-allocations", "stow_deallocation_options"> {
  let summary = "Move allocations up, out of branches, regions and loops";
  let description = [{
    Each `memref.alloc` of static size moves to the start of its function. It leaves a loop only if
    each iteration is done with its buffer, and never a region whose iterations may run at once. One
    whose size is known only at run time stays on the path on which the program allocates it, as the
    size may be meant for that path alone: it only leaves loops and regions that are certain to run
    it first, and an `scf.for` that may have no iteration, with a size of 0 for that case. A call
    before it in the loop keeps it there unless the callee is seen to come back. Where there are deallocs, or none are needed, all are placed anew, and what nothing frees
    is freed, too.
    Before `buffer-deallocation` it spares clones and bits: a value that a branch yields can borrow
    what is allocated before the branch. It may raise the peak, as buffers of static size live on
    paths that do not need them.
  }];
  let options = DeallocOptionList.options;
  let dependentDialects = DeallocDialects;
}

def PromoteAllocsToStack : ModulePass<"promote-allocs-to-stack", "stow_promotion_options"> {
  let summary = "Put small allocations that stay in their function on the stack";
  let description = [{
    Turns each `memref.alloc` of static shape in the default memory space into a `memref.alloca` where
    its function (or kernel) begins, if its buffer does not escape: it is not returned, stored,
    captured by work that goes on later, or carried from one iteration to the next. Its deallocs are
    removed. What a parallel loop allocates stays on the heap: each iteration needs its own, and stack memory
    of a loop's body is given back only when the function returns. The alloca has the alignment that
    the program may rely on: 16 bytes as heaps give them, and more where the alloc, its views, ops or
    callees ask for it.
  }];
  let options = [
    Option<"maxSize", "max-size-in-bytes", "::stowage::Bytes", /*default=*/"1024",
           "Bytes of a buffer that becomes stack memory, at most; 0: none does", "into(&S::max_size)">,
    Option<"maxRank", "max-rank", "::stowage::Count", /*default=*/"8",
           "Rank of a memref that becomes stack memory, at most", "into(&S::max_rank)">
  ] # UnknownOps<"stays on the heap">.options;
  let dependentDialects = DeallocDialects;
}

#endif // STOWAGE_DEALLOC_PASSES
