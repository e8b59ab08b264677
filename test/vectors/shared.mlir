// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Equal ops are calls of one function: of several buffers, at moving places, of weights of their own, in place, with numbers from
// outside. Others stay: with another constant, of other strides, alone, within ops that run elsewhere.

// RUN: stowage-opt %s --convert-linalg-to-vectors | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors)' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(merge-alloc{poison},convert-linalg-to-vectors{vector-bits=512 registers=32},buffer-deallocation)' | FileCheck %s --check-prefix=EQUAL

// EQUAL: equal

memref.global "private" constant @first : memref<3x5xf32> = dense<[[1.5, -2.0, 0.25, 4.0, -0.0], [0.5, 7.0, -1.25, 3.0, 2.0], [-6.0, 1.0, 0.125, -3.5, 8.0]]>
memref.global "private" constant @second : memref<3x5xf32> = dense<[[-1.5, 2.0, 1.25, 0.5, 0xFFC00000], [2.5, 0.0, -0.25, 1.0, -2.0], [6.0, -1.0, 0.5, 0x7F800000, -8.0]]>

// CHECK-LABEL: func.func private @products_tiles(
// CHECK-SAME: memref<f32>, %{{.*}}: index, %{{.*}}: memref<f32>, %{{.*}}: index, %{{.*}}: memref<f32>, %{{.*}}: index) attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK: vector.store
// CHECK-LABEL: func.func private @products(
// CHECK: memref.get_global @packed
// CHECK: call @products_tiles
// CHECK: scf.for
// CHECK: memref.get_global @packed
// CHECK: call @products_tiles
func.func private @products(%a: memref<4x4x3xf32>, %c: memref<4x4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %first = memref.get_global @first : memref<3x5xf32>
  %a0 = memref.subview %a[0, 0, 0] [1, 4, 3] [1, 1, 1] : memref<4x4x3xf32> to memref<4x3xf32>
  %c3 = memref.subview %c[3, 0, 0] [1, 4, 5] [1, 1, 1] : memref<4x4x5xf32> to memref<4x5xf32, strided<[5, 1], offset: 60>>
  linalg.matmul ins(%a0, %first : memref<4x3xf32>, memref<3x5xf32>) outs(%c3 : memref<4x5xf32, strided<[5, 1], offset: 60>>)
  scf.for %i = %c0 to %c4 step %c1 {
    %second = memref.get_global @second : memref<3x5xf32>
    %ai = memref.subview %a[%i, 0, 0] [1, 4, 3] [1, 1, 1] : memref<4x4x3xf32> to memref<4x3xf32, strided<[3, 1], offset: ?>>
    %ci = memref.subview %c[%i, 0, 0] [1, 4, 5] [1, 1, 1] : memref<4x4x5xf32> to memref<4x5xf32, strided<[5, 1], offset: ?>>
    linalg.matmul ins(%ai, %second : memref<4x3xf32, strided<[3, 1], offset: ?>>, memref<3x5xf32>) outs(%ci : memref<4x5xf32, strided<[5, 1], offset: ?>>)
  }
  return
}

// A number of the loop is an argument; what is written is what is read.
// CHECK-LABEL: func.func private @scaled_tiles(
// CHECK-SAME: f32, %{{.*}}: f32) attributes
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK-LABEL: func.func private @scaled(
// CHECK-COUNT-2: call @scaled_tiles
// CHECK-NOT: call
// CHECK: arith.addf
func.func private @scaled(%c: memref<4x4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %third = arith.constant 0.25 : f32
  scf.for %i = %c0 to %c3 step %c1 {
    %n = arith.index_cast %i : index to i32
    %s = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %half : f32
    %x = memref.subview %c[%i, 0, 0] [1, 4, 5] [1, 1, 1] : memref<4x4x5xf32> to memref<4x5xf32, strided<[5, 1], offset: ?>>
    %next = arith.addi %i, %c1 : index
    %y = memref.subview %c[%next, 0, 0] [1, 4, 5] [1, 1, 1] : memref<4x4x5xf32> to memref<4x5xf32, strided<[5, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%s, %x : f32, memref<4x5xf32, strided<[5, 1], offset: ?>>) outs(%x : memref<4x5xf32, strided<[5, 1], offset: ?>>) {
    ^bb0(%a: f32, %v: f32, %o: f32):
      %p = arith.mulf %v, %half : f32
      %q = arith.addf %p, %t : f32
      %r = arith.subf %q, %a : f32
      linalg.yield %r : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%t, %x : f32, memref<4x5xf32, strided<[5, 1], offset: ?>>) outs(%y : memref<4x5xf32, strided<[5, 1], offset: ?>>) {
    ^bb0(%a: f32, %v: f32, %o: f32):
      %p = arith.mulf %v, %half : f32
      %q = arith.addf %p, %t : f32
      %r = arith.subf %q, %a : f32
      linalg.yield %r : f32
    }
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<4x5xf32, strided<[5, 1], offset: ?>>) outs(%y : memref<4x5xf32, strided<[5, 1], offset: ?>>) {
    ^bb0(%v: f32, %o: f32):
      %q = arith.addf %v, %third : f32
      linalg.yield %q : f32
    }
  }
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c80 = arith.constant 80 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4x4x3xf32>
  %c = memref.alloc() : memref<4x4x5xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<4x4x5xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%a : memref<4x4x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %s = arith.muli %i, %j : index
    %t = arith.subi %s, %k : index
    %w = arith.index_cast %t : index to i32
    %f = arith.sitofp %w : i32 to f32
    linalg.yield %f : f32
  }
  call @products(%a, %c) : (memref<4x4x3xf32>, memref<4x4x5xf32>) -> ()
  call @scaled(%c) : (memref<4x4x5xf32>) -> ()
  %flat = memref.collapse_shape %c [[0, 1, 2]] : memref<4x4x5xf32> into memref<80xf32>
  scf.for %i = %c0 to %c80 step %c1 {
    %v = memref.load %flat[%i] : memref<80xf32>
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extsi %b : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %a : memref<4x4x3xf32>
  memref.dealloc %c : memref<4x4x5xf32>
  return
}

// Symbols of another module are not seen.
// CHECK-LABEL: module @other
// CHECK-NOT: _tiles
module @other {
  func.func @twice(%x: memref<4xf32>, %y: memref<4xf32>) {
    %one = arith.constant 1.0 : f32
    linalg.fill ins(%one : f32) outs(%x : memref<4xf32>)
    linalg.fill ins(%one : f32) outs(%y : memref<4xf32>)
    return
  }
}
