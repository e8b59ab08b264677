// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Buffers without a single element, alone and among others.

// CHECK: {{^}}7{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 7 : i64
  %z = memref.alloc() : memref<0xi64>
  %a = memref.alloc() : memref<16xi64>
  %zz = memref.alloc() : memref<4x0x3xi64>
  linalg.fill ins(%x : i64) outs(%z : memref<0xi64>)
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%x : i64) outs(%zz : memref<4x0x3xi64>)
  %v = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%b : memref<16xi64>)
  linalg.fill ins(%x : i64) outs(%z : memref<0xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %z : memref<0xi64>
  memref.dealloc %zz : memref<4x0x3xi64>
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
