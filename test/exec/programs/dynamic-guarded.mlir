// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic --saves --peak 1024 | FileCheck %s

// Branches and loops share one arena with what is around them. Where they do not run their sizes are insane, and count nothing;
// the sizes of iterations become larger, and the last one's are in the arena.

// CHECK: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}9024{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}11232{{$}}
// CHECK-NEXT: {{^}}34848{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}130560{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}

func.func @run(%n: index, %m: index, %trips: index, %bit: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  %a = memref.alloc(%m) : memref<?xi8>
  func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
  %x = func.call @sum(%a) : (memref<?xi8>) -> i64
  memref.dealloc %a : memref<?xi8>
  func.call @show(%x) : (i64) -> ()
  scf.if %bit {
    %b = memref.alloc(%n) : memref<?x2xi8>
    %flat = memref.collapse_shape %b [[0, 1]] : memref<?x2xi8> into memref<?xi8>
    func.call @fill(%flat, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%flat) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?x2xi8>
    func.call @show(%y) : (i64) -> ()
  } else {
    %b = memref.alloc(%m) : memref<?xi8>
    func.call @fill(%b, %three) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  scf.for %i = %c0 to %trips step %c2 {
    %k = arith.muli %i, %n : index
    %b = memref.alloc(%k) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %c = memref.alloc(%n) : memref<?xi8>
    func.call @fill(%c, %three) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    %z = func.call @sum(%c) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    memref.dealloc %c : memref<?xi8>
    %s = arith.addi %y, %z : i64
    func.call @show(%s) : (i64) -> ()
  }
  return
}
func.func @main() {
  %none = arith.constant 0 : index
  %some = arith.constant 6 : index
  %small = arith.constant 64 : index
  %negative = arith.constant -64 : index
  %huge = arith.constant 4611686018427387904 : index
  %large = arith.constant 512 : index
  %true = arith.constant true
  %false = arith.constant false
  call @run(%small, %small, %some, %true) : (index, index, index, i1) -> ()
  call @run(%negative, %large, %none, %false) : (index, index, index, i1) -> ()
  call @run(%huge, %small, %negative, %false) : (index, index, index, i1) -> ()
  call @run(%large, %none, %none, %true) : (index, index, index, i1) -> ()
  call @run(%none, %large, %some, %false) : (index, index, index, i1) -> ()
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
