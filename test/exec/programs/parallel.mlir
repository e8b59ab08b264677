// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// The body of scf.parallel has an arena of its own; what it reads from outside lives on.

// CHECK: {{^}}56{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<8xi64>
  %out = memref.alloc() : memref<8xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<8xi64>)
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %k = arith.index_cast %i : index to i64
    %t = memref.alloc() : memref<8xi64>
    linalg.fill ins(%k : i64) outs(%t : memref<8xi64>)
    %v = memref.load %t[%i] : memref<8xi64>
    memref.dealloc %t : memref<8xi64>
    %u = memref.alloc() : memref<8xi64>
    linalg.fill ins(%v : i64) outs(%u : memref<8xi64>)
    %w = memref.load %u[%i] : memref<8xi64>
    memref.dealloc %u : memref<8xi64>
    %o = memref.load %a[%i] : memref<8xi64>
    %m = arith.muli %w, %o : i64
    memref.store %m, %out[%i] : memref<8xi64>
    scf.reduce
  }
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %out[%i] : memref<8xi64>
    %n = arith.addi %s, %v : i64
    scf.yield %n : i64
  }
  memref.dealloc %a : memref<8xi64>
  memref.dealloc %out : memref<8xi64>
  call @show(%sum) : (i64) -> ()
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
