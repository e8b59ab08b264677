// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A loop that never runs hands back what it was given; the dealloc of its result frees that.

// CHECK: {{^}}79{{$}}
// CHECK-NEXT: {{^}}97{{$}}

func.func @run(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i64
  %nine = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%nine : i64) outs(%b : memref<16xi64>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<16xi64>, memref<16xi64>) {
    scf.yield %q, %p : memref<16xi64>, memref<16xi64>
  }
  %v = memref.load %r#0[%c1] : memref<16xi64>
  memref.dealloc %r#0 : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
  %w = memref.load %r#1[%c1] : memref<16xi64>
  %x = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %r#1 : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %c10 = arith.constant 10 : i64
  %m = arith.muli %x, %c10 : i64
  %s = arith.addi %m, %w : i64
  return %s : i64
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %p = call @run(%c0) : (index) -> i64
  %q = call @run(%c3) : (index) -> i64
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
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
