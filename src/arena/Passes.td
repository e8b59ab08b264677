//===- Passes.td - the passes of src/arena and src/frames -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_PASSES
#define STOWAGE_ARENA_PASSES

include "driver/Pass.td"

class PlanOptions {
  list<Option> options = [
    Option<"alignment", "alignment-in-bytes", "::stowage::Bytes", /*default=*/"64",
           "Every slice starts at a multiple of this power of two, or of more if its alloc or its element "
           "type requires it", "into(&S::alignment, aboveZero)">,
    Option<"strategy", "strategy", "std::string", /*default=*/"\"auto\"",
           "How to plan: auto, first-fit-{size,area,duration,start}, best-fit-{size,area,duration,start}, "
           "layered, peak, repair or exact", "into(&S::strategy, strategyOf)">,
    Option<"plannerEffort", "planner-effort", "::stowage::Count", /*default=*/"STOW_DEFAULT_PLANNER_EFFORT",
           "Steps, of some nanoseconds each, that the planner may take per arena to improve on its "
           "first plan. More may find a smaller arena; 100000000 takes some tenths of a second",
           "into(&S::planner_effort)">,
    Option<"capacity", "capacity-in-bytes", "::stowage::Bytes", /*default=*/"0",
           "Bytes an arena may have; a larger one is an error that lists what is live at the peak. "
           "0: any", "into(&S::capacity)">,
    Option<"minSize", "min-size-in-bytes", "::stowage::Bytes", /*default=*/"0",
           "Do not plan smaller buffers", "into(&S::min_size)">,
    Option<"unknownOps", "unknown-ops", "std::string", /*default=*/"\"escape\"",
           "What ops of unknown effects and functions without a body may do with a buffer: escape "
           "(keep it) or use (only use it while they run, and return it)", "into(&S::unknown_ops, policies())">,
    Option<"dynamic", "dynamic", "std::string", /*default=*/"\"off\"",
           "Buffers whose size is known at run time only: off (they are not planned), exact (compute the "
           "arena's size and their offsets where it begins) or bound (plan them with the largest "
           "size that stowage.dims states)", [{into(&S::dynamic, Words{"off", "exact", "bound"})}]>,
    Option<"stackings", "stackings", "::stowage::Count", /*default=*/"STOW_DEFAULT_STACKINGS",
           "With dynamic=exact: the largest number of plans that an arena chooses from at run time",
           "into(&S::stackings, Range{1})">,
    ListOption<"at", "at", "std::string",
           "With dynamic=exact: sizes that reports are for, and that count as hints, such as n=128, by the "
           "names that stowage.dims states", "intoList(&S::at, &S::at_count, checkSize)">,
    ListOption<"memorySpaces", "memory-spaces", "std::string",
           "Plan these memory spaces only, as MLIR prints them (0 is the default one); none: all",
           "intoList(&S::memory_spaces, &S::memory_space_count)">,
    ReportOption<"buffer-reuse">
  ];
}

def PlanOptionList : PlanOptions;

def LendResults : Option<"lendResults", "lend-results", "bool", /*default=*/"true",
    "Put buffers into the bytes of a returned allocation until it is first written, if that makes the arena "
    "smaller", "intoNot(&S::results_apart)">;

def MaxHeapOverhead : Option<"maxHeapOverhead", "max-heap-overhead", "::stowage::Ratio", /*default=*/"-1",
    "Bound on the heap's peak, arenas and results together: at most this share above the peak with an "
    "allocation for each buffer, freed after its last use, whichever branches are taken. To keep it, an arena ends "
    "before results are allocated, branches have separate arenas, and some buffers are not planned; negative: "
    "no bound",
    "into(&S::bound_heap, isBound), into(&S::heap_overhead)">;

def ConditionalShare : Option<"conditionalShare", "conditional-share", "::stowage::Ratio", /*default=*/"4",
    "The buffers of a region that may not run have a separate arena there if the arena would otherwise be "
    "larger than this times what every path needs; 0: never", "into(&S::conditional_share)">;

class ReuseOptions {
  list<Option> options = !listconcat(PlanOptionList.options, [
    Option<"requireDealloc", "require-dealloc", "bool", /*default=*/"true",
           "Do not plan buffers that nothing deallocates", "intoNot(&S::allow_missing_dealloc)">,
    Option<"poolAll", "pool-all", "bool", /*default=*/"false",
           "Also put buffers into the arena that can share bytes with no other", "into(&S::pool_all)">,
    LendResults,
    MaxHeapOverhead,
    ConditionalShare
  ]);
}

def ReuseOptionList : ReuseOptions;

