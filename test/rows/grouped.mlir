// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Grouped convolutions, streamed and executed: their indexing maps say all that is asked of them.

// RUN: stowage-opt %s --stream-rows="rows=1 max-moved=1" | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=1 max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=3 max-moved=0},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal

// Both run for one group, and then for the next one: no buffer has both groups of the first.
// CHECK-LABEL: func.func @net
// CHECK-NOT:     memref<1x2x4x10x6xf32>
// CHECK:         scf.for
// CHECK:           memref.alloc() {{.*}} : memref<1x1x4x10x6xf32>
// CHECK:           linalg.conv_2d_ngchw_gfchw
// CHECK:           linalg.conv_2d_ngchw_gfchw
// CHECK:         }
// CHECK-LABEL: func.func private @number
func.func @net(%x: memref<1x2x3x12x8xf32>, %v: memref<2x4x3x3x3xf32>, %w: memref<2x3x4x3x3xf32>, %y: memref<1x2x3x8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<1x2x4x10x6xf32>
  linalg.fill ins(%half : f32) outs(%a : memref<1x2x4x10x6xf32>)
  linalg.conv_2d_ngchw_gfchw ins(%x, %v : memref<1x2x3x12x8xf32>, memref<2x4x3x3x3xf32>) outs(%a : memref<1x2x4x10x6xf32>)
  %b = memref.alloc() : memref<1x2x3x8x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<1x2x3x8x4xf32>)
  linalg.conv_2d_ngchw_gfchw ins(%a, %w : memref<1x2x4x10x6xf32>, memref<2x3x4x3x3xf32>) outs(%b : memref<1x2x3x8x4xf32>)
  linalg.abs ins(%b : memref<1x2x3x8x4xf32>) outs(%y : memref<1x2x3x8x4xf32>)
  return
}

// A small number, another one for each of some elements in a row.
func.func private @number(%i: index, %j: index, %k: index) -> f32 {
  %c7 = arith.constant 7 : index
  %c31 = arith.constant 31 : index
  %eighth = arith.constant 0.125 : f32
  %a = arith.muli %i, %c7 : index
  %b = arith.addi %a, %j : index
  %c = arith.muli %b, %c7 : index
  %d = arith.addi %c, %k : index
  %e = arith.remui %d, %c31 : index
  %n = arith.index_cast %e : index to i32
  %f = arith.sitofp %n : i32 to f32
  %g = arith.mulf %f, %eighth : f32
  return %g : f32
}

#all = affine_map<(g, f, c, h, w) -> (g, f, c, h, w)>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %x = memref.alloc() : memref<1x2x3x12x8xf32>
  %v = memref.alloc() : memref<2x4x3x3x3xf32>
  %w = memref.alloc() : memref<2x3x4x3x3xf32>
  %y = memref.alloc() : memref<1x2x3x8x4xf32>
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%x : memref<1x2x3x12x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %h = linalg.index 3 : index
    %k = linalg.index 4 : index
    %ij = arith.addi %i, %j : index
    %n = func.call @number(%ij, %h, %k) : (index, index, index) -> f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%v : memref<2x4x3x3x3xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 4 : index
    %n = func.call @number(%i, %j, %k) : (index, index, index) -> f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%w : memref<2x3x4x3x3xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %k = linalg.index 3 : index
    %n = func.call @number(%j, %k, %i) : (index, index, index) -> f32
    %minus = arith.negf %n : f32
    linalg.yield %minus : f32
  }
  call @net(%x, %v, %w, %y) : (memref<1x2x3x12x8xf32>, memref<2x4x3x3x3xf32>, memref<2x3x4x3x3xf32>, memref<1x2x3x8x4xf32>) -> ()
  scf.for %g = %c0 to %c2 step %c1 {
    scf.for %f = %c0 to %c3 step %c1 {
      scf.for %h = %c0 to %c8 step %c1 {
        scf.for %k = %c0 to %c4 step %c1 {
          %n = memref.load %y[%c0, %g, %f, %h, %k] : memref<1x2x3x8x4xf32>
          vector.print %n : f32
        }
      }
    }
  }
  return
}
