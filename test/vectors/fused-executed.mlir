// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is behind sums, executed: with NaN, infinity and zeros of both signs in activations; into a part of a buffer; added to what it
// writes over; with a number and a bias of each row; along the other dimension. And what must not be fused: a fill that the sums do
// not write over, a product with fused products, what reads the buffer that the next tile's sums read.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --level 3 --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=256 registers=16})' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(merge-alloc{poison},convert-linalg-to-vectors{vector-bits=64},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc{poison},convert-linalg-to-vectors{vector-bits=32 registers=7},buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors=pack-weights=false | FileCheck %s --check-prefix=FORM

// CHECK: equal

#plane = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#lane = affine_map<(d0, d1) -> (d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0, d1) -> ()>
#sum = affine_map<(d0, d1) -> (d0 + d1)>

func.func @activations(%a: memref<7x9xf32>, %b: memref<9x11xf32>, %bias: memref<7xf32>, %low: f32) -> (memref<7x11xf32>, memref<7x11xf32>) {
  %zero = arith.constant -0.0 : f32
  %six = arith.constant 6.0 : f32
  %y = memref.alloc() : memref<7x11xf32>
  %z = memref.alloc() : memref<7x11xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<7x11xf32>)
  linalg.matmul ins(%a, %b : memref<7x9xf32>, memref<9x11xf32>) outs(%y : memref<7x11xf32>)
  linalg.generic {indexing_maps = [#row, #plane, #one, #plane], iterator_types = ["parallel", "parallel"]} ins(%bias, %y, %low : memref<7xf32>, memref<7x11xf32>, f32) outs(%z : memref<7x11xf32>) {
  ^bb0(%c: f32, %x: f32, %l: f32, %o: f32):
    %s = arith.addf %x, %c : f32
    %m = arith.maximumf %s, %l : f32
    %r = arith.minimumf %m, %six : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<7x11xf32>)
  linalg.matmul ins(%a, %b : memref<7x9xf32>, memref<9x11xf32>) outs(%y : memref<7x11xf32>)
  linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]} ins(%y : memref<7x11xf32>) outs(%y : memref<7x11xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maxnumf %x, %zero : f32
    %r = arith.minnumf %m, %six : f32
    linalg.yield %r : f32
  }
  return %y, %z : memref<7x11xf32>, memref<7x11xf32>
}

// Into the inside of a buffer, whose border stays; and added to what is there.
func.func @parts(%a: memref<8x8xf32>, %z: memref<10x10xf32>) {
  %one = arith.constant 1.0 : f32
  %inside = memref.subview %z[1, 1] [8, 8] [1, 1] : memref<10x10xf32> to memref<8x8xf32, strided<[10, 1], offset: 11>>
  %y = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%one : f32) outs(%y : memref<8x8xf32>)
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#plane, #plane, #plane], iterator_types = ["parallel", "parallel"]} ins(%inside, %y : memref<8x8xf32, strided<[10, 1], offset: 11>>, memref<8x8xf32>) outs(%inside : memref<8x8xf32, strided<[10, 1], offset: 11>>) {
  ^bb0(%v: f32, %x: f32, %o: f32):
    %s = arith.addf %x, %v : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%one : f32) outs(%y : memref<8x8xf32>)
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#turned, #plane], iterator_types = ["parallel", "parallel"]} ins(%y : memref<8x8xf32>) outs(%inside : memref<8x8xf32, strided<[10, 1], offset: 11>>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  }
  memref.dealloc %y : memref<8x8xf32>
  return
}

