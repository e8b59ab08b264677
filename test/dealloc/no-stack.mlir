// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s --check-prefix=BIT
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: stowage-opt %t.mlir --buffer-deallocation | diff %t.mlir -
// RUN: stowage-opt %s --promote-allocs-to-stack | FileCheck %s --check-prefix=SLOT
// RUN: stowage-opt %s --stowage-memory=stack-bytes=1024 -o /dev/null

// memref.alloca is invalid in a function that no AutomaticAllocationScope is around: what tells
// who owns a buffer is on the heap there, and buffers stay on the heap.

// BIT-LABEL: async.func @bit(
// BIT: %[[BIT:.*]] = memref.alloc() : memref<i1>
// BIT-NOT: memref.alloca
// BIT: memref.dealloc %[[BIT]]
// BIT-NEXT: return
async.func @bit(%out: memref<8xf32>, %c: i1, %n: index) -> !async.token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %out) -> memref<8xf32> {
    %s = scf.if %c -> memref<8xf32> {
      %a = memref.alloc() : memref<8xf32>
      scf.yield %a : memref<8xf32>
    } else {
      scf.yield %m : memref<8xf32>
    }
    scf.yield %s : memref<8xf32>
  }
  memref.copy %r, %out : memref<8xf32> to memref<8xf32>
  return
}

// SLOT-LABEL: async.func @slot(
// SLOT-NEXT: memref.alloc()
async.func @slot(%in: memref<8xf32>) -> !async.token {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %in, %a : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}
