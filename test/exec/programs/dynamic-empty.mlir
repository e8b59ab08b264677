// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic | FileCheck %s

// Buffers without elements, beside some that have them, in every combination.

// CHECK: {{^}}0{{$}}
// CHECK-NEXT: {{^}}63{{$}}
// CHECK-NEXT: {{^}}63{{$}}
// CHECK-NEXT: {{^}}13{{$}}
// CHECK-NEXT: {{^}}6699{{$}}

func.func @run(%n: index, %m: index) {
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  %nm = arith.muli %n, %m : index
  %a = memref.alloc(%n) : memref<?xi8>
  %b = memref.alloc(%nm) : memref<?xi8>
  call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
  call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
  %x = call @sum(%a) : (memref<?xi8>) -> i64
  memref.dealloc %a : memref<?xi8>
  %c = memref.alloc(%m) : memref<?xi8>
  call @fill(%c, %three) : (memref<?xi8>, i8) -> ()
  %y = call @sum(%b) : (memref<?xi8>) -> i64
  %z = call @sum(%c) : (memref<?xi8>) -> i64
  %xy = arith.addi %x, %y : i64
  %s = arith.addi %xy, %z : i64
  call @show(%s) : (i64) -> ()
  memref.dealloc %b : memref<?xi8>
  memref.dealloc %c : memref<?xi8>
  return
}
func.func @main() {
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %twelve = arith.constant 12 : index
  call @run(%none, %none) : (index, index) -> ()
  call @run(%nine, %none) : (index, index) -> ()
  call @run(%none, %nine) : (index, index) -> ()
  call @run(%one, %one) : (index, index) -> ()
  call @run(%twelve, %nine) : (index, index) -> ()
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
