// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// The callee allocates what it returns and the caller frees it: neither side may plan it.

// CHECK: {{^}}13{{$}}

func.func private @make(%v: i64) -> memref<16xi64> {
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%t : memref<16xi64>)
  %w = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %r = memref.alloc() : memref<16xi64>
  linalg.fill ins(%w : i64) outs(%r : memref<16xi64>)
  return %r : memref<16xi64>
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = call @make(%x) : (i64) -> memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %v = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
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
