// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Every activation has its own arena: what the caller holds survives the recursive call.

// CHECK: {{^}}55{{$}}

func.func @down(%n: i64) -> i64 {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %done = arith.cmpi eq, %n, %zero : i64
  %r = scf.if %done -> (i64) {
    scf.yield %zero : i64
  } else {
    %a = memref.alloc() : memref<16xi64>
    linalg.fill ins(%n : i64) outs(%a : memref<16xi64>)
    %m = arith.subi %n, %one : i64
    %below = func.call @down(%m) : (i64) -> i64
    %v = memref.load %a[%c1] : memref<16xi64>
    memref.dealloc %a : memref<16xi64>
    %b = memref.alloc() : memref<16xi64>
    %s = arith.addi %v, %below : i64
    linalg.fill ins(%s : i64) outs(%b : memref<16xi64>)
    %w = memref.load %b[%c1] : memref<16xi64>
    memref.dealloc %b : memref<16xi64>
    scf.yield %w : i64
  }
  return %r : i64
}
func.func @main() {
  %n = arith.constant 10 : i64
  %r = call @down(%n) : (i64) -> i64
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
