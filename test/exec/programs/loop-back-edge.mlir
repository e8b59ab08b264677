// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// %a is written at the end of an iteration and read at the start of the next: it is live around the
// back edge. %t and %u, used in between, share with each other only.

// CHECK: {{^}}32{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<16xi64>)
  scf.for %i = %c0 to %c5 step %c1 {
    %t = memref.alloc() : memref<16xi64>
    %u = memref.alloc() : memref<16xi64>
    %v = memref.load %a[%i] : memref<16xi64>
    linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
    %w = memref.load %t[%c1] : memref<16xi64>
    linalg.fill ins(%two : i64) outs(%u : memref<16xi64>)
    %d = memref.load %u[%c1] : memref<16xi64>
    %m = arith.muli %w, %d : i64
    memref.dealloc %t : memref<16xi64>
    memref.dealloc %u : memref<16xi64>
    linalg.fill ins(%m : i64) outs(%a : memref<16xi64>)
  }
  %r = memref.load %a[%c0] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  call @show(%r) : (i64) -> ()
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
