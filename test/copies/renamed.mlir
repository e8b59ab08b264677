// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is moved, and read where it comes from; what is copied, and read under the source's name.

// RUN: stowage-opt %s --split-input-file --elide-copies | FileCheck %s
// RUN: stowage-opt %s --split-input-file --elide-copies --elide-copies | FileCheck %s

// CHECK: #[[SWAP:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>

// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[SWAP]], {{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1
func.func @transposed(%x: memref<4x6xf32>, %w: memref<8x6xf32>) -> memref<4x8xf32> {
  %t = memref.alloc() : memref<6x8xf32>
  linalg.transpose ins(%w : memref<8x6xf32>) outs(%t : memref<6x8xf32>) permutation = [1, 0]
  %y = memref.alloc() : memref<4x8xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  linalg.matmul ins(%x, %t : memref<4x6xf32>, memref<6x8xf32>) outs(%y : memref<4x8xf32>)
  return %y : memref<4x8xf32>
}

// -----

// Filled once, and copied to where it is added up: each is filled itself.

// CHECK-LABEL: func.func @filled
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : f32) outs(%arg0
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : f32) outs(%arg1
// CHECK-NOT: memref.copy
func.func @filled(%x: memref<4xf32>, %y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.map outs(%a : memref<4xf32>) (%out: f32) {
    linalg.yield %zero : f32
  }
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Loads, in a loop, of a copy of a part.

// CHECK-LABEL: func.func @loaded
// CHECK-NOT: memref.alloc
// CHECK: %[[PART:.*]] = memref.subview %arg0[1, 1] [4, 4]
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: memref.load %[[PART]]
// CHECK-NOT: memref.dealloc
func.func @loaded(%x: memref<6x6xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %x[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  %b = memref.alloc() : memref<4x4xf32>
  memref.copy %part, %b : memref<4x4xf32, strided<[6, 1], offset: 7>> to memref<4x4xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> f32 {
    %v = memref.load %b[%i, %i] : memref<4x4xf32>
    %next = arith.addf %so_far, %v : f32
    scf.yield %next : f32
  }
  memref.dealloc %b : memref<4x4xf32>
  return %sum : f32
}

// -----

// The source changes when the copy was read for the last time.

// CHECK-LABEL: func.func @changed_later
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
func.func @changed_later(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %v = memref.load %b[%c0] : memref<4xf32>
  %w = memref.load %a[%c0] : memref<4xf32>
  memref.store %one, %a[%c0] : memref<4xf32>
  %sum = arith.addf %v, %w : f32
  memref.store %sum, %x[%c0] : memref<4xf32>
  linalg.add ins(%a, %x : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

// The source changes before: the copy stays.

// CHECK-LABEL: func.func @changed_before
// CHECK: memref.copy
func.func @changed_before(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.store %one, %a[%c0] : memref<4xf32>
  %v = memref.load %b[%c0] : memref<4xf32>
  %w = memref.load %a[%c0] : memref<4xf32>
  %sum = arith.addf %v, %w : f32
  memref.store %sum, %x[%c0] : memref<4xf32>
  return
}
