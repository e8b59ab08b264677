// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic --saves --peak 512 | FileCheck %s

// Loops that count in i32, between constants, and in i64. One that does not run has insane sizes.

// CHECK: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2464{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2464{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2464{{$}}
// CHECK-NEXT: {{^}}2275{{$}}
// CHECK-NEXT: {{^}}2535{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}168{{$}}
// CHECK-NEXT: {{^}}232{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}65280{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}168{{$}}
// CHECK-NEXT: {{^}}232{{$}}

func.func @run(%n: index, %insane: index, %end: i64) {
  %three = arith.constant 3 : i8
  %seven = arith.constant 7 : i8
  %none = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %last = arith.constant 32 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %least = arith.constant -2147483648 : i32
  scf.for %i = %none to %last step %step : i32 {
    %a = memref.alloc(%n) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    %b = memref.alloc(%n) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  scf.for %i = %last to %none step %step : i32 {
    %a = memref.alloc(%insane) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    %b = memref.alloc(%insane) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  scf.for %i = %none to %least step %step : i32 {
    %a = memref.alloc(%insane) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    %b = memref.alloc(%insane) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  scf.for %i = %zero to %end step %one : i64 {
    %w = arith.index_cast %i : i64 to index
    %k = arith.addi %n, %w : index
    %a = memref.alloc(%k) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    %b = memref.alloc(%k) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  scf.for %i = %none to %last step %step : i32 {
    %w = arith.index_cast %i : i32 to index
    %a = memref.alloc(%w) : memref<?xi8>
    func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%a) : (memref<?xi8>) -> i64
    memref.dealloc %a : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    %b = memref.alloc(%w) : memref<?xi8>
    func.call @fill(%b, %seven) : (memref<?xi8>, i8) -> ()
    %y = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%y) : (i64) -> ()
  }
  return
}
func.func @main() {
  %small = arith.constant 64 : index
  %large = arith.constant 512 : index
  %negative = arith.constant -64 : index
  %huge = arith.constant 4611686018427387904 : index
  %below = arith.constant -9223372036854775808 : i64
  %two = arith.constant 2 : i64
  call @run(%small, %huge, %two) : (index, index, i64) -> ()
  call @run(%large, %negative, %below) : (index, index, i64) -> ()
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
