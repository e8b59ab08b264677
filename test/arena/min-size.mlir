// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none min-size-in-bytes=32" | FileCheck %s

// CHECK-LABEL: func @small
func.func @small(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "small"
  %a = memref.alloc() : memref<7xf32>
  memref.store %x, %a[%c0] : memref<7xf32>
  memref.dealloc %a : memref<7xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  // CHECK: stowage.offset = 0
  %c = memref.alloc() : memref<8xf32>
  memref.store %x, %c[%c0] : memref<8xf32>
  memref.dealloc %c : memref<8xf32>
  return
}
