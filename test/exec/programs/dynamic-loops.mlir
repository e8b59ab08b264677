// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic --saves --peak 128 | FileCheck %s

// Loops that begin anywhere, with sizes that grow and sizes that fall; affine loops. One arena per call of @run has the
// largest of them; where a loop does not run its sizes are insane.

// CHECK: {{^}}0{{$}}
// CHECK-NEXT: {{^}}11100{{$}}
// CHECK-NEXT: {{^}}26367{{$}}
// CHECK-NEXT: {{^}}42966{{$}}

func.func @run(%from: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %from to %n step %c3 {
    %a = memref.alloc(%i) : memref<?xi8>
    %left = arith.subi %n, %i : index
    %b = memref.alloc(%left) : memref<?xi8>
    func.call @use(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
    memref.dealloc %a : memref<?xi8>
    memref.dealloc %b : memref<?xi8>
  }
  affine.for %i = 3 to 20 step 8 {
    %left = affine.apply affine_map<(d0) -> (24 - d0)>(%i)
    %a = memref.alloc(%left) : memref<?xi8>
    %b = memref.alloc(%i) : memref<?xi8>
    func.call @use(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
    memref.dealloc %a : memref<?xi8>
    memref.dealloc %b : memref<?xi8>
  }
  affine.for %i = max affine_map<(d0) -> (2, d0)>(%from) to min affine_map<(d0) -> (d0, 9)>(%n) {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 10 step 4 {
      %a = memref.alloc(%j) : memref<?xi8>
      %b = memref.alloc(%i) : memref<?xi8>
      func.call @use(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
      memref.dealloc %a : memref<?xi8>
      memref.dealloc %b : memref<?xi8>
    }
  }
  return
}
func.func private @use(%a: memref<?xi8>, %b: memref<?xi8>) {
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
  func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
  %x = func.call @sum(%a) : (memref<?xi8>) -> i64
  %y = func.call @sum(%b) : (memref<?xi8>) -> i64
  %z = arith.muli %x, %y : i64
  func.call @show(%z) : (i64) -> ()
  return
}
func.func @main() {
  %none = arith.constant 0 : index
  %some = arith.constant 7 : index
  %more = arith.constant 40 : index
  %negative = arith.constant -64 : index
  %huge = arith.constant 4611686018427387904 : index
  call @run(%none, %more) : (index, index) -> ()
  call @run(%some, %more) : (index, index) -> ()
  call @run(%some, %some) : (index, index) -> ()
  call @run(%huge, %negative) : (index, index) -> ()
  call @run(%more, %none) : (index, index) -> ()
  return
}

// Writes all elements, from the seed on.
func.func private @fill(%b: memref<?xi8>, %seed: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %b, %c0 : memref<?xi8>
  scf.for %i = %c0 to %n step %c1 {
    %w = arith.index_cast %i : index to i8
    %v = arith.addi %w, %seed : i8
    memref.store %v, %b[%i] : memref<?xi8>
  }
  return
}
// Reads all of them.
func.func private @sum(%b: memref<?xi8>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %b, %c0 : memref<?xi8>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %v = memref.load %b[%i] : memref<?xi8>
    %w = arith.extui %v : i8 to i64
    %t = arith.addi %a, %w : i64
    scf.yield %t : i64
  }
  return %s : i64
}

// Prints a number on a line of its own.
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
