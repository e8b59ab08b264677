// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In a block that nothing reaches, two views may be views of each other. A task that takes one of them ends.

// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion --convert-taskflow-to-affine | FileCheck %s

// CHECK-LABEL: func.func @ring
// CHECK: affine.for
func.func @ring(%to: memref<4xf32>) {
  return
^unreached:
  %x = memref.cast %y : memref<4xf32> to memref<?xf32>
  %y = memref.cast %x : memref<?xf32> to memref<4xf32>
  affine.for %i = 0 to 4 {
    %v = affine.load %y[%i] : memref<4xf32>
    affine.store %v, %to[%i] : memref<4xf32>
  }
  return
}
