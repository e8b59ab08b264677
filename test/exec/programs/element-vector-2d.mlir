// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// A vector of two dimensions is an array of vectors: vector<2x3xi32> takes 32 bytes.

// CHECK: {{^}}45{{$}}
// CHECK-NEXT: {{^}}-1{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %zero = arith.constant 0 : i64
  %noise = arith.constant -1 : i64
  %a = memref.alloc() : memref<10xvector<2x3xi32>>
  %b = memref.alloc() : memref<10xvector<2x3xi32>>
  %c = memref.alloc() : memref<64xi64>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i64
    %t = arith.trunci %k : i64 to i32
    %v = vector.broadcast %t : i32 to vector<2x3xi32>
    memref.store %v, %a[%i] : memref<10xvector<2x3xi32>>
  }
  memref.copy %a, %b : memref<10xvector<2x3xi32>> to memref<10xvector<2x3xi32>>
  linalg.fill ins(%noise : i64) outs(%c : memref<64xi64>)
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %b[%i] : memref<10xvector<2x3xi32>>
    %t = vector.extract %v[1, 2] : i32 from vector<2x3xi32>
    %r = arith.extui %t : i32 to i64
    %s2 = arith.addi %s, %r : i64
    scf.yield %s2 : i64
  }
  %keep = memref.load %c[%c1] : memref<64xi64>
  memref.dealloc %a : memref<10xvector<2x3xi32>>
  memref.dealloc %b : memref<10xvector<2x3xi32>>
  memref.dealloc %c : memref<64xi64>
  call @show(%sum) : (i64) -> ()
  call @show(%keep) : (i64) -> ()
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
