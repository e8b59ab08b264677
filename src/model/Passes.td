//===- Passes.td - the passes of src/model --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_MODEL_PASSES
#define STOWAGE_MODEL_PASSES

include "driver/Pass.td"

def PrepareModel : ModulePass<"prepare-model"> {
  let summary = "Prepare a model on tensors for bufferization without allocations in loops";
  let description = [{
    Runs on tensors, before bufferization.

    * Each tensor that `scf.for` and `scf.while` carry is written into the tensor that they got,
      so that bufferization keeps one buffer per carried tensor. Tensors that are swapped are
      read before one of them is written.
    * Mutable tensors among the globals of `ml_program` are in one memory, an argument of the
      functions that use them. For each public function, `NAME_state_init` writes the initial
      values.
    * If results have sizes that are known at run time only, all tensors that the public
      function returns become arguments, memory of their shapes.
    * Arguments of public functions are read-only unless `bufferization.writable` says
      otherwise.
    * A public function `main` is renamed to `model`, because C programs have a `main`.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def RefuseAllocs : ModulePass<"refuse-allocs"> {
  let summary = "Fail where a program still allocates";
  let description = [{
    Reports an error at each op that allocates heap memory. For the end of a pipeline whose
    result must run without malloc.
  }];
}

#endif // STOWAGE_MODEL_PASSES
