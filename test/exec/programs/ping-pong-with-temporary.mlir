// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// A stencil: two buffers change roles by a modulus of the trip, a third is scratch.

// CHECK: {{^}}{{-?[0-9]+}}{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %init = memref.alloc() : memref<8xi64>
  scf.for %i = %c0 to %c8 step %c1 {
    %k = arith.index_cast %i : index to i64
    memref.store %k, %init[%i] : memref<8xi64>
  }
  %a = memref.alloc() : memref<8xi64>
  memref.copy %init, %a : memref<8xi64> to memref<8xi64>
  memref.dealloc %init : memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%zero : i64) outs(%b : memref<8xi64>)
  scf.for %t = %c0 to %c7 step %c1 {
    %m = arith.remui %t, %c2 : index
    %even = arith.cmpi eq, %m, %c0 : index
    %src = arith.select %even, %a, %b : memref<8xi64>
    %dst = arith.select %even, %b, %a : memref<8xi64>
    %scratch = memref.alloc() : memref<8xi64>
    memref.copy %src, %scratch : memref<8xi64> to memref<8xi64>
    scf.for %i = %c1 to %c7 step %c1 {
      %im = arith.subi %i, %c1 : index
      %ip = arith.addi %i, %c1 : index
      %l = memref.load %scratch[%im] : memref<8xi64>
      %r = memref.load %src[%ip] : memref<8xi64>
      %s = arith.addi %l, %r : i64
      memref.store %s, %dst[%i] : memref<8xi64>
    }
    memref.dealloc %scratch : memref<8xi64>
  }
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %b[%i] : memref<8xi64>
    %n = arith.addi %s, %v : i64
    scf.yield %n : i64
  }
  memref.dealloc %a : memref<8xi64>
  memref.dealloc %b : memref<8xi64>
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
