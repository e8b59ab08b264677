// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Images with their channels in front of their rows. A row is a run of bytes per channel; where buffers
// share bytes, rows are outermost in memory, so that each of them is one run and may lie over dead ones. Rows that stay
// for the next step move there as runs.

// RUN: stowage-opt %s --stream-rows="rows=1 max-moved=1" | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=1 max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=2 max-moved=0},canonicalize,merge-alloc{poison},check-arena-plan,lower-strided-copies,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#back = affine_map<(d0, d1, d2, d3) -> (d0, 3 - d1, 15 - d2, 7 - d3)>
#none = affine_map<(d0, d1, d2, d3) -> ()>

// A frame, and two convolutions: the second one's rows lie over those of the first one's input.

// CHECK-LABEL: func.func @convolutions
// CHECK:         %[[ALL:.*]] = memref.alloc(){{.*}} : memref<[[BYTES:[0-9]+]]xi8>
// CHECK:         %[[ROWS:.*]] = memref.view %[[ALL]][%{{.*}}][] {stowage.rows = {{[0-9]+}} : i64} : memref<[[BYTES]]xi8> to memref<3x1x4x8xf32>
// CHECK:         memref.transpose %[[ROWS]] (d0, d1, d2, d3) -> (d1, d2, d0, d3) : memref<3x1x4x8xf32> to memref<1x4x3x8xf32, strided<[32, 8, 32, 1]>>
// CHECK:         scf.for
// CHECK:           memref.copy {{.*}} : memref<1x1x4x6xf32, {{.*}}> to memref<1x1x4x6xf32,
// CHECK:           memref.copy {{.*}} : memref<1x1x4x8xf32, {{.*}}> to memref<1x1x4x8xf32,
func.func @convolutions(%x: memref<1x4x14x6xf32>, %w: memref<4x4x3x3xf32>) -> memref<1x4x12x4xf32> {
  %zero = arith.constant 0.0 : f32
  %frame = memref.alloc() : memref<1x4x16x8xf32>
  linalg.fill ins(%zero : f32) outs(%frame : memref<1x4x16x8xf32>)
  %inner = memref.subview %frame[0, 0, 1, 1] [1, 4, 14, 6] [1, 1, 1, 1] : memref<1x4x16x8xf32> to memref<1x4x14x6xf32, strided<[512, 128, 8, 1], offset: 9>>
  memref.copy %x, %inner : memref<1x4x14x6xf32> to memref<1x4x14x6xf32, strided<[512, 128, 8, 1], offset: 9>>
  %a = memref.alloc() : memref<1x4x14x6xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<1x4x14x6xf32>)
  linalg.conv_2d_nchw_fchw ins(%frame, %w : memref<1x4x16x8xf32>, memref<4x4x3x3xf32>) outs(%a : memref<1x4x14x6xf32>)
  %b = memref.alloc() : memref<1x4x14x6xf32>
  linalg.tanh ins(%a : memref<1x4x14x6xf32>) outs(%b : memref<1x4x14x6xf32>)
  %y = memref.alloc() : memref<1x4x12x4xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<1x4x12x4xf32>)
  linalg.conv_2d_nchw_fchw ins(%b, %w : memref<1x4x14x6xf32>, memref<4x4x3x3xf32>) outs(%y : memref<1x4x12x4xf32>)
  return %y : memref<1x4x12x4xf32>
}

// Each value is divided by the sum of all: %image is whole before the steps, and what is made of it lies
// over its rows. Its view has other strides then.