def BufferReuse : ModulePass<"buffer-reuse", "stow_reuse_options"> {
  let summary = "Merge allocations that are never needed at the same time";
  let description = [{
    Replaces the allocations of each allocation scope (a function, or a region whose iterations
    may run at once) by views of one arena, so that buffers that are never needed at the same
    time share bytes. Frees the arena where control leaves the scope. Runs after deallocation
    (`buffer-deallocation-pipeline`), after passes that assume that different memref values are
    different memory (`affine-loop-fusion`), and before the lowering to LLVM. Buffers that
    cannot be proven safe to move are not planned; reports and missed remarks say why.

    ```mlir
    %a = memref.alloc() : memref<1024xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<1024xf32>)
    memref.dealloc %a : memref<1024xf32>
    %b = memref.alloc() : memref<512xf64>
    linalg.fill ins(%y : f64) outs(%b : memref<512xf64>)
    memref.dealloc %b : memref<512xf64>
    ```

    becomes

    ```mlir
    %arena = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : memref<4096xi8> to memref<1024xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<1024xf32>)
    %b = memref.view %arena[%c0][] : memref<4096xi8> to memref<512xf64>
    linalg.fill ins(%y : f64) outs(%b : memref<512xf64>)
    memref.dealloc %arena : memref<4096xi8>
    ```

    With `analysis` the IR stays as it is, and a report says what would be done: bytes without
    reuse, bytes live at the peak (the lower bound), the arena, and the reason for each buffer
    that is not planned. With `annotate` as well, each planned alloc gets its lifetime (positions
    in program order) and its offset, each other alloc the reason:

    ```mlir
    %a = memref.alloc() {stowage.life = array<i64: 2, 6>, stowage.offset = 0 : i64} : memref<8xf32>
    %b = memref.alloc() {stowage.left_alone = "returned"} : memref<8xf32>
    ```
  }];
  let options = !listconcat(ReuseOptionList.options, [
    Option<"analysis", "analysis", "bool", /*default=*/"false", "Report only">,
    Option<"annotate", "annotate", "bool", /*default=*/"false",
           "With analysis: write lives and offsets as attributes on the allocs", "into(&S::annotate)">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "For tests: fill each slice with a pattern where its life begins and where it ends", "into(&S::poison)">,
    Option<"verifySizes", "verify-sizes", "bool", /*default=*/"false",
           "For tests: assert at run time, for buffers of dynamic shape, that sizes are not negative, are "
           "within the stated limits, and fit into their slice and the arena", "into(&S::verify_sizes)">
  ]);
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def MergeAlloc : ModulePass<"merge-alloc", "stow_reuse_options"> {
  let summary = "Merge the allocations of each scope into one";
  let description = [{
    Like `buffer-reuse`, for IR after bufferization and before deallocation: no dealloc is
    needed. Every allocation of static size that does not escape becomes a part of one buffer of
    its allocation scope and memory space, even if it can share no bytes. Allocation scopes are
    function-like ops, isolated regions, and regions whose iterations may run at once
    (`scf.forall`, `scf.parallel`); an alloc in any other region belongs to the nearest scope
    around it.

    Lifetimes follow control flow: two arms of a branch share bytes, also when both yield into
    one result, and a buffer that is overwritten completely is not live before. The merged
    buffer is freed after its last use; a deallocation pass that runs later has nothing left to
    do for it.

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    %b = memref.alloc() : memref<64xf32>
    linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    %c = memref.alloc() : memref<64xf32>
    linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
    linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
    ```

    becomes

    ```mlir
    %arena = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
    %c256 = arith.constant 256 : index
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
    linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    %c = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
    linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
    linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
    memref.dealloc %arena : memref<512xi8>
    ```
  }];
  let options = !listconcat(PlanOptionList.options, [
    LendResults,
    MaxHeapOverhead,
    ConditionalShare,
    Option<"deallocArena", "dealloc-arena", "bool", /*default=*/"true",
           "Free the merged buffers; otherwise a deallocation pass must", "intoNot(&S::leave_arena)">,
    Option<"analysisOnly", "analysis-only", "bool", /*default=*/"false",
           "Change nothing but attributes: stowage.life (the begin and end of each piece, in "
           "positions), stowage.offset, stowage.left_alone", "into(&S::analysis_only)">,
    Option<"hoistParallel", "hoist-parallel", "bool", /*default=*/"false",
           "Make the arena of an scf.parallel or scf.forall of constant bounds once, before the loop, "
           "with a slice for each iteration", "into(&S::hoist_parallel)">,
    Option<"hoistLimit", "hoist-parallel-limit-in-bytes", "::stowage::Bytes", /*default=*/"STOW_DEFAULT_HOIST_LIMIT",
           "Bytes that hoist-parallel may take for all iterations of a loop", "into(&S::hoist_limit)">,
    Option<"arena", "arena", "std::string", /*default=*/"\"alloc\"",
           "Where the arenas of functions are: alloc (each function allocates its own); otherwise the arena "
           "of a callee is part of its caller's, and that of an entry point is on the stack (stack), its last "
           "argument (argument), a memref.global (global), or the result of a callback (callback)",
           "into(&S::arena, places())">,
    ListOption<"entries", "entries", "std::string",
               "Public functions whose signature may change, by name (comma-separated)",
               "intoList(&S::entries, &S::entry_count)">,
    Option<"publicEntries", "public", "bool", /*default=*/"false",
           "All public functions are entries", "into(&S::public_entries)">,
    Option<"keepWrapper", "keep-wrapper", "bool", /*default=*/"false",
           "With arena=argument: an entry NAME keeps its signature and calls NAME_with_arena",
           "into(&S::keep_wrapper)">,
    Option<"resultArguments", "result-arguments", "bool", /*default=*/"false",
           "Buffers that entries allocate and return become arguments, before the arena",
           "into(&S::result_arguments)">,
    Option<"stackLimit", "arena-stack-limit-in-bytes", "::stowage::Bytes", /*default=*/"STOW_DEFAULT_STACK_LIMIT",
           "Bytes that arena=stack may take for an entry point; a larger arena is allocated",
           "into(&S::stack_limit)">,
    Option<"callback", "callback", "std::string", /*default=*/"STOW_DEFAULT_CALLBACK",
           "The function that provides memory for arena=callback, (bytes, alignment) -> memref<?xi8>; "
           "NAME_release takes it back">,
    Option<"header", "emit-header", "std::string", /*default=*/"\"\"",
           "A C header to write, with the frames and prototypes of entry points", "into(&S::header)">,
    Option<"workgroupCapacity", "workgroup-capacity-in-bytes", "::stowage::Bytes", /*default=*/"0",
           "Bytes that the workgroup attributions of a GPU kernel may have, such as the device's limit; "
           "more is an error that lists what is live at the peak. 0: any", "into(&S::workgroup_capacity)">,
    Option<"occupancyMemory", "occupancy-memory-in-bytes", "::stowage::Bytes", /*default=*/"0",
           "Workgroup memory of a multiprocessor: a remark for each GPU kernel says how many workgroups fit "
           "into it, and below how many bytes one more does. 0: no remark", "into(&S::occupancy_memory)">,
    Option<"occupancyWorkgroups", "occupancy-workgroups", "unsigned", /*default=*/"0",
           "Workgroups that a multiprocessor runs at most. 0: as many as fit", "into(&S::occupancy_workgroups)">,
    Option<"dynamicWorkgroup", "dynamic-workgroup-memory", "bool", /*default=*/"false",
           "Merge the workgroup attributions of a GPU kernel into its dynamic shared memory, which may be larger than "
           "attributions together may be, and state its size at each launch", "into(&S::dynamic_workgroup)">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "For tests: fill each slice with a pattern where its life begins and where it ends", "into(&S::poison)">,
    Option<"verifySizes", "verify-sizes", "bool", /*default=*/"false",
           "For tests: assert at run time, for buffers of dynamic shape, that sizes are not negative, are "
           "within the stated limits, and fit into their slice and the arena", "into(&S::verify_sizes)">
  ]);
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def PackStack : ModulePass<"pack-stack", "stow_reuse_options"> {
  let summary = "Merge the stack allocations of each scope into one";
  let description = [{
    Like `buffer-reuse`, for `memref.alloca`: allocations of static size of one allocation scope
    become views of one `memref.alloca` at the scope's entry, so that those that are never
    needed at the same time share bytes. For targets that do not merge allocas, and where LLVM
    cannot see that lifetimes are disjoint. Markers (`lifetime.start`, `lifetime.end`) of packed
    allocations are used and then removed.

    ```mlir
    %a = memref.alloca() : memref<1024xf32>
    memref.copy %x, %a : memref<1024xf32> to memref<1024xf32>
    memref.copy %a, %y : memref<1024xf32> to memref<1024xf32>
    %b = memref.alloca() : memref<512xf64>
    memref.copy %z, %b : memref<512xf64> to memref<512xf64>
    memref.copy %b, %w : memref<512xf64> to memref<512xf64>
    ```

    becomes

    ```mlir
    %stack = memref.alloca() {alignment = 16 : i64} : memref<4096xi8>
    %c0 = arith.constant 0 : index
    %a = memref.view %stack[%c0][] : memref<4096xi8> to memref<1024xf32>
    memref.copy %x, %a : memref<1024xf32> to memref<1024xf32>
    memref.copy %a, %y : memref<1024xf32> to memref<1024xf32>
    %b = memref.view %stack[%c0][] : memref<4096xi8> to memref<512xf64>
    memref.copy %z, %b : memref<512xf64> to memref<512xf64>
    memref.copy %b, %w : memref<512xf64> to memref<512xf64>
    ```
  }];
  let options = [
    Option<"alignment", "alignment-in-bytes", "::stowage::Bytes", /*default=*/"16",
           "Every slice starts at a multiple of this power of two, or of more if its alloca or its element "
           "type requires it", "into(&S::alignment, aboveZero)">
  ] # !tail(PlanOptionList.options) # [ // without its first, the alignment
    Option<"poison", "poison", "bool", /*default=*/"false",
           "For tests: fill each slice with a pattern where its life begins and where it ends", "into(&S::poison)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // STOWAGE_ARENA_PASSES
