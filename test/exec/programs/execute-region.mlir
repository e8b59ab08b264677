// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// scf.execute_region with several blocks yields one of two buffers.

// CHECK: {{^}}10{{$}}
// CHECK-NEXT: {{^}}15{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%three : i64) outs(%b : memref<16xi64>)
  %r = scf.execute_region -> memref<16xi64> {
    cf.cond_br %c, ^one, ^two
  ^one:
    scf.yield %a : memref<16xi64>
  ^two:
    scf.yield %b : memref<16xi64>
  }
  linalg.fill ins(%five : i64) outs(%t : memref<16xi64>)
  %v = memref.load %r[%c1] : memref<16xi64>
  %w = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %m = arith.muli %v, %w : i64
  return %m : i64
}
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %p = call @run(%true) : (i1) -> i64
  %q = call @run(%false) : (i1) -> i64
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
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
