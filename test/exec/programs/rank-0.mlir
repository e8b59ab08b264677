// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Buffers of rank 0 hold one element.

// CHECK: {{^}}42{{$}}

func.func @main() {
  %x = arith.constant 21 : i64
  %y = arith.constant 2 : i64
  %a = memref.alloc() : memref<i64>
  memref.store %x, %a[] : memref<i64>
  %b = memref.alloc() : memref<i64>
  memref.store %y, %b[] : memref<i64>
  %p = memref.load %a[] : memref<i64>
  memref.dealloc %a : memref<i64>
  %c = memref.alloc() : memref<i64>
  %q = memref.load %b[] : memref<i64>
  %m = arith.muli %p, %q : i64
  memref.dealloc %b : memref<i64>
  memref.store %m, %c[] : memref<i64>
  %r = memref.load %c[] : memref<i64>
  memref.dealloc %c : memref<i64>
  call @show(%r) : (i64) -> ()
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
