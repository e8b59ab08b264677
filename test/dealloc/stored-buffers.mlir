// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// What is loaded from a memref of memrefs is not ours, and is not the memref that it is loaded from.

// CHECK-LABEL: func.func @loaded_on_one_path(
// CHECK-NOT: memref.copy
// CHECK: %[[BOX:.*]] = memref.alloc()
// CHECK: %[[LOADED:.*]] = memref.load %[[BOX]]
// CHECK-NEXT: memref.dealloc %[[BOX]]
// CHECK-NEXT: scf.yield %[[LOADED]]
// CHECK-NOT: {{alloc|dealloc}}
// CHECK: return
func.func @loaded_on_one_path(%c: i1, %a: memref<8xi64>) {
  %r = scf.if %c -> (memref<8xi64>) {
    %c0 = arith.constant 0 : index
    %box = memref.alloc() : memref<1xmemref<8xi64>>
    memref.store %a, %box[%c0] : memref<1xmemref<8xi64>>
    %loaded = memref.load %box[%c0] : memref<1xmemref<8xi64>>
    scf.yield %loaded : memref<8xi64>
  } else {
    scf.yield %a : memref<8xi64>
  }
  memref.copy %r, %a : memref<8xi64> to memref<8xi64>
  return
}

// CHECK-LABEL: func.func @returned(
// CHECK: %[[BOX:.*]] = memref.alloc()
// CHECK: %[[LOADED:.*]] = affine.load %[[BOX]]
// CHECK: memref.dealloc %[[BOX]]
// CHECK: return %[[LOADED]]
func.func @returned(%a: memref<8xi64>) -> memref<8xi64> {
  %box = memref.alloc() : memref<1xmemref<8xi64>>
  affine.store %a, %box[0] : memref<1xmemref<8xi64>>
  %loaded = affine.load %box[0] : memref<1xmemref<8xi64>>
  return %loaded : memref<8xi64>
}
