// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Atomic updates read and write.

// CHECK: {{^}}24{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%zero : i64) outs(%a : memref<4xi64>)
  scf.for %i = %c0 to %c8 step %c1 {
    %t = memref.alloc() : memref<4xi64>
    linalg.fill ins(%three : i64) outs(%t : memref<4xi64>)
    %v = memref.load %t[%c1] : memref<4xi64>
    memref.dealloc %t : memref<4xi64>
    %o = memref.atomic_rmw addi %v, %a[%c1] : (i64, memref<4xi64>) -> i64
  }
  %v = memref.load %a[%c1] : memref<4xi64>
  %w = memref.load %a[%c0] : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  %b = memref.alloc() : memref<4xi64>
  %s = arith.addi %v, %w : i64
  linalg.fill ins(%s : i64) outs(%b : memref<4xi64>)
  %z = memref.load %b[%c0] : memref<4xi64>
  memref.dealloc %b : memref<4xi64>
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
