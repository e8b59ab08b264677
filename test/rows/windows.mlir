// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the rows of a buffer are kept in, by how they are read.

// RUN: stowage-opt %s --split-input-file --stream-rows=max-moved=1 | FileCheck %s

// Row by row: nothing outlives a step.

// CHECK-LABEL: func.func @elementwise
// CHECK: memref.alloc() : memref<64x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.alloc() : memref<1x8xf32>
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK-NOT: memref.copy
// CHECK: return
func.func @elementwise(%x: memref<64x8xf32>) -> memref<64x8xf32> {
  %a = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
  return %y : memref<64x8xf32>
}

// -----

// A window of three rows: two of them move to the front after each step.

// CHECK-LABEL: func.func @window
// CHECK: %[[A:.*]] = memref.alloc() : memref<3x8xf32>
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = memref.subview %[[A]][2, 0] [1, 8]
// CHECK: linalg.exp {{.*}} outs(%[[NEW]]
// CHECK: scf.if
// CHECK: linalg.pooling_nwc_max
// CHECK-COUNT-2: memref.copy
func.func @window(%x: memref<64x8xf32>) -> memref<1x62x8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x8xf32>
  %w = memref.alloc() : memref<3xf32>
  %y = memref.alloc() : memref<1x62x8xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<1x62x8xf32>)
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  %v = memref.expand_shape %a [[0, 1], [2]] output_shape [1, 64, 8] : memref<64x8xf32> into memref<1x64x8xf32>
  linalg.pooling_nwc_max ins(%v, %w : memref<1x64x8xf32>, memref<3xf32>) outs(%y : memref<1x62x8xf32>)
  return %y : memref<1x62x8xf32>
}

// -----

// A second reader that comes later: the rows lie in a ring.

#rows = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#window = affine_map<(d0, d1, d2) -> (d2)>

// CHECK-LABEL: func.func @residual
// CHECK: %[[A:.*]] = memref.alloc() : memref<3x8xf32>
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: memref.subview %[[A]][%{{.*}}, 0] [1, 8]
func.func @residual(%x: memref<64x8xf32>, %w: memref<3xf32>) -> memref<62x8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x8xf32>
  %b = memref.alloc() : memref<64x8xf32>
  %p = memref.alloc() : memref<62x8xf32>
  %y = memref.alloc() : memref<62x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%b : memref<64x8xf32>)
  linalg.fill ins(%zero : f32) outs(%p : memref<62x8xf32>)
  linalg.generic {indexing_maps = [#rows, #window, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%b, %w : memref<64x8xf32>, memref<3xf32>) outs(%p : memref<62x8xf32>) {
  ^bb0(%in: f32, %weight: f32, %sum: f32):
    %product = arith.mulf %in, %weight : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  %skip = memref.subview %a[0, 0] [62, 8] [1, 1] : memref<64x8xf32> to memref<62x8xf32, strided<[8, 1]>>
  linalg.add ins(%skip, %p : memref<62x8xf32, strided<[8, 1]>>, memref<62x8xf32>) outs(%y : memref<62x8xf32>)
  return %y : memref<62x8xf32>
}
