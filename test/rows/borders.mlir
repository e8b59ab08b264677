// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed before and after. @gaps: every other row of a buffer is written once more, so its last
// writer leaves the row behind a ring's border alone. @blocks: rows that stand for two indices, and a
// view that takes every other one.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=1 max-moved=0.04},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=1 max-moved=0.06},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --stream-rows="rows=1 max-moved=0.04" | FileCheck %s --check-prefix=LOOP

// CHECK: equal

// LOOP-LABEL: func.func @gaps
// LOOP: scf.for
// LOOP-LABEL: func.func @blocks
// LOOP: scf.for

#turned = affine_map<(d0, d1) -> (d0, 7 - d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#window = affine_map<(d0, d1, d2) -> (2 * d0 + d2, d1)>
#weight = affine_map<(d0, d1, d2) -> (d2)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#line = affine_map<(d0) -> (d0)>
#in4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 7 - d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#sum4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

func.func @gaps(%x: memref<64x8xf32>, %more: memref<32x8xf32>, %w: memref<9xf32>) -> memref<27x8xf32> {
  %zero = arith.constant 0.0 : f32
  %image = memref.alloc() : memref<64x8xf32>
  linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x8xf32>) outs(%image : memref<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %size = math.absf %in : f32
    linalg.yield %size : f32
  }
  %odd = memref.subview %image[1, 0] [32, 8] [2, 1] : memref<64x8xf32> to memref<32x8xf32, strided<[16, 1], offset: 8>>
  linalg.add ins(%more, %odd : memref<32x8xf32>, memref<32x8xf32, strided<[16, 1], offset: 8>>) outs(%odd : memref<32x8xf32, strided<[16, 1], offset: 8>>)
  %y = memref.alloc() : memref<27x8xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<27x8xf32>)
  linalg.generic {indexing_maps = [#window, #weight, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%image, %w : memref<64x8xf32>, memref<9xf32>) outs(%y : memref<27x8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %product = arith.mulf %in, %by : f32
    %sum = arith.addf %product, %out : f32
    linalg.yield %sum : f32
  }
  return %y : memref<27x8xf32>
}

func.func @blocks(%x: memref<32x2x8xf32>) -> memref<16x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %wide = memref.alloc() : memref<32x2x8x3xf32>
  %image = memref.alloc() : memref<64x8xf32>
  %half = memref.alloc() : memref<16x2x8xf32>
  %y = memref.alloc() : memref<16x2x8xf32>
  %pairs = memref.expand_shape %image [[0, 1], [2]] output_shape [32, 2, 8] : memref<64x8xf32> into memref<32x2x8xf32>
  linalg.generic {indexing_maps = [#in4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : memref<32x2x8xf32>) outs(%wide : memref<32x2x8x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %size = math.absf %in : f32
    linalg.yield %size : f32
  }
  linalg.fill ins(%zero : f32) outs(%pairs : memref<32x2x8xf32>)
  linalg.generic {indexing_maps = [#id4, #sum4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%wide : memref<32x2x8x3xf32>) outs(%pairs : memref<32x2x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  %even = memref.subview %pairs[0, 0, 0] [16, 2, 8] [2, 1, 1] : memref<32x2x8xf32> to memref<16x2x8xf32, strided<[32, 8, 1]>>
  linalg.abs ins(%even : memref<16x2x8xf32, strided<[32, 8, 1]>>) outs(%half : memref<16x2x8xf32>)
  linalg.negf ins(%half : memref<16x2x8xf32>) outs(%y : memref<16x2x8xf32>)
  return %y : memref<16x2x8xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c27 = arith.constant 27 : index
  %x = memref.alloc() : memref<64x8xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : memref<64x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %product = arith.muli %i, %j : index
    %number = arith.index_cast %product : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  }
  %more = memref.subview %x[5, 0] [32, 8] [1, 1] : memref<64x8xf32> to memref<32x8xf32, strided<[8, 1], offset: 40>>
  %m = memref.alloc() : memref<32x8xf32>
  memref.copy %more, %m : memref<32x8xf32, strided<[8, 1], offset: 40>> to memref<32x8xf32>
  %w = memref.alloc() : memref<9xf32>
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%w : memref<9xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  }
  %y = call @gaps(%x, %m, %w) : (memref<64x8xf32>, memref<32x8xf32>, memref<9xf32>) -> memref<27x8xf32>
  scf.for %i = %c0 to %c27 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %y[%i, %j] : memref<27x8xf32>
      vector.print %v : f32
    }
  }
  %pairs = memref.expand_shape %x [[0, 1], [2]] output_shape [32, 2, 8] : memref<64x8xf32> into memref<32x2x8xf32>
  %z = call @blocks(%pairs) : (memref<32x2x8xf32>) -> memref<16x2x8xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %k = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %z[%i, %k, %j] : memref<16x2x8xf32>
        vector.print %v : f32
      }
    }
  }
  return
}
