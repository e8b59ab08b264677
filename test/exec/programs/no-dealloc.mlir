// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Buffers that nothing frees are left alone, and planned (and freed) with require-dealloc=false.

// CHECK: {{^}}4{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %v = memref.load %a[%c1] : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%b : memref<16xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
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
