// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed before and after. A view leaves out a dimension of one element, in which it has a step. Of a
// row there is one element in the next dimension, too, and only strides tell which of them is left out.
// In @apart another dimension has a step: of a row, the result's strides are none of the source's.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=1},buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --stream-rows="rows=1" | FileCheck %s --check-prefix=LOOP

// CHECK: equal

// LOOP-LABEL: func.func @steps
// LOOP:         scf.for
// LOOP:           memref.subview %{{.*}}[0, 0, 1] [1, 1, 5] [1, 1, 1] : {{.*}} to memref<1x5xf32, strided<[6, 1], offset: 1>>

func.func @steps(%x: memref<1x9x6xf32>) -> memref<9x5xf32> {
  %t = memref.alloc() : memref<1x9x6xf32>
  linalg.exp ins(%x : memref<1x9x6xf32>) outs(%t : memref<1x9x6xf32>)
  %s = memref.subview %t[0, 0, 1] [1, 9, 5] [2, 1, 1] : memref<1x9x6xf32> to memref<9x5xf32, strided<[6, 1], offset: 1>>
  %r = memref.alloc() : memref<9x5xf32>
  linalg.exp ins(%s : memref<9x5xf32, strided<[6, 1], offset: 1>>) outs(%r : memref<9x5xf32>)
  return %r : memref<9x5xf32>
}

// LOOP-LABEL: func.func @apart
// LOOP:         scf.for
// LOOP:           %[[S:.*]] = memref.subview %{{.*}}[0, 1, 0, 0] [1, 2, 1, 5] [1, 3, 1, 1] : {{.*}} to memref<1x2x1x5xf32, strided<[30, 15, 5, 1], offset: 5>>
// LOOP:           memref.subview %[[S]][0, 0, 0, 0] [1, 2, 1, 5] [1, 1, 1, 1] : {{.*}} to memref<2x1x5xf32, strided<[15, 5, 1], offset: 5>>

func.func @apart(%x: memref<9x5xf32>) -> (memref<2x7x5xf32>, memref<9x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<1x6x9x5xf32>
  linalg.broadcast ins(%x : memref<9x5xf32>) outs(%t : memref<1x6x9x5xf32>) dimensions = [0, 1]
  %m = memref.alloc() : memref<9x5xf32>
  linalg.fill ins(%zero : f32) outs(%m : memref<9x5xf32>)
  linalg.reduce { arith.addf } ins(%t : memref<1x6x9x5xf32>) outs(%m : memref<9x5xf32>) dimensions = [0, 1]
  %s = memref.subview %t[0, 1, 2, 0] [1, 2, 7, 5] [1, 3, 1, 1] : memref<1x6x9x5xf32> to memref<2x7x5xf32, strided<[135, 5, 1], offset: 55>>
  %r = memref.alloc() : memref<2x7x5xf32>
  linalg.exp ins(%s : memref<2x7x5xf32, strided<[135, 5, 1], offset: 55>>) outs(%r : memref<2x7x5xf32>)
  return %r, %m : memref<2x7x5xf32>, memref<9x5xf32>
}

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %x = memref.alloc() : memref<1x9x6xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%x : memref<1x9x6xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %sum = arith.addi %i, %j : index
    %product = arith.muli %sum, %i : index
    %number = arith.index_cast %product : index to i32
    %float = arith.sitofp %number : i32 to f32
    %eighth = arith.constant -0.125 : f32
    %small = arith.mulf %float, %eighth : f32
    linalg.yield %small : f32
  }
  %r = call @steps(%x) : (memref<1x9x6xf32>) -> memref<9x5xf32>
  scf.for %i = %c0 to %c9 step %c1 {
    scf.for %j = %c0 to %c5 step %c1 {
      %v = memref.load %r[%i, %j] : memref<9x5xf32>
      vector.print %v : f32
    }
  }
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %q, %m = call @apart(%r) : (memref<9x5xf32>) -> (memref<2x7x5xf32>, memref<9x5xf32>)
  scf.for %i = %c0 to %c7 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = memref.load %q[%j, %i, %c1] : memref<2x7x5xf32>
      %w = memref.load %m[%i, %j] : memref<9x5xf32>
      vector.print %v : f32
      vector.print %w : f32
    }
  }
  return
}
