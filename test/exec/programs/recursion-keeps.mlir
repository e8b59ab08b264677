// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Functions that call each other in a circle hand a buffer around, and one of them stores it. It is
// read when all of them have returned and another buffer has been filled.

// CHECK: {{^}}7{{$}}

memref.global "private" @slot : memref<memref<16xi64>> = uninitialized

func.func private @first(%p: memref<16xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %more = arith.cmpi sgt, %n, %c0 : index
  scf.if %more {
    func.call @second(%p, %n) : (memref<16xi64>, index) -> ()
  }
  return
}
func.func private @second(%p: memref<16xi64>, %n: index) {
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %view = memref.cast %p : memref<16xi64> to memref<?xi64>
  call @third(%view, %m) : (memref<?xi64>, index) -> ()
  return
}
func.func private @third(%p: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %view = memref.cast %p : memref<?xi64> to memref<16xi64>
  %last = arith.cmpi eq, %n, %c0 : index
  scf.if %last {
    %slot = memref.get_global @slot : memref<memref<16xi64>>
    memref.store %view, %slot[] : memref<memref<16xi64>>
  }
  call @first(%view, %n) : (memref<16xi64>, index) -> ()
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<16xi64>)
  call @first(%a, %c3) : (memref<16xi64>, index) -> ()
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%b : memref<16xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %slot = memref.get_global @slot : memref<memref<16xi64>>
  %kept = memref.load %slot[] : memref<memref<16xi64>>
  %v = memref.load %kept[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  call @show(%v) : (i64) -> ()
  return
}

// Prints a number on a line of its own.
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
