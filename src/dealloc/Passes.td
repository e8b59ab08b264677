//===- Passes.td - the passes of src/dealloc ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_PASSES
#define STOWAGE_DEALLOC_PASSES

include "driver/Pass.td"

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
           "If one path passes a memref that is owned and another one that is not: bits (a bit says at run "
           "time which it was) or clones (clone the second, if no difference can be observed)",
           [{into(&S::clone_first, Words{"bits", "clones"})}]>
  ];
}

def DeallocOptionList : DeallocOptions;

def BufferDeallocation : ModulePass<"buffer-deallocation", "stow_deallocation_options"> {
  let summary = "Free every allocation once on every path, by static ownership";
  let description = [{
    Gives each heap allocation one owner at each point of the program, and frees it after its
    last use on every path, through branches, loops and regions. Ownership moves with a value
    that is passed on (to a block argument, an iteration argument, an op's or a function's
    result) if the source dies there; otherwise the value borrows. If one path passes a memref
    that is owned and another path one that is not, a bit says at run time which it was. A
    function clones what it returns if it does not own it. Existing deallocs are kept.

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

    The caller keeps the ownership of arguments, except of those that the function takes over:
    its own deallocs free them on every path. The caller owns what a function returns, unless
    the function only ever returns arguments and other memory that it does not own.

    With `tighten`, for a module that has deallocs already, each of them that frees one
    allocation, known by the same analysis, moves to the place right after the last use on every
    path. Other deallocs, and what they may free, are not changed. What nothing frees is freed.
  }];
  let options = DeallocOptionList.options # [
    Option<"tighten", "tighten", "bool", /*default=*/"false",
           "Also move existing deallocs up to the last use on every path">
  ];
  let dependentDialects = DeallocDialects;
}

def LowerClones : ModulePass<"lower-clones"> {
  let summary = "Replace each clone by an alloc and a copy";
  let description = [{
    A `bufferization.clone` of a ranked memref becomes a `memref.alloc` of identity layout and a
    `memref.copy`, and a `memref.cast` if its type has another layout. No other op of the
    bufferization dialect is changed, so the module may have tensors, which
    `convert-bufferization-to-memref` refuses. Clones of unranked memrefs, and of layouts to
    which no allocation can be cast, stay.

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

    With `simplify-only`, a clone is removed instead if its source is freed soon after it (the
    source replaces the clone), or if the clone itself is freed soon after (its readers read the
    source), and neither may be written in between. Other clones stay.

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
  let options = [
    Option<"simplifyOnly", "simplify-only", "bool", /*default=*/"false",
           "Remove clones where the difference cannot be observed, and keep the others">
  ];
  let dependentDialects = DeallocDialects;
}

def HoistAllocations : ModulePass<"hoist-allocations", "stow_deallocation_options"> {
  let summary = "Move allocations up, out of branches, regions and loops";
  let description = [{
    Each `memref.alloc` of static size moves to the start of its function. It leaves a loop only
    if each iteration is done with its buffer, and never a region whose iterations may run at
    once. An allocation of a size known only at run time stays on the path on which the program
    allocates it, because the size may be meant for that path only. It leaves only loops and
    regions that are certain to allocate it first, and an `scf.for` that may have no iteration,
    with a size of 0 for that case. A call before it in the loop keeps it there unless the
    callee is certain to return. If there are deallocs, or none are needed, all are placed anew,
    and what nothing frees is freed too.

    Run before `buffer-deallocation` this saves clones and bits: a value that a branch yields
    can borrow what is allocated before the branch. It may raise the peak, because buffers of
    static size then live on paths that do not need them.
  }];
  let options = DeallocOptionList.options;
  let dependentDialects = DeallocDialects;
}

def PromoteAllocsToStack : ModulePass<"promote-allocs-to-stack", "stow_promotion_options"> {
  let summary = "Put small allocations that stay in their function on the stack";
  let description = [{
    Turns each `memref.alloc` of static shape in the default memory space into a `memref.alloca`
    at the beginning of its function (or kernel), if its buffer does not escape: it is not
    returned, stored, captured by asynchronous work, or carried from one iteration to the next.
    Its deallocs are removed. What a parallel loop allocates stays on the heap: each iteration
    needs its own, and stack memory of a loop's body is freed only when the function returns.
    The alloca has the alignment on which the program may rely: 16 bytes as heaps guarantee, and
    more if the alloc, its views, ops or callees require it.
  }];
  let options = [
    Option<"maxSize", "max-size-in-bytes", "::stowage::Bytes", /*default=*/"1024",
           "The largest buffer, in bytes, that becomes stack memory; 0: none", "into(&S::max_size)">,
    Option<"maxRank", "max-rank", "::stowage::Count", /*default=*/"8",
           "The largest rank of a memref that becomes stack memory", "into(&S::max_rank)">
  ] # UnknownOps<"stays on the heap">.options;
  let dependentDialects = DeallocDialects;
}

#endif // STOWAGE_DEALLOC_PASSES
