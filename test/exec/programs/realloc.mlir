// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// memref.realloc frees what it is given: a realloc'd buffer is left alone.

// CHECK: {{^}}13{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %r = memref.realloc %a : memref<16xi64> to memref<32xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %v = memref.load %r[%c1] : memref<32xi64>
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %r : memref<32xi64>
  %s = arith.addi %v, %w : i64
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
