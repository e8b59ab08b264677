//===- TaskflowPasses.td - the passes of src/taskflow ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PASSES
#define STOWAGE_TASKFLOW_PASSES

include "Pass.td"

def ConvertAffineToTaskflow : ModulePass<"convert-affine-to-taskflow", "stow_taskflow_conversion_options"> {
  let summary = "Make a task of each loop nest at the top of a function";
  let description = [{
    Each `affine.for` in a block of a function's body becomes a `taskflow.task`, named `Task_0`,
    `Task_1`, ... in program order, with the buffers it reads and writes, and the values it needs,
    as operands. Buffers are passed on as versions, so that the order of conflicting tasks is a chain
    of SSA values. `memref.load` and `memref.store` with affine indices become affine accesses, and
    accesses to casts, to promises of alignment and to subviews of static offsets become accesses to
    what is under them.

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
           "Make a task of each memref.copy whose memories cannot overlap, too", "into(&S::copies)">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::stowage::taskflow::TaskflowDialect"];
}

def ConvertTaskflowToAffine : ModulePass<"convert-taskflow-to-affine"> {
  let summary = "Put the body of each task in the task's place";
  let description = [{
    The inverse of `convert-affine-to-taskflow`: after it nothing of the dialect is left, and what
    was fused can be lowered and run.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect"];
}

def MemoryAccessStreamingFusion : ModulePass<"memory-access-streaming-fusion", "stow_fusion_options"> {
  let summary = "Fuse tasks that pass values through memory, where that is proven correct";
  let description = [{
    A task that writes a buffer and one that reads it become one task, `<writer>_<reader>_fused`,
    with common loops: in each iteration the stored value takes the place of the loads of the same
    cell. A local buffer that nothing but stores to it names any more is removed, with these stores.
    The order in which conflicting accesses run is proven to stay, and no value is computed twice.
    Rounds go on until nothing changes; the pairs that gain most are fused first. No fusion is taken
    after which more bytes of buffers are alive at once than before (`allow-higher-peak`).

    Loops may be put in another order (`allow-permutation`). With `allow-reduction` the tasks share
    only the loops that index the buffer: a reduction takes in the loop that sets its start and those
    that use its result, and its accumulator becomes a value that the inner loops carry.

    Each pair that is not fused has a reason, in a missed remark and in the reports.
  }];
  let options = [
    Option<"maxRounds", "max-rounds", "int64_t", /*default=*/"-1",
           "How many rounds at most; 0 fuses nothing and only reports; -1 goes on to the end",
           "into(&S::max_rounds, roundsOf)">,
    Option<"allowPermutation", "allow-permutation", "bool", /*default=*/"true",
           "Also fuse loops in another order, or with a constant offset", "intoNot(&S::keep_loop_order)">,
    Option<"allowReduction", "allow-reduction", "bool", /*default=*/"true",
           "Also fuse tasks that share some of their loops only", "intoNot(&S::whole_nests)">,
    Option<"allowHigherPeak", "allow-higher-peak", "bool", /*default=*/"false",
           "Also fuse where more bytes of buffers are alive at once then", "into(&S::allow_higher_peak)">,
    Option<"windows", "windows", "bool", /*default=*/"true",
           "Also fuse where a window of the buffer is enough, kept modulo its size", "intoNot(&S::whole_buffers)">,
    Option<"searchTrials", "search-trials", "int64_t", /*default=*/"500",
           "How many trials of pairs to spend on better choices of what is fused; 0 takes the choice by gain",
           "into(&S::search_trials, roundsOf)">,
    Option<"maxLiveBytes", "max-live-bytes", "uint64_t", /*default=*/"0",
           "Bytes of buffers that may be alive at once, even if it is more than without fusion",
           "into(&S::max_live_bytes)">,
    Option<"assumeNoaliasArguments", "assume-noalias-arguments", "bool", /*default=*/"false",
           "Take different arguments of a function to share no byte, and no byte with a global that it names",
           "into(&S::assume_noalias_arguments)">,
    ListOption<"reports", "report", "std::string",
               "Reports to write: text (to standard error), text:FILE, json:FILE, dot:FILE, svg:FILE", "intoReports()">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::stowage::taskflow::TaskflowDialect"];
}

#endif // STOWAGE_TASKFLOW_PASSES