// CHECK-LABEL: func.func @normalized
// CHECK:         %[[ROWS:.*]] = memref.view {{.*}} {stowage.rows = {{[0-9]+}} : i64} : {{.*}} to memref<16x1x4x8xf32>
// CHECK:         memref.transpose %[[ROWS]] {{.*}} to memref<1x4x16x8xf32, strided<[32, 8, 32, 1]>>
// CHECK:         memref.subview {{.*}} : memref<1x4x16x8xf32, strided<[32, 8, 32, 1]>> to memref<1x4x14x6xf32, strided<[32, 8, 32, 1], offset: 33>>
// CHECK:         scf.for
func.func @normalized(%x: memref<1x4x16x8xf32>, %w: memref<4x4x3x3xf32>) -> memref<1x4x12x4xf32> {
  %zero = arith.constant 0.0 : f32
  %image = memref.alloc() : memref<1x4x16x8xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : memref<1x4x16x8xf32>) outs(%image : memref<1x4x16x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %sum = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.reduce { arith.addf } ins(%image : memref<1x4x16x8xf32>) outs(%sum : memref<f32>) dimensions = [0, 1, 2, 3]
  %inner = memref.subview %image[0, 0, 1, 1] [1, 4, 14, 6] [1, 1, 1, 1] : memref<1x4x16x8xf32> to memref<1x4x14x6xf32, strided<[512, 128, 8, 1], offset: 9>>
  %b = memref.alloc() : memref<1x4x14x6xf32>
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%inner, %sum : memref<1x4x14x6xf32, strided<[512, 128, 8, 1], offset: 9>>, memref<f32>) outs(%b : memref<1x4x14x6xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %share = arith.divf %in, %all : f32
    linalg.yield %share : f32
  }
  %y = memref.alloc() : memref<1x4x12x4xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<1x4x12x4xf32>)
  linalg.conv_2d_nchw_fchw ins(%b, %w : memref<1x4x14x6xf32>, memref<4x4x3x3xf32>) outs(%y : memref<1x4x12x4xf32>)
  return %y : memref<1x4x12x4xf32>
}

// Rows and columns taken together have one stride only where rows are inside of channels.

// CHECK-LABEL: func.func @joined
// CHECK-NOT:     memref.transpose
// CHECK:         return
func.func @joined(%x: memref<1x4x16x8xf32>) -> memref<4x128xf32> {
  %image = memref.alloc() : memref<1x4x16x8xf32>
  linalg.exp ins(%x : memref<1x4x16x8xf32>) outs(%image : memref<1x4x16x8xf32>)
  %other = memref.alloc() : memref<1x4x16x8xf32>
  linalg.tanh ins(%image : memref<1x4x16x8xf32>) outs(%other : memref<1x4x16x8xf32>)
  %line = memref.collapse_shape %other [[0, 1], [2, 3]] : memref<1x4x16x8xf32> into memref<4x128xf32>
  %y = memref.alloc() : memref<4x128xf32>
  linalg.abs ins(%line : memref<4x128xf32>) outs(%y : memref<4x128xf32>)
  return %y : memref<4x128xf32>
}

func.func private @fill(%m: memref<?x?x?x?xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%m : memref<?x?x?x?xf32>) {
  ^bb0(%out: f32):
    %by = arith.constant 0.03125 : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %k = linalg.index 3 : index
    %ij = arith.muli %i, %j : index
    %ijk = arith.subi %ij, %k : index
    %number = arith.index_cast %ijk : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %by : f32
    linalg.yield %small : f32
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<1x4x14x6xf32>
  %z = memref.alloc() : memref<1x4x16x8xf32>
  %w = memref.alloc() : memref<4x4x3x3xf32>
  %dx = memref.cast %x : memref<1x4x14x6xf32> to memref<?x?x?x?xf32>
  %dz = memref.cast %z : memref<1x4x16x8xf32> to memref<?x?x?x?xf32>
  %dw = memref.cast %w : memref<4x4x3x3xf32> to memref<?x?x?x?xf32>
  call @fill(%dx) : (memref<?x?x?x?xf32>) -> ()
  call @fill(%dz) : (memref<?x?x?x?xf32>) -> ()
  call @fill(%dw) : (memref<?x?x?x?xf32>) -> ()
  %a = call @convolutions(%x, %w) : (memref<1x4x14x6xf32>, memref<4x4x3x3xf32>) -> memref<1x4x12x4xf32>
  %b = call @normalized(%z, %w) : (memref<1x4x16x8xf32>, memref<4x4x3x3xf32>) -> memref<1x4x12x4xf32>
  %c = call @joined(%z) : (memref<1x4x16x8xf32>) -> memref<4x128xf32>
  scf.for %i = %c0 to %c12 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %u = memref.load %a[%c0, %j, %i, %c3] : memref<1x4x12x4xf32>
      %v = memref.load %b[%c0, %j, %i, %c1] : memref<1x4x12x4xf32>
      %t = memref.load %c[%j, %i] : memref<4x128xf32>
      vector.print %u : f32
      vector.print %v : f32
      vector.print %t : f32
    }
  }
  return
}
