//===- Passes.td - the passes of src/taskflow -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PASSES
#define STOWAGE_TASKFLOW_PASSES

include "driver/Pass.td"

def ConvertAffineToTaskflow : ModulePass<"convert-affine-to-taskflow", "stow_taskflow_conversion_options"> {
  let summary = "Make a task of each loop nest at the top level of a function";
  let description = [{
    Each `affine.for` in a block of a function's body becomes a `taskflow.task`, named `Task_0`,
    `Task_1`, ... in program order. Its operands are the buffers that it accesses and the values
    that it uses. Buffers are passed on as versions, so that the order of conflicting tasks is a
    chain of SSA values. `memref.load` and `memref.store` with affine indices become affine
    accesses. Accesses to casts, to `memref.assume_alignment` and to subviews of static offsets
    become accesses to the underlying memref.

    An `scf.for` whose bounds are affine and whose step is a constant becomes an `affine.for` first.
    With `parallel-loops`, so do `affine.parallel` and `scf.parallel` without reductions, one
    iteration after the other. A loop that stays as it is has a missed remark with the reason.

    ```mlir
    affine.for %i = 0 to 8 {
      %v = affine.load %a[%i] : memref<8xf32>
      affine.store %v, %b[%i] : memref<8xf32>
    }
    ```

    becomes

    ```mlir
    %write_outputs = taskflow.task @Task_0 read_memrefs(%a : memref<8xf32>)
        write_memrefs(%b : memref<8xf32>)
        [original_read_memrefs(%a : memref<8xf32>), original_write_memrefs(%b : memref<8xf32>)]
        : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
    ^bb0(%arg0: memref<8xf32>, %arg1: memref<8xf32>):
      affine.for %i = 0 to 8 {
        %v = affine.load %arg0[%i] : memref<8xf32>
        affine.store %v, %arg1[%i] : memref<8xf32>
      }
      taskflow.yield writes(%arg1 : memref<8xf32>)
    }
    ```
  }];
  let options = [
    Option<"copies", "copies", "bool", /*default=*/"false",
           "Also make a task of each memref.copy whose memories cannot overlap", "into(&S::copies)">,
    Option<"parallelLoops", "parallel-loops", "bool", /*default=*/"false",
           "Also make a task of each affine.parallel and scf.parallel, with its iterations in sequence",
           "into(&S::parallel_loops)">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::stowage::taskflow::TaskflowDialect"];
}

def ConvertTaskflowToAffine : ModulePass<"convert-taskflow-to-affine"> {
  let summary = "Replace each task by its body";
  let description = [{
    The inverse of `convert-affine-to-taskflow`: removes all ops of the dialect, so that what
    was fused can be lowered and run.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect"];
}

def MemoryAccessStreamingFusion : ModulePass<"memory-access-streaming-fusion", "stow_fusion_options"> {
  let summary = "Fuse tasks that pass values through memory, where that is proven correct";
  let description = [{
    A task that writes a buffer and one that reads it become one task,
    `<writer>_<reader>_fused`, with common loops: in each iteration the stored value replaces
    the loads of the same cell. A local buffer that is then only stored to is removed with these
    stores. It is proven that conflicting accesses keep their order, and no value is computed
    twice. Rounds go on until nothing changes; the pairs that gain most are fused first. A
    fusion that makes the bytes live at the peak more than before is not done
    (`allow-higher-peak`).

    Loops may be reordered (`allow-permutation`). With `allow-reduction` the tasks share only
    the loops that index the buffer: the loops that initialize a reduction and those that use
    its result join it, and its accumulator becomes a value that the inner loops carry.

    Readers of what a task only copies from an argument or a global read that instead, where it
    stays as it is, and the copy is gone (`read-through-copies`).

    Each pair that is not fused has a reason, in a missed remark and in the reports.
  }];
  let options = [
    Option<"maxRounds", "max-rounds", "int64_t", /*default=*/"-1",
           "The largest number of rounds; 0: only report; -1: no limit",
           "into(&S::max_rounds, roundsOf)">,
    Option<"allowPermutation", "allow-permutation", "bool", /*default=*/"true",
           "Also fuse loops in another order, or with a constant offset", "intoNot(&S::keep_loop_order)">,
    Option<"allowReduction", "allow-reduction", "bool", /*default=*/"true",
           "Also fuse tasks that share some of their loops only", "intoNot(&S::whole_nests)">,
    Option<"allowHigherPeak", "allow-higher-peak", "bool", /*default=*/"false",
           "Also fuse if more bytes are then live at the peak", "into(&S::allow_higher_peak)">,
    Option<"windows", "windows", "bool", /*default=*/"true",
           "Also fuse if a window of the buffer is enough, kept modulo its size", "intoNot(&S::whole_buffers)">,
    Option<"readThroughCopies", "read-through-copies", "bool", /*default=*/"true",
           "Read an argument or a global itself where a task only copies it; not with form=channels", "intoNot(&S::kept_copies)">,
    Option<"inPlace", "in-place", "bool", /*default=*/"true",
           "Also try to let a buffer take the place of one that the task reads for the last time; only with windows", "intoNot(&S::separate_buffers)">,
    Option<"unrollWindows", "unroll-windows", "bool", /*default=*/"true",
           "Unroll loops, up to 6 times, so that indices modulo a window become constants", "intoNot(&S::rolled_windows)">,
    Option<"searchTrials", "search-trials", "int64_t", /*default=*/"500",
           "Trials of pairs in the search for a better choice of what is fused; 0: choose by gain only",
           "into(&S::search_trials, roundsOf)">,
    Option<"maxLiveBytes", "max-live-bytes", "::stowage::Bytes", /*default=*/"0",
           "Bytes that may be live at the peak, even if they are more than without fusion",
           "into(&S::max_live_bytes)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "Assume that the arguments of a function share no byte with each other or with a global that it uses",
           "into(&S::assume_noalias_arguments)">,
    Option<"form", "form", "std::string", /*default=*/"\"windows\"",
           "What takes the place of a buffer that is not forwarded: windows of fused tasks, or channels between two tasks that stay two",
           [{into(&S::channels, Words{"windows", "channels"})}]>,
    ReportOption<"taskflow">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::stowage::taskflow::TaskflowDialect"];
}

#endif // STOWAGE_TASKFLOW_PASSES