// The sums are of some cells, of which some twice; the others keep the 3.
// FORM-LABEL: func.func @diagonals(
// FORM: arith.constant 3.0
// FORM: vector.broadcast
// FORM: linalg.generic
// FORM-LABEL: func.func @products(
func.func @diagonals(%a: memref<2x4x5xf32>) -> memref<8xf32> {
  %three = arith.constant 3.0 : f32
  %y = memref.alloc() : memref<8xf32>
  linalg.fill ins(%three : f32) outs(%y : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0 + d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a : memref<2x4x5xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  return %y : memref<8xf32>
}

// FORM: arith.mulf
// FORM: arith.negf
// FORM: vector.store
// FORM: arith.subf
// FORM-LABEL: func.func @main(
func.func @products(%a: memref<6x8xf32>) -> memref<8xf32> {
  %one = arith.constant 1.0 : f32
  %y = memref.alloc() : memref<8xf32>
  linalg.fill ins(%one : f32) outs(%y : memref<8xf32>)
  linalg.generic {indexing_maps = [#plane, #lane], iterator_types = ["reduction", "parallel"]} ins(%a : memref<6x8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.mulf %o, %v : f32
    %s = arith.negf %m : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%y : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.subf %v, %one : f32
    linalg.yield %s : f32
  }
  return %y : memref<8xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %nan = arith.constant 0x7FC00000 : f32
  %infinite = arith.constant 0x7F800000 : f32
  %negative = arith.constant -0.0 : f32
  %low = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<7x9xf32>
  %b = memref.alloc() : memref<9x11xf32>
  %bias = memref.alloc() : memref<7xf32>
  %c = memref.alloc() : memref<8x8xf32>
  %z = memref.alloc() : memref<10x10xf32>
  %d = memref.alloc() : memref<2x4x5xf32>
  %e = memref.alloc() : memref<6x8xf32>
  %a0 = memref.cast %a : memref<7x9xf32> to memref<?x?xf32>
  %b0 = memref.cast %b : memref<9x11xf32> to memref<?x?xf32>
  %c00 = memref.cast %c : memref<8x8xf32> to memref<?x?xf32>
  %z0 = memref.cast %z : memref<10x10xf32> to memref<?x?xf32>
  %flat = memref.collapse_shape %d [[0, 1], [2]] : memref<2x4x5xf32> into memref<8x5xf32>
  %d0 = memref.cast %flat : memref<8x5xf32> to memref<?x?xf32>
  %e0 = memref.cast %e : memref<6x8xf32> to memref<?x?xf32>
  call @numbers(%a0) : (memref<?x?xf32>) -> ()
  call @numbers(%b0) : (memref<?x?xf32>) -> ()
  call @numbers(%c00) : (memref<?x?xf32>) -> ()
  call @numbers(%z0) : (memref<?x?xf32>) -> ()
  call @numbers(%d0) : (memref<?x?xf32>) -> ()
  call @numbers(%e0) : (memref<?x?xf32>) -> ()
  linalg.fill ins(%negative : f32) outs(%bias : memref<7xf32>)
  memref.store %nan, %a[%c1, %c2] : memref<7x9xf32>
  memref.store %infinite, %a[%c3, %c5] : memref<7x9xf32>
  memref.store %nan, %bias[%c5] : memref<7xf32>
  scf.for %i = %c0 to %c5 step %c1 {
    memref.store %negative, %a[%c0, %i] : memref<7x9xf32>
    memref.store %negative, %b[%i, %c3] : memref<9x11xf32>
  }
  %y:2 = call @activations(%a, %b, %bias, %low) : (memref<7x9xf32>, memref<9x11xf32>, memref<7xf32>, f32) -> (memref<7x11xf32>, memref<7x11xf32>)
  call @parts(%c, %z) : (memref<8x8xf32>, memref<10x10xf32>) -> ()
  %q = call @diagonals(%d) : (memref<2x4x5xf32>) -> memref<8xf32>
  %p = call @products(%e) : (memref<6x8xf32>) -> memref<8xf32>
  %y0 = memref.cast %y#0 : memref<7x11xf32> to memref<?x?xf32>
  %y1 = memref.cast %y#1 : memref<7x11xf32> to memref<?x?xf32>
  %q1 = memref.expand_shape %q [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  %q0 = memref.cast %q1 : memref<1x8xf32> to memref<?x?xf32>
  %p1 = memref.expand_shape %p [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  %p0 = memref.cast %p1 : memref<1x8xf32> to memref<?x?xf32>
  call @show(%y0) : (memref<?x?xf32>) -> ()
  call @show(%y1) : (memref<?x?xf32>) -> ()
  call @show(%z0) : (memref<?x?xf32>) -> ()
  call @show(%q0) : (memref<?x?xf32>) -> ()
  call @show(%p0) : (memref<?x?xf32>) -> ()
  memref.dealloc %a : memref<7x9xf32>
  memref.dealloc %b : memref<9x11xf32>
  memref.dealloc %bias : memref<7xf32>
  memref.dealloc %c : memref<8x8xf32>
  memref.dealloc %z : memref<10x10xf32>
  memref.dealloc %d : memref<2x4x5xf32>
  memref.dealloc %e : memref<6x8xf32>
  memref.dealloc %y#0 : memref<7x11xf32>
  memref.dealloc %y#1 : memref<7x11xf32>
  memref.dealloc %q : memref<8xf32>
  memref.dealloc %p : memref<8xf32>
  return
}

func.func @numbers(%x: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#plane], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c17 = arith.constant 17 : index
    %c101 = arith.constant 101 : index
    %c50 = arith.constant 50 : index
    %c = arith.constant 0.0173 : f32
    %s = arith.muli %i, %c17 : index
    %t = arith.addi %s, %j : index
    %u = arith.muli %t, %t : index
    %v = arith.remui %u, %c101 : index
    %w = arith.subi %v, %c50 : index
    %n = arith.index_cast %w : index to i32
    %f = arith.sitofp %n : i32 to f32
    %r = arith.mulf %f, %c : f32
    linalg.yield %r : f32
  }
  return
}

func.func private @printI64(i64)
func.func private @printNewline()

func.func @show(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %b = arith.bitcast %v : f32 to i32
      %w = arith.extsi %b : i32 to i64
      func.call @printI64(%w) : (i64) -> ()
      func.call @printNewline() : () -> ()
    }
  }
  return
}
