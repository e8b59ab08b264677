// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(hoist-allocations)'
// RUN: stowage-opt %s --hoist-allocations -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: stowage-opt %t.mlir --hoist-allocations | diff %t.mlir -
// RUN: stowage-opt %s --hoist-allocations='unknown-ops=escape' | diff %t.mlir -

// A module without deallocs that needs none: all buffers are returned, and kept by whoever calls. Out of their branches they are made on
// each path, so that one of the two must be freed.
// CHECK-LABEL: func.func private @either
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK:         %[[B:.*]] = memref.alloc
// CHECK:         scf.if
// CHECK:         memref.dealloc
// CHECK:         else
// CHECK:         memref.dealloc
func.func private @either(%c: i1) -> memref<4xi64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r = scf.if %c -> memref<4xi64> {
    %a = memref.alloc() : memref<4xi64>
    linalg.fill ins(%one : i64) outs(%a : memref<4xi64>)
    scf.yield %a : memref<4xi64>
  } else {
    %b = memref.alloc() : memref<4xi64>
    linalg.fill ins(%two : i64) outs(%b : memref<4xi64>)
    scf.yield %b : memref<4xi64>
  }
  return %r : memref<4xi64>
}

memref.global "private" @kept : memref<memref<4xi64>>

func.func @main() {
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %r = func.call @either(%true) : (i1) -> memref<4xi64>
  %slot = memref.get_global @kept : memref<memref<4xi64>>
  memref.store %r, %slot[] : memref<memref<4xi64>>
  %v = memref.load %r[%c2] : memref<4xi64>
  vector.print %v : i64
  return
}
