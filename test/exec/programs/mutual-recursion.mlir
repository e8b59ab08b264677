// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Two functions hand a buffer to each other, and neither keeps it.

// CHECK: {{^}}406{{$}}

func.func private @even(%p: memref<16xi64>, %n: i64) -> i64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %done = arith.cmpi eq, %n, %zero : i64
  %r = scf.if %done -> (i64) {
    %v = memref.load %p[%c1] : memref<16xi64>
    scf.yield %v : i64
  } else {
    %m = arith.subi %n, %one : i64
    %v = func.call @odd(%p, %m) : (memref<16xi64>, i64) -> i64
    scf.yield %v : i64
  }
  return %r : i64
}
func.func private @odd(%p: memref<16xi64>, %n: i64) -> i64 {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %t = memref.alloc() : memref<16xi64>
  %v = memref.load %p[%c1] : memref<16xi64>
  %w = arith.addi %v, %one : i64
  linalg.fill ins(%w : i64) outs(%t : memref<16xi64>)
  %m = arith.subi %n, %one : i64
  %r = func.call @even(%t, %m) : (memref<16xi64>, i64) -> i64
  %o = memref.load %p[%c1] : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  %s = arith.addi %o, %r : i64
  linalg.fill ins(%s : i64) outs(%u : memref<16xi64>)
  %x = memref.load %u[%c1] : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  return %x : i64
}
func.func @main() {
  %n = arith.constant 6 : i64
  %x = arith.constant 100 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %r = call @even(%a, %n) : (memref<16xi64>, i64) -> i64
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
