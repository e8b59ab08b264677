// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// affine.for, affine.if and affine accesses.

// CHECK: {{^}}36{{$}}

#even = affine_set<(d0) : (d0 mod 2 == 0)>
func.func @main() {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<8xi64>
  %u = memref.alloc() : memref<8xi64>
  affine.for %i = 0 to 8 {
    affine.store %two, %a[%i] : memref<8xi64>
  }
  %sum = affine.for %i = 0 to 8 iter_args(%s = %zero) -> (i64) {
    %v = affine.load %a[7 - %i] : memref<8xi64>
    %n = affine.if #even(%i) -> i64 {
      %t = memref.alloc() : memref<8xi64>
      affine.store %seven, %t[%i] : memref<8xi64>
      %w = affine.load %t[%i] : memref<8xi64>
      memref.dealloc %t : memref<8xi64>
      affine.yield %w : i64
    } else {
      affine.yield %v : i64
    }
    %x = arith.addi %s, %n : i64
    affine.yield %x : i64
  }
  affine.store %sum, %u[3] : memref<8xi64>
  %r = affine.load %u[3] : memref<8xi64>
  memref.dealloc %a : memref<8xi64>
  memref.dealloc %u : memref<8xi64>
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
