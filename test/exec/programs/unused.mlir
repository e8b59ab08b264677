// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Buffers that nothing uses, and one that is only written.

// CHECK: {{^}}7{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 7 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%b : memref<16xi64>)
  %d = memref.alloc() : memref<16xi64>
  %c = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%c : memref<16xi64>)
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %v = memref.load %c[%c1] : memref<16xi64>
  memref.dealloc %c : memref<16xi64>
  memref.dealloc %d : memref<16xi64>
  call @show(%v) : (i64) -> ()
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
