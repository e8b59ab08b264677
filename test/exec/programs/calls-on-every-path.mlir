// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Arenas of several functions at once, among them one whose buffers live in an if in a loop.

// CHECK: {{^}}1015{{$}}

func.func private @work(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i64) {
    %m = arith.remui %i, %c2 : index
    %odd = arith.cmpi eq, %m, %c1 : index
    %x = scf.if %odd -> (i64) {
      %a = memref.alloc() : memref<32xi64>
      linalg.fill ins(%one : i64) outs(%a : memref<32xi64>)
      %v = memref.load %a[%i] : memref<32xi64>
      memref.dealloc %a : memref<32xi64>
      %b = memref.alloc() : memref<8xi64>
      linalg.fill ins(%v : i64) outs(%b : memref<8xi64>)
      %w = memref.load %b[%c1] : memref<8xi64>
      memref.dealloc %b : memref<8xi64>
      scf.yield %w : i64
    } else {
      %a = memref.alloc() : memref<16xi64>
      linalg.fill ins(%s : i64) outs(%a : memref<16xi64>)
      %v = memref.load %a[%i] : memref<16xi64>
      memref.dealloc %a : memref<16xi64>
      scf.yield %v : i64
    }
    %n1 = arith.addi %s, %x : i64
    scf.yield %n1 : i64
  }
  return %r : i64
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %n = arith.constant 8 : index
  %keep = memref.alloc() : memref<16xi64>
  %x = arith.constant 1000 : i64
  linalg.fill ins(%x : i64) outs(%keep : memref<16xi64>)
  %p = call @work(%n) : (index) -> i64
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%p : i64) outs(%t : memref<16xi64>)
  %q = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %k = memref.load %keep[%c1] : memref<16xi64>
  memref.dealloc %keep : memref<16xi64>
  %s = arith.addi %k, %q : i64
  call @show(%s) : (i64) -> ()
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
