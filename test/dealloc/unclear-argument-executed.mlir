// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// A function takes its argument over. Another gives it one on some paths and returns its arguments on
// others, so that it cannot be said who owns its result: it calls itself, and must not free that.
// HEAP: double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @f0(%a: memref<4xi64>, %c: i1) -> memref<4xi64> {
  %r = scf.if %c -> memref<4xi64> {
    memref.dealloc %a : memref<4xi64>
    %z = memref.alloc() : memref<4xi64>
    scf.yield %z : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  return %r : memref<4xi64>
}
func.func private @f2(%a: memref<4xi64>, %b: memref<4xi64>, %n: index, %c: i1) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<4xi64>) {
    %v1 = func.call @f0(%a, %c) : (memref<4xi64>, i1) -> memref<4xi64>
    %v2 = scf.if %c -> memref<4xi64> {
      %v3 = func.call @f2(%b, %v1, %m, %c) : (memref<4xi64>, memref<4xi64>, index, i1) -> memref<4xi64>
      scf.yield %v1 : memref<4xi64>
    } else {
      scf.yield %a : memref<4xi64>
    }
    scf.yield %v2 : memref<4xi64>
  } else {
    scf.yield %b : memref<4xi64>
  }
  return %r : memref<4xi64>
}
func.func @main() {
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %x = arith.constant 77 : i64
  %a = memref.alloc() : memref<4xi64>
  %b = memref.alloc() : memref<4xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<4xi64>)
  linalg.fill ins(%x : i64) outs(%b : memref<4xi64>)
  %r = func.call @f2(%a, %b, %c1, %true) : (memref<4xi64>, memref<4xi64>, index, i1) -> memref<4xi64>
  vector.print %x : i64
  return
}
