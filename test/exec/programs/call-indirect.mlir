// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --only default poison pool-all no-dealloc-required | FileCheck %s

// An indirect call may do anything with what it is given.

// CHECK: {{^}}4{{$}}
// CHECK-NEXT: {{^}}9{{$}}

memref.global "private" @slot : memref<1xmemref<16xi64>>
func.func private @keep(%p: memref<16xi64>) {
  %c0 = arith.constant 0 : index
  %s = memref.get_global @slot : memref<1xmemref<16xi64>>
  memref.store %p, %s[%c0] : memref<1xmemref<16xi64>>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %f = constant @keep : (memref<16xi64>) -> ()
  call_indirect %f(%a) : (memref<16xi64>) -> ()
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %w = memref.load %b[%c1] : memref<16xi64>
  %s = memref.get_global @slot : memref<1xmemref<16xi64>>
  %p = memref.load %s[%c0] : memref<1xmemref<16xi64>>
  %v = memref.load %p[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
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
