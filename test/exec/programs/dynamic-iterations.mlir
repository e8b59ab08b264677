// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic --saves --peak 64 | FileCheck %s

// Sizes of an iteration, each 16 bytes more than the last: an arena of the iteration's own. A loop without iterations has no
// size that is sane.

// CHECK: {{^}}0{{$}}
// CHECK-NEXT: {{^}}400{{$}}
// CHECK-NEXT: {{^}}1312{{$}}
// CHECK-NEXT: {{^}}2736{{$}}
// CHECK-NEXT: {{^}}4672{{$}}

func.func @run(%from: index, %trips: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  scf.for %i = %c0 to %trips step %c1 {
    %more = arith.muli %i, %step : index
    %n = arith.addi %from, %more : index
    %a = memref.alloc(%n) : memref<?xi8>
    %b = memref.alloc(%n) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    memref.dealloc %b : memref<?xi8>
    %s = arith.addi %x, %y : i64
    func.call @show(%s) : (i64) -> ()
  }
  return
}
func.func @main() {
  %none = arith.constant 0 : index
  %five = arith.constant 5 : index
  %sixteen = arith.constant 16 : index
  %negative = arith.constant -4096 : index
  call @run(%negative, %none, %sixteen) : (index, index, index) -> ()
  call @run(%none, %five, %sixteen) : (index, index, index) -> ()
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
