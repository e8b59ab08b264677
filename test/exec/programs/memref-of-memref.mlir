// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A buffer stored into another buffer is reached through that one.

// CHECK: {{^}}4{{$}}
// CHECK-NEXT: {{^}}9{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %box = memref.alloc() : memref<3xmemref<16xi64>>
  memref.store %a, %box[%c1] : memref<3xmemref<16xi64>>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %p = memref.load %box[%c1] : memref<3xmemref<16xi64>>
  %v = memref.load %p[%c1] : memref<16xi64>
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %box : memref<3xmemref<16xi64>>
  memref.dealloc %a : memref<16xi64>
  call @show(%v) : (i64) -> ()
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
