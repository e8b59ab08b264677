// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// memref.cast to a dynamic shape and to an unranked one and back.

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
  %s0 = memref.cast %a : memref<16xi64> to memref<?xi64>
  %s1 = memref.cast %s0 : memref<?xi64> to memref<*xi64>
  %s = memref.cast %s1 : memref<*xi64> to memref<?xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%five : i64) outs(%t : memref<16xi64>)
  %v = memref.load %s[%c1] : memref<?xi64>
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
