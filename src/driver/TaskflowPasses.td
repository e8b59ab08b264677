//===- TaskflowPasses.td - the passes of src/taskflow ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PASSES
#define STOWAGE_TASKFLOW_PASSES

include "mlir/Pass/PassBase.td"

def ConvertAffineToTaskflow : Pass<"convert-affine-to-taskflow", "::mlir::ModuleOp"> {
  let summary = "Make a task of each loop nest at the top of a function";
  let description = [{
    Each `affine.for` in a block of a function's body becomes a `taskflow.task`, named `Task_0`,
    `Task_1`, ... in program order, with the buffers it reads and writes, and the values it needs,
    as operands. Buffers are passed on as versions, so that the order of conflicting tasks is a chain
    of SSA values. `memref.load` and `memref.store` with affine indices become affine accesses, and
    accesses to casts and to subviews of static offsets become accesses to what is under them.

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
           "Make a task of each memref.copy whose memories cannot overlap, too">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::stowage::taskflow::TaskflowDialect"];
}

def ConvertTaskflowToAffine : Pass<"convert-taskflow-to-affine", "::mlir::ModuleOp"> {
  let summary = "Put the body of each task in the task's place";
  let description = [{
    The inverse of `convert-affine-to-taskflow`: after it nothing of the dialect is left, and what
    was fused can be lowered and run.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect"];
}

#endif // STOWAGE_TASKFLOW_PASSES
