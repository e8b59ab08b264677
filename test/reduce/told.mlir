// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What was run is told once, by reduce-peak and by the pass itself; of what was only tried, nothing.

// RUN: stowage-opt %s --reduce-peak --remarks-filter='.*' -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not='Category:{{order-for-memory|stream-rows}}'
// RUN: stowage-opt %s --elide-copies | diff %t.mlir -
// RUN: stowage-opt %s --pass-pipeline='builtin.module(stowage-memory{reduce-peak})' | FileCheck %s --check-prefix=PIPELINE
// RUN: stowage-opt %t.mlir --reduce-peak -o %t.twice.mlir 2>&1 | FileCheck %s --check-prefix=IDLE
// RUN: diff %t.mlir %t.twice.mlir
// RUN: echo 'module {}' | stowage-opt --reduce-peak 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=EXECUTED

// CHECK-COUNT-1: [Passed] placed | Category:elide-copies
// CHECK:     [Passed] steps | Category:reduce-peak | Remark="arenas of 1612 bytes, not 2124: elide-copies"
// PIPELINE-LABEL: func.func @rows
// PIPELINE-NOT: memref.copy
// PIPELINE-LABEL: func.func @main
// IDLE:      reduce-peak: no combination of its passes makes the arenas smaller
// EMPTY:     reduce-peak: no buffer that merge-alloc would plan: nothing is allocated
// EXECUTED:  equal

func.func @rows(%x: memref<16x8xf32>, %w: memref<3xf32>, %y: memref<16x8xf32>) {
  %a = memref.alloc() : memref<16x8xf32>
  linalg.exp ins(%x : memref<16x8xf32>) outs(%a : memref<16x8xf32>)
  %b = memref.alloc() : memref<18x8xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%b : memref<18x8xf32>)
  %part = memref.subview %b[1, 0] [16, 8] [1, 1] : memref<18x8xf32> to memref<16x8xf32, strided<[8, 1], offset: 8>>
  memref.copy %a, %part : memref<16x8xf32> to memref<16x8xf32, strided<[8, 1], offset: 8>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 + d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%b, %w : memref<18x8xf32>, memref<3xf32>) outs(%y : memref<16x8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %product = arith.mulf %in, %by : f32
    %sum = arith.addf %product, %out : f32
    linalg.yield %sum : f32
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %half = arith.constant 0.5 : f32
  %eighth = arith.constant 0.125 : f32
  %x = memref.alloc() : memref<16x8xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<16x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %number = arith.index_cast %sum : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %eighth : f32
    linalg.yield %small : f32
  }
  %w = memref.alloc() : memref<3xf32>
  linalg.fill ins(%half : f32) outs(%w : memref<3xf32>)
  %y = memref.alloc() : memref<16x8xf32>
  linalg.fill ins(%half : f32) outs(%y : memref<16x8xf32>)
  call @rows(%x, %w, %y) : (memref<16x8xf32>, memref<3xf32>, memref<16x8xf32>) -> ()
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %y[%i, %j] : memref<16x8xf32>
      vector.print %v : f32
    }
  }
  return
}
