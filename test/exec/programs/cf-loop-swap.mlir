// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Block arguments of a loop swap two buffers.

// CHECK: {{^}}7{{$}}
// CHECK-NEXT: {{^}}101{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 5 : i64
  %y = arith.constant 100 : i64
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  cf.br ^head(%c0, %a, %b : index, memref<16xi64>, memref<16xi64>)
^head(%i: index, %p: memref<16xi64>, %q: memref<16xi64>):
  %v = memref.load %p[%i] : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
  %w = memref.load %t[%c1] : memref<16xi64>
  %k = arith.addi %w, %one : i64
  linalg.fill ins(%k : i64) outs(%p : memref<16xi64>)
  %n = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %n, %c3 : index
  cf.cond_br %more, ^head(%n, %q, %p : index, memref<16xi64>, memref<16xi64>), ^exit
^exit:
  %g = memref.load %a[%c1] : memref<16xi64>
  %h = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  call @show(%g) : (i64) -> ()
  call @show(%h) : (i64) -> ()
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
