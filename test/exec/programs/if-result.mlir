// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Either branch allocates, the result is used and freed after the if; %t, used in between, may not
// share with either.

// CHECK: {{^}}10{{$}}
// CHECK-NEXT: {{^}}15{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %r = scf.if %c -> (memref<16xi64>) {
    %x = memref.alloc() : memref<16xi64>
    linalg.fill ins(%two : i64) outs(%x : memref<16xi64>)
    scf.yield %x : memref<16xi64>
  } else {
    %y = memref.alloc() : memref<16xi64>
    linalg.fill ins(%three : i64) outs(%y : memref<16xi64>)
    scf.yield %y : memref<16xi64>
  }
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%five : i64) outs(%t : memref<16xi64>)
  %v = memref.load %r[%c1] : memref<16xi64>
  %w = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %r : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %s = arith.muli %v, %w : i64
  return %s : i64
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
