// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap
// RUN: stowage-opt %s --buffer-deallocation --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --allow-empty --implicit-check-not='keeps it'

// The function frees what it gets from itself. In a loop that result meets an argument, which is not kept
// for that: what the caller gives is freed by the caller.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @f(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<4xf32>) {
    %m = arith.subi %n, %c1 : index
    %x = func.call @f(%a, %b, %m) : (memref<4xf32>, memref<4xf32>, index) -> memref<4xf32>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%y = %b) -> memref<4xf32> {
      %v = memref.load %y[%c1] : memref<4xf32>
      memref.store %v, %a[%i] : memref<4xf32>
      scf.yield %x : memref<4xf32>
    }
    scf.yield %x : memref<4xf32>
  } else {
    %z = memref.alloc() : memref<4xf32>
    linalg.fill ins(%one : f32) outs(%z : memref<4xf32>)
    scf.yield %z : memref<4xf32>
  }
  memref.dealloc %r : memref<4xf32>
  %w = memref.alloc() : memref<4xf32>
  linalg.fill ins(%two : f32) outs(%w : memref<4xf32>)
  return %w : memref<4xf32>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %n = arith.constant 3 : index
  %x = arith.constant 5.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  %r = func.call @f(%a, %b, %n) : (memref<4xf32>, memref<4xf32>, index) -> memref<4xf32>
  %v = memref.load %a[%c0] : memref<4xf32>
  vector.print %v : f32
  %w = memref.load %r[%c0] : memref<4xf32>
  vector.print %w : f32
  memref.dealloc %r : memref<4xf32>
  return
}
