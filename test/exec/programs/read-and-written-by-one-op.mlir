// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// The op that reads %a last is the op that writes %b first, in another order: they must not share.
// %d and %a may.

// CHECK: {{^}}31{{$}}
// CHECK-NEXT: {{^}}13{{$}}
// CHECK-NEXT: {{^}}31{{$}}

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : i64
  %a = memref.alloc() : memref<8x8xi64>
  %b = memref.alloc() : memref<8x8xi64>
  %d = memref.alloc() : memref<8x8xi64>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %ii = arith.index_cast %i : index to i64
      %jj = arith.index_cast %j : index to i64
      %t = arith.muli %ii, %c10 : i64
      %v = arith.addi %t, %jj : i64
      memref.store %v, %a[%i, %j] : memref<8x8xi64>
    }
  }
  linalg.generic {indexing_maps = [#id, #tr], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xi64>) outs(%b : memref<8x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
  }
  linalg.generic {indexing_maps = [#id, #tr], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<8x8xi64>) outs(%d : memref<8x8xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
  }
  %p = memref.load %b[%c1, %c3] : memref<8x8xi64>
  %q = memref.load %d[%c1, %c3] : memref<8x8xi64>
  %r = memref.load %d[%c3, %c1] : memref<8x8xi64>
  memref.dealloc %a : memref<8x8xi64>
  memref.dealloc %b : memref<8x8xi64>
  memref.dealloc %d : memref<8x8xi64>
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
