// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A callee frees its argument: the caller has no dealloc.

// CHECK: {{^}}4{{$}}

func.func private @consume(%p: memref<16xi64>) -> i64 {
  %c1 = arith.constant 1 : index
  %v = memref.load %p[%c1] : memref<16xi64>
  memref.dealloc %p : memref<16xi64>
  return %v : i64
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %v = call @consume(%a) : (memref<16xi64>) -> i64
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%b : memref<16xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  call @show(%w) : (i64) -> ()
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
