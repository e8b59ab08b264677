// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// A callee with a body that only reads and writes: its arguments are planned.

// CHECK: {{^}}14{{$}}

func.func private @add(%p: memref<16xi64>, %q: memref<16xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %p[%i] : memref<16xi64>
    %w = memref.load %q[%i] : memref<16xi64>
    %s = arith.addi %v, %w : i64
    memref.store %s, %q[%i] : memref<16xi64>
  }
  return
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 6 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  call @add(%a, %b) : (memref<16xi64>, memref<16xi64>) -> ()
  memref.dealloc %a : memref<16xi64>
  %d = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%d : memref<16xi64>)
  call @add(%b, %d) : (memref<16xi64>, memref<16xi64>) -> ()
  memref.dealloc %b : memref<16xi64>
  %r = memref.load %d[%c1] : memref<16xi64>
  memref.dealloc %d : memref<16xi64>
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
