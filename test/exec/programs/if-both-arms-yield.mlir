// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Both arms yield a buffer of their own into one result: no run has both, so they share bytes.

// CHECK: {{^}}6{{$}}
// CHECK-NEXT: {{^}}3{{$}}
// CHECK-NEXT: {{^}}45{{$}}

func.func @choose(%c: i1, %x: i64, %keep: memref<16xi64>) -> i64 {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %y = arith.addi %x, %one : i64
  %r = scf.if %c -> memref<16xi64> {
    %a = memref.alloc() : memref<16xi64>
    linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
    scf.yield %a : memref<16xi64>
  } else {
    %b = memref.alloc() : memref<16xi64>
    linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
    scf.yield %b : memref<16xi64>
  }
  %v = memref.load %r[%c1] : memref<16xi64>
  %k = memref.load %keep[%c1] : memref<16xi64>
  linalg.fill ins(%k : i64) outs(%r : memref<16xi64>)
  %w = memref.load %r[%c1] : memref<16xi64>
  memref.dealloc %r : memref<16xi64>
  %s = arith.addi %v, %w : i64
  return %s : i64
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %t = arith.constant true
  %f = arith.constant false
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %many = arith.constant 44 : i64
  %keep = memref.alloc() : memref<16xi64>
  linalg.fill ins(%one : i64) outs(%keep : memref<16xi64>)
  %p = call @choose(%t, %five, %keep) : (i1, i64, memref<16xi64>) -> i64
  %q = call @choose(%f, %one, %keep) : (i1, i64, memref<16xi64>) -> i64
  memref.dealloc %keep : memref<16xi64>
  %again = memref.alloc() : memref<16xi64>
  linalg.fill ins(%many : i64) outs(%again : memref<16xi64>)
  %r = memref.load %again[%c1] : memref<16xi64>
  memref.dealloc %again : memref<16xi64>
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
  %s = arith.addi %r, %one : i64
  call @show(%s) : (i64) -> ()
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
