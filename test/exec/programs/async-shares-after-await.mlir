// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves --async | FileCheck %s

// What a task uses is free again once it has been awaited, and not before.

// CHECK: {{^}}13{{$}}
// CHECK-NEXT: {{^}}9{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %d = memref.alloc() : memref<16xi64>
  %out = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %token = async.execute {
    memref.copy %a, %out : memref<16xi64> to memref<16xi64>
    async.yield
  }
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
  async.await %token : !async.token
  linalg.fill ins(%y : i64) outs(%d : memref<16xi64>)
  %u = memref.load %d[%c1] : memref<16xi64>
  %v = memref.load %out[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %d : memref<16xi64>
  memref.dealloc %out : memref<16xi64>
  %s = arith.addi %v, %w : i64
  call @show(%s) : (i64) -> ()
  call @show(%u) : (i64) -> ()
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
