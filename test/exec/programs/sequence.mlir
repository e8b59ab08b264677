// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Two buffers one after the other: they share bytes.

// CHECK: {{^}}40{{$}}
// CHECK-NEXT: {{^}}12{{$}}

func.func @main() {
  %c3 = arith.constant 3 : index
  %x = arith.constant 40 : i64
  %y = arith.constant 12 : i64
  %a = memref.alloc() : memref<64xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<64xi64>)
  %p = memref.load %a[%c3] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  %b = memref.alloc() : memref<64xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<64xi64>)
  %q = memref.load %b[%c3] : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
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
