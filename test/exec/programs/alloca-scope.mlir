// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves --only default | FileCheck %s

// memref.alloca_scope is no scope of its own: its buffers go into the function's arena.

// CHECK: {{^}}20{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  %r = memref.alloca_scope -> (i64) {
    %s = memref.alloca() : memref<16xi64>
    memref.copy %a, %s : memref<16xi64> to memref<16xi64>
    %t = memref.alloc() : memref<16xi64>
    memref.store %five, %t[%c1] : memref<16xi64>
    %v = memref.load %t[%c1] : memref<16xi64>
    memref.dealloc %t : memref<16xi64>
    %w = memref.load %s[%c1] : memref<16xi64>
    %m = arith.muli %v, %w : i64
    memref.alloca_scope.return %m : i64
  }
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%r : i64) outs(%t : memref<16xi64>)
  %v = memref.load %a[%c1] : memref<16xi64>
  %w = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %m = arith.muli %v, %w : i64
  call @show(%m) : (i64) -> ()
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
