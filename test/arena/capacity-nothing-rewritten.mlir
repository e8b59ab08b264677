// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --buffer-reuse=capacity-in-bytes=32 --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s

// The first function fits and the second does not: the first is as it was.

// CHECK: error
// CHECK-LABEL: func @fits
// CHECK-NOT: memref.view
// CHECK-LABEL: func @does_not
// CHECK-NOT: memref.view
func.func @fits(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xi8>
  memref.store %x, %a[%c0] : memref<16xi8>
  memref.dealloc %a : memref<16xi8>
  %b = memref.alloc() : memref<16xi8>
  memref.store %x, %b[%c0] : memref<16xi8>
  memref.dealloc %b : memref<16xi8>
  return
}
func.func @does_not(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xi8>
  memref.store %x, %a[%c0] : memref<64xi8>
  memref.dealloc %a : memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  memref.store %x, %b[%c0] : memref<64xi8>
  memref.dealloc %b : memref<64xi8>
  return
}
