// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Two buffers from outside a loop, each written anew in every iteration before it is read.

// CHECK: {{^}}12{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero) -> (i64) {
    linalg.fill ins(%s : i64) outs(%a : memref<16xi64>)
    %v = memref.load %a[%i] : memref<16xi64>
    %v1 = arith.addi %v, %one : i64
    linalg.fill ins(%v1 : i64) outs(%b : memref<16xi64>)
    %w = memref.load %b[%i] : memref<16xi64>
    %n = arith.addi %w, %v : i64
    %m = arith.addi %n, %one : i64
    scf.yield %m : i64
  }
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %t = arith.subi %sum, %one : i64
  %t1 = arith.subi %t, %one : i64
  call @show(%t1) : (i64) -> ()
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
