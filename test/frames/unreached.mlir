// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A return that nothing reaches may return a view of itself, or one of two views of each other. It is
// copied as what any other returns.

// RUN: stowage-opt %s --merge-alloc="arena=argument public result-arguments" | FileCheck %s

// CHECK: func.func @rings(%{{.*}}: memref<4xf32>, %[[R:.*]]: memref<4xf32>, %{{.*}}: memref<16xi8>) {
// CHECK-COUNT-3: memref.copy %{{.*}}, %[[R]]
func.func @rings(%from: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %from, %a : memref<4xf32> to memref<4xf32>
  return %a : memref<4xf32>
^self:
  %s = memref.subview %s[0] [4] [1] : memref<4xf32> to memref<4xf32>
  return %s : memref<4xf32>
^each_other:
  %x = memref.cast %y : memref<4xf32> to memref<?xf32>
  %y = memref.cast %x : memref<?xf32> to memref<4xf32>
  return %y : memref<4xf32>
}
