// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// complex<f64> takes sixteen bytes.

// CHECK: {{^}}380{{$}}
// CHECK-NEXT: {{^}}-1{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 20 : index
  %zero = arith.constant 0 : i64
  %noise = arith.constant -1 : i64
  %a = memref.alloc() : memref<20xcomplex<f64>>
  %b = memref.alloc() : memref<20xcomplex<f64>>
  %c = memref.alloc() : memref<64xi64>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f64
    %v = complex.create %f, %f : complex<f64>
    memref.store %v, %a[%i] : memref<20xcomplex<f64>>
  }
  memref.copy %a, %b : memref<20xcomplex<f64>> to memref<20xcomplex<f64>>
  linalg.fill ins(%noise : i64) outs(%c : memref<64xi64>)
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %b[%i] : memref<20xcomplex<f64>>
    %re = complex.re %v : complex<f64>
    %im = complex.im %v : complex<f64>
    %g = arith.addf %re, %im : f64
    %r = arith.fptosi %g : f64 to i64
    %s2 = arith.addi %s, %r : i64
    scf.yield %s2 : i64
  }
  %keep = memref.load %c[%c1] : memref<64xi64>
  memref.dealloc %a : memref<20xcomplex<f64>>
  memref.dealloc %b : memref<20xcomplex<f64>>
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
