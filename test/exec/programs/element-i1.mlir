// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// An i1 takes a byte: 100 of them end past a slice of 13 bytes, where %c would lie.

// CHECK: {{^}}50{{$}}
// CHECK-NEXT: {{^}}-1{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %zero = arith.constant 0 : i64
  %noise = arith.constant -1 : i64
  %a = memref.alloc() : memref<100xi1>
  %b = memref.alloc() : memref<100xi1>
  %c = memref.alloc() : memref<64xi64>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i64
    %v = arith.trunci %k : i64 to i1
    memref.store %v, %a[%i] : memref<100xi1>
  }
  memref.copy %a, %b : memref<100xi1> to memref<100xi1>
  linalg.fill ins(%noise : i64) outs(%c : memref<64xi64>)
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %b[%i] : memref<100xi1>
    %r = arith.extui %v : i1 to i64
    %s2 = arith.addi %s, %r : i64
    scf.yield %s2 : i64
  }
  %keep = memref.load %c[%c1] : memref<64xi64>
  memref.dealloc %a : memref<100xi1>
  memref.dealloc %b : memref<100xi1>
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
