// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed with LLVM's optimizations: loops over views that are apart, overlap by an element, are one row of a ring or the next,
// are views made twice, parts of arguments that are one buffer, have no element; in a function that calls itself between, whose
// neighbour has the name that its loops would get.

// RUN: %python "%root/exec/harness.py" check %s --level 3 --pipeline 'builtin.module(outline-distinct-views)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --level 3 --pipeline 'builtin.module(merge-alloc,outline-distinct-views,buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --outline-distinct-views | FileCheck %s --check-prefix=FORM

// CHECK: equal

// FORM-LABEL: func.func private @apart_loop(
// FORM-SAME: {llvm.noalias}{{.*}}{llvm.noalias}
// FORM-LABEL: func.func @apart(
// FORM-NOT: noalias
// FORM-LABEL: func.func private @recursive_loop_0(
// FORM-SAME: {llvm.noalias}{{.*}}{llvm.noalias}
// FORM-LABEL: func.func private @recursive_loop_1(
// FORM-LABEL: func.func @recursive(

func.func private @printI64(i64)
func.func private @printNewline()

func.func @count(%x: memref<?xf32>, %factor: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %p = arith.muli %i, %factor : index
    %w = arith.index_cast %p : index to i32
    %f = arith.sitofp %w : i32 to f32
    memref.store %f, %x[%i] : memref<?xf32>
  }
  return
}

func.func @apart(%bytes: memref<1024xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %a = memref.view %bytes[%c0][] : memref<1024xi8> to memref<128xf32>
  %b = memref.view %bytes[%c512][] : memref<1024xi8> to memref<128xf32>
  affine.for %i = 0 to 128 {
    %x = affine.load %a[%i] : memref<128xf32>
    %y = affine.load %b[127 - %i] : memref<128xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %b[127 - %i] : memref<128xf32>
  }
  return
}

// Each element comes from the one that was written before.
func.func @shifted(%bytes: memref<1024xi8>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.view %bytes[%c0][] : memref<1024xi8> to memref<128xf32>
  %b = memref.view %bytes[%c4][] : memref<1024xi8> to memref<128xf32>
  affine.for %i = 0 to 128 {
    %x = affine.load %a[%i] : memref<128xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %b[%i] : memref<128xf32>
  }
  return
}

// %n elements of 4 bytes are apart, or are not, of a beginning at %k.
func.func @anywhere(%bytes: memref<1024xi8>, %k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.view %bytes[%c0][%n] : memref<1024xi8> to memref<?xf32>
  %b = memref.view %bytes[%k][%n] : memref<1024xi8> to memref<?xf32>
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %b[%i] : memref<?xf32>
  }
  return
}

// The row of a ring before this one is this one when the ring has one row.
func.func @ring(%bytes: memref<1024xi8>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %ring = memref.view %bytes[%c0][%rows] : memref<1024xi8> to memref<?x32xf32>
  scf.for %i = %c1 to %c6 step %c1 {
    %before = arith.subi %i, %c1 : index
    %from = arith.remui %before, %rows : index
    %to = arith.remui %i, %rows : index
    %source = memref.subview %ring[%from, 0] [1, 32] [1, 1] : memref<?x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    %target = memref.subview %ring[%to, 0] [1, 32] [1, 1] : memref<?x32xf32> to memref<32xf32, strided<[1], offset: ?>>
    affine.for %j = 0 to 31 {
      %x = affine.load %source[%j] : memref<32xf32, strided<[1], offset: ?>>
      %y = arith.addf %x, %x : f32
      affine.store %y, %target[%j + 1] : memref<32xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// A view is made again inside, and written there.
func.func @again(%bytes: memref<1024xi8>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %a = memref.view %bytes[%c0][] : memref<1024xi8> to memref<128xf32>
  %b = memref.view %bytes[%c512][] : memref<1024xi8> to memref<128xf32>
  affine.for %i = 0 to 127 {
    %same = memref.view %bytes[%c0][] : memref<1024xi8> to memref<128xf32>
    %x = affine.load %a[%i] : memref<128xf32>
    %y = affine.load %b[%i] : memref<128xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %same[%i + 1] : memref<128xf32>
  }
  return
}

// Arguments, which are parts of one buffer.
func.func @arguments(%x: memref<?xf32>, %y: memref<?xf32>) {
  affine.for %i = 0 to 100 {
    %v = affine.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %y[%i + 1] : memref<?xf32>
  }
  return
}

func.func private @recursive_loop(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  return %m : index
}

func.func @recursive(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %bytes = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
  %a = memref.view %bytes[%c0][] : memref<512xi8> to memref<64xf32>
  %b = memref.view %bytes[%c256][] : memref<512xi8> to memref<64xf32>
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<?xf32>
    affine.store %v, %a[%i] : memref<64xf32>
    %w = arith.negf %v : f32
    affine.store %w, %b[63 - %i] : memref<64xf32>
  }
  %more = arith.cmpi sgt, %n, %c0 : index
  scf.if %more {
    %m = func.call @recursive_loop(%n) : (index) -> index
    %again = memref.cast %a : memref<64xf32> to memref<?xf32>
    func.call @recursive(%again, %m) : (memref<?xf32>, index) -> ()
  }
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xf32>
    %w = affine.load %b[%i] : memref<64xf32>
    %s = arith.addf %v, %w : f32
    affine.store %s, %b[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %v = affine.load %b[%i] : memref<64xf32>
    affine.store %v, %x[%i] : memref<?xf32>
  }
  memref.dealloc %bytes : memref<512xi8>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c512 = arith.constant 512 : index
  %c256 = arith.constant 256 : index
  %bytes = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
  %all = memref.view %bytes[%c0][%c256] : memref<1024xi8> to memref<?xf32>
  call @count(%all, %c3) : (memref<?xf32>, index) -> ()
  call @apart(%bytes, %c1) : (memref<1024xi8>, index) -> ()
  call @shifted(%bytes) : (memref<1024xi8>) -> ()
  call @show(%all) : (memref<?xf32>) -> ()
  call @count(%all, %c1) : (memref<?xf32>, index) -> ()
  call @anywhere(%bytes, %c4, %c40) : (memref<1024xi8>, index, index) -> ()
  call @anywhere(%bytes, %c512, %c40) : (memref<1024xi8>, index, index) -> ()
  call @anywhere(%bytes, %c0, %c0) : (memref<1024xi8>, index, index) -> ()
  call @show(%all) : (memref<?xf32>) -> ()
  call @count(%all, %c1) : (memref<?xf32>, index) -> ()
  call @ring(%bytes, %c1) : (memref<1024xi8>, index) -> ()
  call @ring(%bytes, %c3) : (memref<1024xi8>, index) -> ()
  call @again(%bytes) : (memref<1024xi8>) -> ()
  call @arguments(%all, %all) : (memref<?xf32>, memref<?xf32>) -> ()
  call @show(%all) : (memref<?xf32>) -> ()
  call @count(%all, %c1) : (memref<?xf32>, index) -> ()
  call @recursive(%all, %c2) : (memref<?xf32>, index) -> ()
  call @show(%all) : (memref<?xf32>) -> ()
  memref.dealloc %bytes : memref<1024xi8>
  return
}

func.func @show(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extsi %b : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
