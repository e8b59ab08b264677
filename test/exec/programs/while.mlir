// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// scf.while carries buffers from its before region to its after region, and back in another order.

// CHECK: {{^}}29{{$}}
// CHECK-NEXT: {{^}}18{{$}}
// CHECK-NEXT: {{^}}522{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %x = arith.constant 1 : i64
  %y = arith.constant 2 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %r:3 = scf.while (%i = %c0, %p = %a, %q = %b) : (index, memref<16xi64>, memref<16xi64>) -> (memref<16xi64>, index, memref<16xi64>) {
    %t = memref.alloc() : memref<16xi64>
    %v = memref.load %p[%c1] : memref<16xi64>
    linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
    %w = memref.load %t[%i] : memref<16xi64>
    memref.dealloc %t : memref<16xi64>
    %z = memref.load %q[%i] : memref<16xi64>
    %s = arith.addi %w, %z : i64
    linalg.fill ins(%s : i64) outs(%q : memref<16xi64>)
    %more = arith.cmpi ult, %i, %c5 : index
    scf.condition(%more) %q, %i, %p : memref<16xi64>, index, memref<16xi64>
  } do {
  ^bb0(%q: memref<16xi64>, %i: index, %p: memref<16xi64>):
    %t = memref.alloc() : memref<16xi64>
    %v = memref.load %q[%c1] : memref<16xi64>
    linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
    %w = memref.load %t[%i] : memref<16xi64>
    memref.dealloc %t : memref<16xi64>
    linalg.fill ins(%w : i64) outs(%q : memref<16xi64>)
    %n = arith.addi %i, %c1 : index
    scf.yield %n, %q, %p : index, memref<16xi64>, memref<16xi64>
  }
  %g = memref.load %r#0[%c1] : memref<16xi64>
  %h = memref.load %r#2[%c1] : memref<16xi64>
  %k = arith.muli %g, %h : i64
  linalg.fill ins(%k : i64) outs(%u : memref<16xi64>)
  %z = memref.load %u[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  call @show(%g) : (i64) -> ()
  call @show(%h) : (i64) -> ()
  call @show(%z) : (i64) -> ()
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
