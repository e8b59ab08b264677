// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// scf.index_switch: each case has a buffer of its own, one case yields the outer one.

// CHECK: {{^}}25{{$}}
// CHECK-NEXT: {{^}}15{{$}}
// CHECK-NEXT: {{^}}10{{$}}

func.func @run(%f: index) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%three : i64) outs(%b : memref<16xi64>)
  %r = scf.index_switch %f -> memref<16xi64>
  case 0 {
    %t = memref.alloc() : memref<16xi64>
    linalg.fill ins(%five : i64) outs(%t : memref<16xi64>)
    memref.copy %t, %a : memref<16xi64> to memref<16xi64>
    memref.dealloc %t : memref<16xi64>
    scf.yield %a : memref<16xi64>
  }
  case 1 {
    scf.yield %b : memref<16xi64>
  }
  default {
    %t = memref.alloc() : memref<16xi64>
    memref.copy %a, %t : memref<16xi64> to memref<16xi64>
    memref.copy %t, %b : memref<16xi64> to memref<16xi64>
    memref.dealloc %t : memref<16xi64>
    scf.yield %b : memref<16xi64>
  }
  %u = memref.alloc() : memref<16xi64>
  linalg.fill ins(%five : i64) outs(%u : memref<16xi64>)
  %v = memref.load %r[%c1] : memref<16xi64>
  %w = memref.load %u[%c1] : memref<16xi64>
  %m = arith.muli %v, %w : i64
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  return %m : i64
}
func.func @main() {
  %f0 = arith.constant 0 : index
  %f1 = arith.constant 1 : index
  %f2 = arith.constant 2 : index
  %p = call @run(%f0) : (index) -> i64
  %q = call @run(%f1) : (index) -> i64
  %r = call @run(%f2) : (index) -> i64
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
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
