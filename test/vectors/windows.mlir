// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed: rows of an argument that are windows of one signal, by its type or by a stride that the caller chooses, are not apart.
// Rows of an argument whose strides keep them apart are.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=128 registers=7})' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --level 3 --pipeline 'builtin.module(outline-distinct-views)' | FileCheck %s
// RUN: stowage-opt %s --outline-distinct-views | FileCheck %s --check-prefix=FORM --implicit-check-not="func private @wraps"

// CHECK: equal

// FORM-LABEL: func.func private @caller_strides_loop(
// FORM-SAME: %arg1: memref<i32>, %arg2: index
// FORM-LABEL: func.func private @far_loop(
// FORM-SAME: {llvm.noalias}{{.*}}{llvm.noalias}
// FORM-LABEL: func.func @far(

func.func private @printI64(i64)
func.func private @printNewline()

// Sums read row 0 of %w, what is behind them writes row 4, which begins 4 elements further.
func.func @sums(%w: memref<8x32xi32, strided<[1, 1]>>, %b: memref<32x32xi32> {llvm.noalias}) {
  %c0 = arith.constant 0 : i32
  %z = memref.subview %w[4, 0] [1, 32] [1, 1] : memref<8x32xi32, strided<[1, 1]>> to memref<32xi32, strided<[1], offset: 4>>
  %r = memref.alloc() : memref<32xi32>
  linalg.fill ins(%c0 : i32) outs(%r : memref<32xi32>)
  %a0 = memref.subview %w[0, 0] [1, 32] [1, 1] : memref<8x32xi32, strided<[1, 1]>> to memref<32xi32, strided<[1]>>
  linalg.vecmat ins(%a0, %b : memref<32xi32, strided<[1]>>, memref<32x32xi32>) outs(%r : memref<32xi32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%r : memref<32xi32>) outs(%z : memref<32xi32, strided<[1], offset: 4>>) {
  ^bb0(%x: i32, %o: i32):
    %s = arith.maxsi %x, %c0 : i32
    linalg.yield %s : i32
  }
  memref.dealloc %r : memref<32xi32>
  return
}

func.func @caller_strides(%arg: memref<4x64xi32, strided<[?, 1]>>) {
  %bytes = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
  %c0 = arith.constant 0 : index
  %v = memref.view %bytes[%c0][] : memref<1024xi8> to memref<64xi32>
  %a = memref.subview %arg[0, 0] [1, 64] [1, 1] : memref<4x64xi32, strided<[?, 1]>> to memref<64xi32, strided<[1]>>
  %b = memref.subview %arg[1, 0] [1, 64] [1, 1] : memref<4x64xi32, strided<[?, 1]>> to memref<64xi32, strided<[1], offset: ?>>
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi32, strided<[1]>>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<64xi32, strided<[1], offset: ?>>
    affine.store %y, %v[%i] : memref<64xi32>
  }
  memref.dealloc %bytes : memref<1024xi8>
  return
}

// The second row begins behind the first one.
func.func @far(%arg: memref<4x64xi32, strided<[96, 1]>>) {
  %bytes = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
  %c0 = arith.constant 0 : index
  %v = memref.view %bytes[%c0][] : memref<1024xi8> to memref<64xi32>
  %a = memref.subview %arg[0, 0] [1, 64] [1, 1] : memref<4x64xi32, strided<[96, 1]>> to memref<64xi32, strided<[1]>>
  %b = memref.subview %arg[1, 0] [1, 64] [1, 1] : memref<4x64xi32, strided<[96, 1]>> to memref<64xi32, strided<[1], offset: 96>>
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xi32, strided<[1]>>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<64xi32, strided<[1], offset: 96>>
    affine.store %y, %v[%i] : memref<64xi32>
  }
  memref.dealloc %bytes : memref<1024xi8>
  return
}

// The shift wraps: divided again it is not the number that it was.
func.func @wraps(%bytes: memref<1024xi8>, %n: index) {
  %c60 = arith.constant 60 : index
  %far = arith.constant 1152921504606846976 : index
  %c260 = arith.constant 260 : index
  %shifted = arith.shli %n, %c60 : index
  %back = arith.floordivsi %shifted, %far : index
  %o = arith.addi %back, %c260 : index
  %a = memref.view %bytes[%n][] : memref<1024xi8> to memref<50xi32>
  %b = memref.view %bytes[%o][] : memref<1024xi8> to memref<50xi32>
  affine.for %i = 0 to 50 {
    %x = affine.load %a[%i] : memref<50xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<50xi32>
  }
  return
}

func.func @wraps_affine(%bytes: memref<1024xi8>, %n: index) {
  %c60 = arith.constant 60 : index
  %c260 = arith.constant 260 : index
  %shifted = arith.shli %n, %c60 : index
  %back = affine.apply affine_map<(d0) -> (d0 floordiv 1152921504606846976)>(%shifted)
  %o = arith.addi %back, %c260 : index
  %a = memref.view %bytes[%n][] : memref<1024xi8> to memref<50xi32>
  %b = memref.view %bytes[%o][] : memref<1024xi8> to memref<50xi32>
  affine.for %i = 0 to 50 {
    %x = affine.load %a[%i] : memref<50xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<50xi32>
  }
  return
}

