// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Two buffers change places in every iteration (iter_args): both live across the loop, and %t, used
// inside, shares with neither.

// CHECK: {{^}}29{{$}}
// CHECK-NEXT: {{^}}47{{$}}
// CHECK-NEXT: {{^}}47{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%three : i64) outs(%b : memref<16xi64>)
  %r:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%p = %a, %q = %b) -> (memref<16xi64>, memref<16xi64>) {
    %v = memref.load %p[%i] : memref<16xi64>
    linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
    %w = memref.load %t[%c1] : memref<16xi64>
    %x = memref.load %q[%c1] : memref<16xi64>
    %y = arith.addi %w, %x : i64
    linalg.fill ins(%y : i64) outs(%p : memref<16xi64>)
    scf.yield %q, %p : memref<16xi64>, memref<16xi64>
  }
  %g = memref.load %r#0[%c1] : memref<16xi64>
  %h = memref.load %r#1[%c1] : memref<16xi64>
  linalg.fill ins(%h : i64) outs(%u : memref<16xi64>)
  %k = memref.load %u[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  call @show(%g) : (i64) -> ()
  call @show(%h) : (i64) -> ()
  call @show(%k) : (i64) -> ()
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
