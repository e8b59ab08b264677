// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// One arena per memory space: buffers of different spaces never share.

// CHECK: {{^}}4{{$}}
// CHECK-NEXT: {{^}}6{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 6 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64, 1>
  %c = memref.alloc() : memref<16xi64, 1>
  %d = memref.alloc() : memref<16xi64>
  %e = memref.alloc() : memref<16xi64, 2>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  memref.copy %a, %b : memref<16xi64> to memref<16xi64, 1>
  linalg.fill ins(%y : i64) outs(%d : memref<16xi64>)
  %p = memref.load %b[%c1] : memref<16xi64, 1>
  memref.copy %d, %c : memref<16xi64> to memref<16xi64, 1>
  memref.copy %c, %e : memref<16xi64, 1> to memref<16xi64, 2>
  %q = memref.load %e[%c1] : memref<16xi64, 2>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64, 1>
  memref.dealloc %c : memref<16xi64, 1>
  memref.dealloc %d : memref<16xi64>
  memref.dealloc %e : memref<16xi64, 2>
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
