// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A callee that returns one of its arguments: the result is the same memory.

// CHECK: {{^}}40{{$}}
// CHECK-NEXT: {{^}}60{{$}}

func.func private @pick(%c: i1, %p: memref<16xi64>, %q: memref<16xi64>) -> memref<16xi64> {
  %r = arith.select %c, %p, %q : memref<16xi64>
  return %r : memref<16xi64>
}
func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 6 : i64
  %z = arith.constant 10 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %r = call @pick(%c, %a, %b) : (i1, memref<16xi64>, memref<16xi64>) -> memref<16xi64>
  linalg.fill ins(%z : i64) outs(%t : memref<16xi64>)
  %v = memref.load %r[%c1] : memref<16xi64>
  %w = memref.load %t[%c1] : memref<16xi64>
  %m = arith.muli %v, %w : i64
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  return %m : i64
}
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %p = call @run(%true) : (i1) -> i64
  %q = call @run(%false) : (i1) -> i64
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
