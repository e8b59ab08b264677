// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// The arms of a diamond use different buffers, and one from before is used behind it.

// CHECK: {{^}}6{{$}}
// CHECK-NEXT: {{^}}4{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  cf.cond_br %c, ^left, ^right
^left:
  %l = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%l : memref<16xi64>)
  %lv = memref.load %l[%c1] : memref<16xi64>
  memref.dealloc %l : memref<16xi64>
  cf.br ^join(%lv : i64)
^right:
  %r = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%r : memref<16xi64>)
  %rv = memref.load %r[%c1] : memref<16xi64>
  memref.dealloc %r : memref<16xi64>
  cf.br ^join(%rv : i64)
^join(%v: i64):
  %w = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  %m = arith.muli %v, %w : i64
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
