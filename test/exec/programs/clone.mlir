// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// bufferization.clone is an allocation with a copy.

// CHECK: {{^}}4{{$}}
// CHECK-NEXT: {{^}}4{{$}}
// CHECK-NEXT: {{^}}4{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %b = bufferization.clone %a : memref<16xi64> to memref<16xi64>
  %p = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  %d = bufferization.clone %b : memref<16xi64> to memref<16xi64>
  %q = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %e = bufferization.clone %d : memref<16xi64> to memref<16xi64>
  memref.dealloc %d : memref<16xi64>
  %r = memref.load %e[%c1] : memref<16xi64>
  memref.dealloc %e : memref<16xi64>
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
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
