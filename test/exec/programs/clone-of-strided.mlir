// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// A clone of a strided view into an identity layout.

// CHECK: {{^}}9{{$}}
// CHECK-NEXT: {{^}}4{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<4x4xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<4x4xi64>)
  memref.store %y, %a[%c1, %c1] : memref<4x4xi64>
  %s = memref.subview %a[1, 1] [2, 2] [1, 1] : memref<4x4xi64> to memref<2x2xi64, strided<[4, 1], offset: 5>>
  %b = bufferization.clone %s : memref<2x2xi64, strided<[4, 1], offset: 5>> to memref<2x2xi64>
  %z = memref.load %a[%c0, %c0] : memref<4x4xi64>
  memref.dealloc %a : memref<4x4xi64>
  %d = memref.alloc() : memref<4x4xi64>
  linalg.fill ins(%z : i64) outs(%d : memref<4x4xi64>)
  %p = memref.load %b[%c0, %c0] : memref<2x2xi64>
  %q = memref.load %d[%c0, %c0] : memref<4x4xi64>
  memref.dealloc %b : memref<2x2xi64>
  memref.dealloc %d : memref<4x4xi64>
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
