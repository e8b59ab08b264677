// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic | FileCheck %s

// What a branch computes is the size of a buffer behind it. An arena that begins in front of the branch cannot have it.

// CHECK: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}232{{$}}
// CHECK-NEXT: {{^}}2464{{$}}

func.func @run(%sizes: memref<1xindex>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  %k = memref.load %sizes[%c0] : memref<1xindex>
  %r = scf.if %bit -> (index) {
    %a = memref.alloc(%k) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    %c4 = arith.constant 4 : index
    %fourth = arith.divui %k, %c4 : index
    scf.yield %fourth : index
  } else {
    scf.yield %k : index
  }
  %b = memref.alloc(%r) : memref<?xi8>
  call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
  %y = call @sum(%b) : (memref<?xi8>) -> i64
  memref.dealloc %b : memref<?xi8>
  call @show(%y) : (i64) -> ()
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %n = arith.constant 64 : index
  %sizes = memref.alloc() : memref<1xindex>
  memref.store %n, %sizes[%c0] : memref<1xindex>
  %true = arith.constant true
  %false = arith.constant false
  call @run(%sizes, %true) : (memref<1xindex>, i1) -> ()
  call @run(%sizes, %false) : (memref<1xindex>, i1) -> ()
  memref.dealloc %sizes : memref<1xindex>
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
