// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Buffers of an inner loop share with each other, not with what the outer loop still needs.

// CHECK: {{^}}84{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %total = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (i64) {
    %outer = memref.alloc() : memref<8xi64>
    %s1 = arith.addi %s, %one : i64
    linalg.fill ins(%s1 : i64) outs(%outer : memref<8xi64>)
    %in = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %zero) -> (i64) {
      %x = memref.alloc() : memref<8xi64>
      %o = memref.load %outer[%j] : memref<8xi64>
      linalg.fill ins(%o : i64) outs(%x : memref<8xi64>)
      %v = memref.load %x[%j] : memref<8xi64>
      memref.dealloc %x : memref<8xi64>
      %y = memref.alloc() : memref<8xi64>
      %v1 = arith.addi %v, %t : i64
      linalg.fill ins(%v1 : i64) outs(%y : memref<8xi64>)
      %w = memref.load %y[%i] : memref<8xi64>
      memref.dealloc %y : memref<8xi64>
      scf.yield %w : i64
    }
    %again = memref.load %outer[%i] : memref<8xi64>
    memref.dealloc %outer : memref<8xi64>
    %n = arith.addi %in, %again : i64
    scf.yield %n : i64
  }
  call @show(%total) : (i64) -> ()
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
