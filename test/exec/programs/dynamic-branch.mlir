// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic | FileCheck %s

// The size is sane only where the branch is taken: nothing of that size may be allocated outside of it, nor part of an arena there.

// CHECK: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2464{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2208{{$}}

func.func @run(%n: index, %m: index, %sane: i1) {
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  %a = memref.alloc(%m) : memref<?xi8>
  call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
  %x = call @sum(%a) : (memref<?xi8>) -> i64
  memref.dealloc %a : memref<?xi8>
  call @show(%x) : (i64) -> ()
  scf.if %sane {
    %b = memref.alloc(%n) : memref<?xi8>
    %c = memref.alloc(%m) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @fill(%c, %three) : (memref<?xi8>, i8) -> ()
    %z = func.call @sum(%c) : (memref<?xi8>) -> i64
    memref.dealloc %c : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  return
}
func.func @main() {
  %sane = arith.constant 64 : index
  %negative = arith.constant -64 : index
  %huge = arith.constant 4611686018427387904 : index
  %true = arith.constant true
  %false = arith.constant false
  call @run(%sane, %sane, %true) : (index, index, i1) -> ()
  call @run(%negative, %sane, %false) : (index, index, i1) -> ()
  call @run(%huge, %sane, %false) : (index, index, i1) -> ()
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
