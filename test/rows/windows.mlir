// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the rows of a buffer are kept in, by how they are read.

// RUN: stowage-opt %s --split-input-file --stream-rows="rows=1 max-moved=1" | FileCheck %s

// Row by row: nothing outlives a step.

// CHECK-LABEL: func.func @elementwise
// CHECK: memref.alloc() : memref<64x8xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.alloc() {stowage.rows = {{[0-9]+}} : i64} : memref<1x8xf32>
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
// CHECK: %[[A:.*]] = memref.alloc() {stowage.rows = {{[0-9]+}} : i64} : memref<3x8xf32>
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
// CHECK: %[[A:.*]] = memref.alloc() {stowage.rows = {{[0-9]+}} : i64} : memref<3x8xf32>
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

// -----

// The rows of the scores are those of the queries, not of the keys that the softmax adds up: no
// scores are whole.

// CHECK-LABEL: func.func @attention
// CHECK-NOT: memref.alloc() : memref<16x16xf32>
// CHECK: scf.for
// CHECK: memref.alloc() {stowage.rows = {{[0-9]+}} : i64} : memref<1x16xf32>
// CHECK-NOT: memref.alloc() : memref<16x16xf32>
// CHECK: return
func.func @attention(%x: memref<16x8xf32>) -> memref<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %keys = memref.alloc() : memref<8x16xf32>
  linalg.transpose ins(%x : memref<16x8xf32>) outs(%keys : memref<8x16xf32>) permutation = [1, 0]
  %queries = memref.alloc() : memref<16x8xf32>
  linalg.exp ins(%x : memref<16x8xf32>) outs(%queries : memref<16x8xf32>)
  %scores = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%zero : f32) outs(%scores : memref<16x16xf32>)
  linalg.matmul ins(%queries, %keys : memref<16x8xf32>, memref<8x16xf32>) outs(%scores : memref<16x16xf32>)
  %sums = memref.alloc() : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<16xf32>)
  linalg.reduce { arith.addf } ins(%scores : memref<16x16xf32>) outs(%sums : memref<16xf32>) dimensions = [1]
  %all = memref.alloc() : memref<16x16xf32>
  linalg.broadcast ins(%sums : memref<16xf32>) outs(%all : memref<16x16xf32>) dimensions = [1]
  %shares = memref.alloc() : memref<16x16xf32>
  linalg.div ins(%scores, %all : memref<16x16xf32>, memref<16x16xf32>) outs(%shares : memref<16x16xf32>)
  %y = memref.alloc() : memref<16x8xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<16x8xf32>)
  linalg.matmul ins(%shares, %x : memref<16x16xf32>, memref<16x8xf32>) outs(%y : memref<16x8xf32>)
  return %y : memref<16x8xf32>
}

// -----

// One row of the transposed convolution's result is two of the image that it stands for.

// CHECK-LABEL: func.func @upsampled
// CHECK-NOT: memref<8x2x6xf32>
// CHECK: scf.for
// CHECK: memref.alloc() {stowage.rows = {{[0-9]+}} : i64} : memref<1x2x6xf32>
// CHECK: return
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @upsampled(%x: memref<8x6xf32>, %other: memref<16x6xf32>) -> memref<16x6xf32> {
  %wide = memref.alloc() : memref<8x2x6xf32>
  linalg.broadcast ins(%x : memref<8x6xf32>) outs(%wide : memref<8x2x6xf32>) dimensions = [1]
  %image = memref.collapse_shape %wide [[0, 1], [2]] : memref<8x2x6xf32> into memref<16x6xf32>
  %sum = memref.alloc() : memref<16x6xf32>
  linalg.add ins(%image, %other : memref<16x6xf32>, memref<16x6xf32>) outs(%sum : memref<16x6xf32>)
  %y = memref.alloc() : memref<16x6xf32>
  linalg.exp ins(%sum : memref<16x6xf32>) outs(%y : memref<16x6xf32>)
  return %y : memref<16x6xf32>
}

// -----

// Behind a stride of two, ops run in every other step, and the three rows of the window move by two
// when its reader has run.

// CHECK-LABEL: func.func @stride
// CHECK: memref.alloc() {stowage.rows = {{[0-9]+}} : i64} : memref<3x8xf32>
// CHECK: scf.for %[[STEP:.*]] = %{{.*}} to %c64 step
// CHECK: linalg.exp
// CHECK: %[[SINCE:.*]] = arith.subi %[[STEP]], %c2
// CHECK: arith.divui %[[SINCE]], %c2
// CHECK: arith.remui %[[SINCE]], %c2
// CHECK: scf.if
// CHECK: linalg.pooling_nwc_max
// CHECK: arith.remui %[[STEP]], %c2
// CHECK: scf.if
// CHECK-COUNT-1: memref.copy
func.func @stride(%x: memref<64x8xf32>) -> memref<1x31x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %a = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  %image = memref.expand_shape %a [[0, 1], [2]] output_shape [1, 64, 8] : memref<64x8xf32> into memref<1x64x8xf32>
  %k = memref.alloc() : memref<3xf32>
  %y = memref.alloc() : memref<1x31x8xf32>
  linalg.fill ins(%low : f32) outs(%y : memref<1x31x8xf32>)
  linalg.pooling_nwc_max {strides = dense<2> : vector<1xi64>} ins(%image, %k : memref<1x64x8xf32>, memref<3xf32>) outs(%y : memref<1x31x8xf32>)
  return %y : memref<1x31x8xf32>
}

// -----

// An op in the body of an op counts its own iterations.

// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: tensor.from_elements
// CHECK: linalg.index 0
// CHECK-NEXT: arith.index_cast
#turned = affine_map<(d0, d1) -> (d0, 7 - d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_map<(d0) -> (d0)>
func.func @nested(%x: memref<64x8xf32>) -> memref<64x8xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %size = math.absf %in : f32
    linalg.yield %size : f32
  }
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x8xf32>) outs(%y : memref<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = tensor.from_elements %in : tensor<1xf32>
    %counted = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%one : tensor<1xf32>) {
    ^bb1(%cell: f32):
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      %float = arith.sitofp %number : i32 to f32
      %more = arith.addf %float, %cell : f32
      linalg.yield %more : f32
    } -> tensor<1xf32>
    %v = tensor.extract %counted[%c0] : tensor<1xf32>
    linalg.yield %v : f32
  }
  return %y : memref<64x8xf32>
}
