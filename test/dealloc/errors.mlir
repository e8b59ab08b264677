// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation --split-input-file --verify-diagnostics

// Each with a way out.

func.func @regions_that_do_not_tell(%c: i1) {
  // expected-error @+1 {{control flow through this op's regions is not known; implement RegionBranchOpInterface}}
  %0 = "u.if"(%c) ({
    %1 = memref.alloc() : memref<2xf32>
    "u.yield"(%1) : (memref<2xf32>) -> ()
  }, {
    %2 = memref.alloc() : memref<2xf32>
    "u.yield"(%2) : (memref<2xf32>) -> ()
  }) : (i1) -> memref<2xf32>
  return
}

// -----

func.func @no_known_dealloc() {
  // expected-error @+1 {{it is not known how to free what this op allocates; implement AllocationOpInterface, or free it in the program}}
  %0 = gpu.alloc () : memref<2xf32, 1>
  return
}

// -----

func.func @freed_in_the_program() {
  %0 = gpu.alloc () : memref<2xf32, 1>
  gpu.dealloc %0 : memref<2xf32, 1>
  return
}
