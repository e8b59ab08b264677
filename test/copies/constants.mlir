// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is made of constants alone becomes a constant, up to a size.

// RUN: stowage-opt %s --elide-copies | FileCheck %s
// RUN: stowage-opt %s --elide-copies=max-constant-bytes=15 | FileCheck %s --check-prefix=SMALL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,buffer-deallocation)' | FileCheck %s --check-prefix=EQUAL

// EQUAL: equal

// CHECK-DAG: memref.global "private" constant @[[MOVED:folded.*]] : memref<3x2xi8> = dense<{{\[}}[1, 4], [2, 5], [3, 6]]>
// CHECK-DAG: memref.global "private" constant @[[CAST:folded.*]] : memref<2x3xf32> = dense<{{\[}}[1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> {alignment = 128 : i64}
// CHECK-DAG: memref.global "private" constant @[[SPLAT:folded.*]] : memref<4x4xf32> = dense<5.000000e-01>
// CHECK: func.func @main
// CHECK-NOT: memref.alloc
// CHECK-DAG: memref.get_global @[[MOVED]]
// CHECK-DAG: memref.get_global @[[CAST]]
// CHECK-DAG: memref.get_global @[[SPLAT]]
// CHECK-NOT: memref.alloc
// CHECK: return

// SMALL: memref.global "private" constant @{{folded.*}} : memref<3x2xi8>
// SMALL-NOT: memref<2x3xf32> =
// SMALL: func.func @main
// SMALL-COUNT-2: memref.alloc

memref.global "private" constant @weights : memref<2x3xi8> = dense<[[1, 2, 3], [4, 5, 6]]>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %w = memref.get_global @weights : memref<2x3xi8>
  %moved = memref.alloc() : memref<3x2xi8>
  linalg.transpose ins(%w : memref<2x3xi8>) outs(%moved : memref<3x2xi8>) permutation = [1, 0]
  %cast = memref.alloc() {alignment = 128 : i64} : memref<2x3xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%w : memref<2x3xi8>) outs(%cast : memref<2x3xf32>) {
  ^bb0(%in: i8, %out: f32):
    %wide = arith.extsi %in : i8 to i32
    %float = arith.sitofp %wide : i32 to f32
    linalg.yield %float : f32
  }
  %splat = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%half : f32) outs(%splat : memref<4x4xf32>)
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %a = memref.load %moved[%j, %i] : memref<3x2xi8>
      %b = memref.load %cast[%i, %j] : memref<2x3xf32>
      %c = memref.load %splat[%i, %j] : memref<4x4xf32>
      vector.print %a : i8
      vector.print %b : f32
      vector.print %c : f32
    }
  }
  return
}
