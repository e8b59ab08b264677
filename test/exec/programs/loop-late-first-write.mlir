// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// %a is first written inside the loop, after %t in the same iteration, and only from the third
// iteration on; what it holds must survive the iterations between.

// CHECK: {{^}}27{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0 : i64
  %nine = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  %sum = scf.for %i = %c0 to %c6 step %c1 iter_args(%s = %zero) -> (i64) {
    linalg.fill ins(%nine : i64) outs(%t : memref<16xi64>)
    %v = memref.load %t[%i] : memref<16xi64>
    %is = arith.cmpi eq, %i, %c2 : index
    scf.if %is {
      linalg.fill ins(%v : i64) outs(%a : memref<16xi64>)
      %p = memref.load %a[%c0] : memref<16xi64>
      memref.store %p, %a[%c1] : memref<16xi64>
    }
    %later = arith.cmpi ugt, %i, %c2 : index
    %w = scf.if %later -> (i64) {
      %p = memref.load %a[%c1] : memref<16xi64>
      scf.yield %p : i64
    } else {
      scf.yield %zero : i64
    }
    %n = arith.addi %s, %w : i64
    scf.yield %n : i64
  }
  linalg.fill ins(%sum : i64) outs(%u : memref<16xi64>)
  %r = memref.load %u[%c0] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
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
