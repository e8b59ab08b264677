// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Each iteration writes one element and a read after the loop wants them all: nothing in the loop
// may take the bytes, although every single write looks like the start of a life.

// CHECK: {{^}}12{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %acc = memref.alloc() : memref<4xi64>
  scf.for %i = %c0 to %c4 step %c1 {
    %t = memref.alloc() : memref<4xi64>
    %ii = arith.index_cast %i : index to i64
    linalg.fill ins(%ii : i64) outs(%t : memref<4xi64>)
    %v = memref.load %t[%i] : memref<4xi64>
    memref.dealloc %t : memref<4xi64>
    %u = memref.alloc() : memref<4xi64>
    %w = arith.addi %v, %v : i64
    linalg.fill ins(%w : i64) outs(%u : memref<4xi64>)
    %x = memref.load %u[%i] : memref<4xi64>
    memref.dealloc %u : memref<4xi64>
    memref.store %x, %acc[%i] : memref<4xi64>
  }
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %acc[%i] : memref<4xi64>
    %n = arith.addi %s, %v : i64
    scf.yield %n : i64
  }
  memref.dealloc %acc : memref<4xi64>
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
