// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Two exits, each with its own deallocs: the arena is freed on both.

// CHECK: {{^}}2{{$}}
// CHECK-NEXT: {{^}}5{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  %v = memref.load %a[%c1] : memref<16xi64>
  cf.cond_br %c, ^early, ^late
^early:
  memref.dealloc %a : memref<16xi64>
  return %v : i64
^late:
  %w = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %s = arith.addi %w, %three : i64
  linalg.fill ins(%s : i64) outs(%b : memref<16xi64>)
  %x = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  return %x : i64
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
