// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic --saves --peak 2048 | FileCheck %s

// The cases of an scf.index_switch, and both halves of an scf.while, share one arena with what is around them. Where they do not run
// their sizes are insane, and count nothing. Upstream's lowering looks at the lowest 32 bits of a number alone.

// CHECK: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}9024{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2464{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2464{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}261120{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}130560{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}261120{{$}}
// CHECK-NEXT: {{^}}0{{$}}

func.func @run(%n: index, %m: index, %which: index, %turns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  %a = memref.alloc(%m) : memref<?xi8>
  func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
  %x = func.call @sum(%a) : (memref<?xi8>) -> i64
  memref.dealloc %a : memref<?xi8>
  func.call @show(%x) : (i64) -> ()
  scf.index_switch %which
  case 0 {
    %b = memref.alloc(%n) : memref<?x2xi8>
    %flat = memref.collapse_shape %b [[0, 1]] : memref<?x2xi8> into memref<?xi8>
    func.call @fill(%flat, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%flat) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?x2xi8>
    func.call @show(%y) : (i64) -> ()
    scf.yield
  }
  case -7 {
    %k = arith.muli %n, %c4 : index
    %b = memref.alloc(%k) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
    scf.yield
  }
  default {
    %b = memref.alloc(%m) : memref<?xi8>
    func.call @fill(%b, %three) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  %last = scf.while (%i = %c0) : (index) -> index {
    %b = memref.alloc(%m) : memref<?xi8>
    func.call @fill(%b, %three) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
    %more = arith.cmpi slt, %i, %turns : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %b = memref.alloc(%n) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
    %next = arith.addi %j, %c1 : index
    scf.yield %next : index
  }
  return
}
func.func @main() {
  %none = arith.constant 0 : index
  %two = arith.constant 2 : index
  %small = arith.constant 64 : index
  %case = arith.constant -7 : index
  %beyond = arith.constant 4294967289 : index
  %least = arith.constant -9223372036854775808 : index
  %negative = arith.constant -64 : index
  %huge = arith.constant 4611686018427387904 : index
  %large = arith.constant 512 : index
  call @run(%small, %small, %none, %two) : (index, index, index, index) -> ()
  call @run(%large, %small, %case, %none) : (index, index, index, index) -> ()
  call @run(%negative, %large, %two, %none) : (index, index, index, index) -> ()
  call @run(%huge, %small, %large, %least) : (index, index, index, index) -> ()
  call @run(%large, %none, %none, %two) : (index, index, index, index) -> ()
  call @run(%none, %large, %two, %two) : (index, index, index, index) -> ()
  call @run(%large, %none, %beyond, %none) : (index, index, index, index) -> ()
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
