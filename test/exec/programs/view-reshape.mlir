// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Expand, collapse, reshape and reinterpret_cast.

// CHECK: {{^}}3{{$}}
// CHECK-NEXT: {{^}}5{{$}}
// CHECK-NEXT: {{^}}8{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<16xi64>)
  %s0 = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xi64> into memref<4x4xi64>
  %s1 = memref.collapse_shape %s0 [[0, 1]] : memref<4x4xi64> into memref<16xi64>
  %shape = memref.alloc() : memref<2xindex>
  memref.store %c2, %shape[%c0] : memref<2xindex>
  %c8 = arith.constant 8 : index
  memref.store %c8, %shape[%c1] : memref<2xindex>
  %s2 = memref.reshape %s1(%shape) : (memref<16xi64>, memref<2xindex>) -> memref<2x8xi64>
  memref.dealloc %shape : memref<2xindex>
  %s = memref.reinterpret_cast %s2 to offset: [3], sizes: [2, 2], strides: [2, 1] : memref<2x8xi64> to memref<2x2xi64, strided<[2, 1], offset: 3>>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%five : i64) outs(%t : memref<16xi64>)
  %v = memref.load %s[%c1, %c1] : memref<2x2xi64, strided<[2, 1], offset: 3>>
  %w = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  %u = memref.alloc() : memref<16xi64>
  %sum = arith.addi %v, %w : i64
  linalg.fill ins(%sum : i64) outs(%u : memref<16xi64>)
  %z = memref.load %u[%c1] : memref<16xi64>
  memref.dealloc %u : memref<16xi64>
  call @show(%v) : (i64) -> ()
  call @show(%w) : (i64) -> ()
  call @show(%z) : (i64) -> ()
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
