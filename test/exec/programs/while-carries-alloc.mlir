// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// The before region allocates what the after region reads and frees.

// CHECK: {{^}}42{{$}}
// CHECK-NEXT: {{^}}4{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %nine = arith.constant 9 : i64
  %r:2 = scf.while (%i = %c0, %s = %zero) : (index, i64) -> (memref<16xi64>, i64) {
    %t = memref.alloc() : memref<16xi64>
    %k = arith.index_cast %i : index to i64
    linalg.fill ins(%k : i64) outs(%t : memref<16xi64>)
    %more = arith.cmpi ult, %i, %c4 : index
    scf.condition(%more) %t, %s : memref<16xi64>, i64
  } do {
  ^bb0(%t: memref<16xi64>, %s: i64):
    %u = memref.alloc() : memref<16xi64>
    linalg.fill ins(%nine : i64) outs(%u : memref<16xi64>)
    %v = memref.load %t[%c1] : memref<16xi64>
    %w = memref.load %u[%c1] : memref<16xi64>
    memref.dealloc %u : memref<16xi64>
    memref.dealloc %t : memref<16xi64>
    %s1 = arith.addi %s, %v : i64
    %s2 = arith.addi %s1, %w : i64
    %j = arith.index_cast %v : i64 to index
    %n = arith.addi %j, %c1 : index
    scf.yield %n, %s2 : index, i64
  }
  %last = memref.load %r#0[%c1] : memref<16xi64>
  memref.dealloc %r#0 : memref<16xi64>
  call @show(%r#1) : (i64) -> ()
  call @show(%last) : (i64) -> ()
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
