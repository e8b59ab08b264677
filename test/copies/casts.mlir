// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A cast to a layout that tells nothing keeps its type where its buffer lies elsewhere: what is counted from the beginning of the
// allocation behind it, or cast back to known strides, must not be taken for the same.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{lend-arguments},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,buffer-deallocation)' | FileCheck %s

// CHECK: equal

func.func @counted_from_the_base(%x: memref<8xf32>, %out: memref<16xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf32>
  %bd = memref.cast %b : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %br = memref.reinterpret_cast %bd to offset: [0], sizes: [8], strides: [1] : memref<8xf32, strided<[?], offset: ?>> to memref<8xf32>
  linalg.add ins(%a, %x : memref<8xf32>, memref<8xf32>) outs(%br : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%x : memref<8xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  }
  %three = arith.constant 3.0 : f32
  linalg.fill ins(%three : f32) outs(%out : memref<16xf32>)
  return
}

func.func @counted_in_a_part(%x: memref<8xf32>, %out: memref<16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<8xf32>
  %bd = memref.cast %b : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %br = memref.reinterpret_cast %bd to offset: [0], sizes: [8], strides: [1] : memref<8xf32, strided<[?], offset: ?>> to memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %br[%i] : memref<8xf32>
  }
  %s = memref.subview %a[5] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 5>>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%a : memref<16xf32>)
  memref.copy %b, %s : memref<8xf32> to memref<8xf32, strided<[1], offset: 5>>
  linalg.generic {indexing_maps = [affine_map<(i) -> (15 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : memref<16xf32>) outs(%out : memref<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %t = arith.addf %v, %v : f32
    linalg.yield %t : f32
  }
  return
}

func.func @cast_back(%x: memref<8xf32>, %out: memref<16xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %b = memref.alloc() : memref<8xf32>
  %bd = memref.cast %b : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %br = memref.cast %bd : memref<8xf32, strided<[?], offset: ?>> to memref<8xf32>
  %be = memref.expand_shape %br [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %x[%j] : memref<8xf32>
      memref.store %v, %be[%i, %j] : memref<2x4xf32>
    }
  }
  %s = memref.subview %out[5] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 5>>
  memref.copy %b, %s : memref<8xf32> to memref<8xf32, strided<[1], offset: 5>>
  return
}

func.func @main() {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %x0 = memref.alloc() : memref<8xf32>
  %x0_any = memref.cast %x0 : memref<8xf32> to memref<?xf32>
  func.call @seed(%x0_any, %one) : (memref<?xf32>, f32) -> ()
  %y0 = memref.alloc() : memref<16xf32>
  %y0_any = memref.cast %y0 : memref<16xf32> to memref<?xf32>
  func.call @seed(%y0_any, %two) : (memref<?xf32>, f32) -> ()
  func.call @counted_from_the_base(%x0, %y0) : (memref<8xf32>, memref<16xf32>) -> ()
  func.call @show(%x0_any) : (memref<?xf32>) -> ()
  func.call @show(%y0_any) : (memref<?xf32>) -> ()
  memref.dealloc %x0 : memref<8xf32>
  memref.dealloc %y0 : memref<16xf32>
  %x1 = memref.alloc() : memref<8xf32>
  %x1_any = memref.cast %x1 : memref<8xf32> to memref<?xf32>
  func.call @seed(%x1_any, %one) : (memref<?xf32>, f32) -> ()
  %y1 = memref.alloc() : memref<16xf32>
  %y1_any = memref.cast %y1 : memref<16xf32> to memref<?xf32>
  func.call @seed(%y1_any, %two) : (memref<?xf32>, f32) -> ()
  func.call @counted_in_a_part(%x1, %y1) : (memref<8xf32>, memref<16xf32>) -> ()
  func.call @show(%x1_any) : (memref<?xf32>) -> ()
  func.call @show(%y1_any) : (memref<?xf32>) -> ()
  memref.dealloc %x1 : memref<8xf32>
  memref.dealloc %y1 : memref<16xf32>
  %x2 = memref.alloc() : memref<8xf32>
  %x2_any = memref.cast %x2 : memref<8xf32> to memref<?xf32>
  func.call @seed(%x2_any, %one) : (memref<?xf32>, f32) -> ()
  %y2 = memref.alloc() : memref<16xf32>
  %y2_any = memref.cast %y2 : memref<16xf32> to memref<?xf32>
  func.call @seed(%y2_any, %two) : (memref<?xf32>, f32) -> ()
  func.call @cast_back(%x2, %y2) : (memref<8xf32>, memref<16xf32>) -> ()
  func.call @show(%x2_any) : (memref<?xf32>) -> ()
  func.call @show(%y2_any) : (memref<?xf32>) -> ()
  memref.dealloc %x2 : memref<8xf32>
  memref.dealloc %y2 : memref<16xf32>
  return
}

func.func @seed(%m: memref<?xf32>, %first: f32) {
  %step = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %first) -> f32 {
    memref.store %v, %m[%i] : memref<?xf32>
    %next = arith.subf %v, %step : f32
    scf.yield %next : f32
  }
  return
}
func.func @show(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xf32>
    vector.print %v : f32
  }
  return
}
