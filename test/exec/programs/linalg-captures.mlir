// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// The body of a linalg.generic reads a buffer that is not among its operands.

// CHECK: {{^}}13{{$}}

#id = affine_map<(i) -> (i)>
func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %d = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : memref<16xi64>) outs(%d : memref<16xi64>) {
    ^bb0(%in: i64, %out: i64):
      %v = memref.load %a[%c1] : memref<16xi64>
      %s = arith.addi %in, %v : i64
      linalg.yield %s : i64
  }
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %e = memref.alloc() : memref<16xi64>
  memref.copy %d, %e : memref<16xi64> to memref<16xi64>
  memref.dealloc %d : memref<16xi64>
  %r = memref.load %e[%c1] : memref<16xi64>
  memref.dealloc %e : memref<16xi64>
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
