// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A loop of branches with buffers from outside and inside.

// CHECK: {{^}}420{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %x = arith.constant 5 : i64
  %y = arith.constant 100 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  cf.br ^head(%c0, %zero : index, i64)
^head(%i: index, %s: i64):
  %more = arith.cmpi ult, %i, %c4 : index
  cf.cond_br %more, ^body, ^exit
^body:
  %v = memref.load %a[%i] : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%t : memref<16xi64>)
  %w = memref.load %t[%i] : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  linalg.fill ins(%w : i64) outs(%u : memref<16xi64>)
  %z = memref.load %u[%i] : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  %s1 = arith.addi %s, %v : i64
  %s2 = arith.addi %s1, %z : i64
  %n = arith.addi %i, %c1 : index
  cf.br ^head(%n, %s2 : index, i64)
^exit:
  memref.dealloc %a : memref<16xi64>
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
