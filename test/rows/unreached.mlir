// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In a block that nothing reaches, views may be views of each other: no buffer is behind them, and the
// search for one ends.

// RUN: stowage-opt %s --stream-rows | FileCheck %s
// RUN: stowage-opt %s --reduce-peak | FileCheck %s

// CHECK-LABEL: func.func @views_of_each_other
// CHECK: memref.subview
// CHECK: memref.subview
func.func @views_of_each_other(%x: memref<8x8xf32>) {
  %p = memref.alloc() : memref<8x8xf32>
  %q = memref.alloc() : memref<8x8xf32>
  linalg.copy ins(%x : memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  linalg.exp ins(%p : memref<8x8xf32>) outs(%q : memref<8x8xf32>)
  linalg.copy ins(%q : memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  memref.dealloc %p : memref<8x8xf32>
  memref.dealloc %q : memref<8x8xf32>
  return
^bb1:
  %c = memref.subview %d[0, 0] [8, 8] [1, 1] : memref<8x8xf32, strided<[8, 1]>> to memref<8x8xf32, strided<[8, 1]>>
  %d = memref.subview %c[0, 0] [8, 8] [1, 1] : memref<8x8xf32, strided<[8, 1]>> to memref<8x8xf32, strided<[8, 1]>>
  %m = memref.alloc() : memref<8x8xf32>
  linalg.copy ins(%d : memref<8x8xf32, strided<[8, 1]>>) outs(%m : memref<8x8xf32>)
  linalg.exp ins(%m : memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  memref.dealloc %m : memref<8x8xf32>
  cf.br ^bb1
}
