// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A loop with two entries.

// CHECK: {{^}}38{{$}}
// CHECK-NEXT: {{^}}22{{$}}

func.func @run(%c: i1) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %a = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%zero : i64) outs(%t : memref<16xi64>)
  cf.cond_br %c, ^one(%c0, %zero : index, i64), ^other(%c1, %zero : index, i64)
^one(%i: index, %s: i64):
  %v = memref.load %a[%i] : memref<16xi64>
  %s1 = arith.addi %s, %v : i64
  cf.br ^other(%i, %s1 : index, i64)
^other(%j: index, %r: i64):
  %old = memref.load %t[%c1] : memref<16xi64>
  %new = arith.addi %old, %three : i64
  linalg.fill ins(%new : i64) outs(%t : memref<16xi64>)
  %w = memref.load %t[%j] : memref<16xi64>
  %r1 = arith.addi %r, %w : i64
  %n = arith.addi %j, %c1 : index
  %more = arith.cmpi ult, %n, %c4 : index
  cf.cond_br %more, ^one(%n, %r1 : index, i64), ^exit
^exit:
  linalg.fill ins(%r1 : i64) outs(%u : memref<16xi64>)
  %z = memref.load %u[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  return %z : i64
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
