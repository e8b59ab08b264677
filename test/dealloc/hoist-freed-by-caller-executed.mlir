// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(hoist-allocations)'

// What moves out of branches is freed by a caller; another function frees nothing. No more may leak
// than did.

func.func private @either(%c: i1) -> memref<4xi64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = scf.if %c -> memref<4xi64> {
    %a = memref.alloc() : memref<4xi64>
    linalg.fill ins(%one : i64) outs(%a : memref<4xi64>)
    scf.yield %a : memref<4xi64>
  } else {
    %b = memref.alloc() : memref<4xi64>
    linalg.fill ins(%two : i64) outs(%b : memref<4xi64>)
    scf.yield %b : memref<4xi64>
  }
  return %r : memref<4xi64>
}
func.func private @leaky(%c: i1) -> i64 {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i64
  %r = scf.if %c -> i64 {
    %a = memref.alloc() : memref<4xi64>
    linalg.fill ins(%five : i64) outs(%a : memref<4xi64>)
    %v = memref.load %a[%c0] : memref<4xi64>
    scf.yield %v : i64
  } else {
    scf.yield %five : i64
  }
  return %r : i64
}
func.func @main() {
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %false = arith.constant false
  %r = func.call @either(%true) : (i1) -> memref<4xi64>
  %v = memref.load %r[%c2] : memref<4xi64>
  memref.dealloc %r : memref<4xi64>
  vector.print %v : i64
  %w = func.call @leaky(%false) : (i1) -> i64
  vector.print %w : i64
  return
}