// The product wraps, and is divided by its factor.
func.func @wraps_product(%bytes: memref<1024xi8>, %n: index) {
  %c1000 = arith.constant 1000 : index
  %c260 = arith.constant 260 : index
  %product = arith.muli %n, %c1000 : index
  %quotient = arith.floordivsi %product, %c1000 : index
  %back = arith.muli %quotient, %c1000 : index
  %o = arith.addi %back, %c260 : index
  %a = memref.view %bytes[%product][] : memref<1024xi8> to memref<50xi32>
  %b = memref.view %bytes[%o][] : memref<1024xi8> to memref<50xi32>
  affine.for %i = 0 to 50 {
    %x = affine.load %a[%i] : memref<50xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<50xi32>
  }
  return
}

// Nothing is below 0, but the offset comes round to the other view.
func.func @wraps_sum(%bytes: memref<1024xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c260 = arith.constant 260 : index
  %positive = arith.maxsi %n, %c0 : index
  %product = arith.muli %positive, %c8 : index
  %o = arith.addi %product, %c260 : index
  %a = memref.view %bytes[%c0][] : memref<1024xi8> to memref<50xi32>
  %b = memref.view %bytes[%o][] : memref<1024xi8> to memref<50xi32>
  affine.for %i = 0 to 50 {
    %x = affine.load %a[%i] : memref<50xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<50xi32>
  }
  return
}

// A dimension beside one that is 0 has no limit.
func.func @wraps_empty(%bytes: memref<1024xi8>, %empty: memref<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c260 = arith.constant 260 : index
  %n = memref.dim %empty, %c1 : memref<?x?xi8>
  %product = arith.muli %n, %c8 : index
  %o = arith.addi %product, %c260 : index
  %a = memref.view %bytes[%c0][] : memref<1024xi8> to memref<50xi32>
  %b = memref.view %bytes[%o][] : memref<1024xi8> to memref<50xi32>
  affine.for %i = 0 to 50 {
    %x = affine.load %a[%i] : memref<50xi32>
    %y = arith.addi %x, %x : i32
    affine.store %y, %b[%i] : memref<50xi32>
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cn = arith.constant 400 : index
  %one = arith.constant 1 : i32
  %signal = memref.alloc() : memref<400xi32>
  %b = memref.alloc() : memref<32x32xi32>
  linalg.fill ins(%one : i32) outs(%signal : memref<400xi32>)
  linalg.fill ins(%one : i32) outs(%b : memref<32x32xi32>)
  %s = memref.reinterpret_cast %signal to offset: [0], sizes: [8, 32], strides: [1, 1] : memref<400xi32> to memref<8x32xi32, strided<[1, 1]>>
  call @sums(%s, %b) : (memref<8x32xi32, strided<[1, 1]>>, memref<32x32xi32>) -> ()
  %w = memref.reinterpret_cast %signal to offset: [0], sizes: [4, 64], strides: [%c1, 1] : memref<400xi32> to memref<4x64xi32, strided<[?, 1]>>
  call @caller_strides(%w) : (memref<4x64xi32, strided<[?, 1]>>) -> ()
  %f = memref.reinterpret_cast %signal to offset: [0], sizes: [4, 64], strides: [96, 1] : memref<400xi32> to memref<4x64xi32, strided<[96, 1]>>
  call @far(%f) : (memref<4x64xi32, strided<[96, 1]>>) -> ()
  scf.for %i = %c0 to %cn step %c1 {
    %x = memref.load %signal[%i] : memref<400xi32>
    %y = arith.extsi %x : i32 to i64
    func.call @printI64(%y) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  %n256 = arith.constant 256 : index
  %bytes = memref.alloc() : memref<1024xi8>
  %byte = arith.constant 1 : i8
  linalg.fill ins(%byte : i8) outs(%bytes : memref<1024xi8>)
  call @wraps(%bytes, %n256) : (memref<1024xi8>, index) -> ()
  call @wraps_affine(%bytes, %n256) : (memref<1024xi8>, index) -> ()
  %n2_63 = arith.constant 922337203685477581 : index
  call @wraps_product(%bytes, %n2_63) : (memref<1024xi8>, index) -> ()
  %n2_61 = arith.constant 2305843009213693920 : index
  call @wraps_sum(%bytes, %n2_61) : (memref<1024xi8>, index) -> ()
  %empty = memref.alloc(%c0, %n2_61) : memref<?x?xi8>
  call @wraps_empty(%bytes, %empty) : (memref<1024xi8>, memref<?x?xi8>) -> ()
  memref.dealloc %empty : memref<?x?xi8>
  %words = memref.view %bytes[%c0][] : memref<1024xi8> to memref<256xi32>
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c1 {
    %x = memref.load %words[%i] : memref<256xi32>
    %y = arith.extsi %x : i32 to i64
    func.call @printI64(%y) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %bytes : memref<1024xi8>
  memref.dealloc %signal : memref<400xi32>
  memref.dealloc %b : memref<32x32xi32>
  return
}
