// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// What has no plain size is left alone.

// CHECK-LABEL: func @dynamic
func.func @dynamic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "dynamic-shape"
  %a = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}

// CHECK-LABEL: func @strided
func.func @strided() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "layout"
  %a = memref.alloc() : memref<4x4xf32, strided<[8, 1]>>
  memref.dealloc %a : memref<4x4xf32, strided<[8, 1]>>
  return
}

// CHECK-LABEL: func @mapped
func.func @mapped() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "layout"
  %a = memref.alloc() : memref<4x4xf32, affine_map<(i, j) -> (j, i)>>
  memref.dealloc %a : memref<4x4xf32, affine_map<(i, j) -> (j, i)>>
  return
}

// CHECK-LABEL: func @symbols
func.func @symbols(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "layout"
  %a = memref.alloc()[%n] : memref<4xf32, affine_map<(i)[s] -> (i + s)>>
  memref.dealloc %a : memref<4xf32, affine_map<(i)[s] -> (i + s)>>
  return
}

// An identity that is written out is still the identity.

// CHECK-LABEL: func @written_identity
func.func @written_identity(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<4xf32, affine_map<(i) -> (i)>>
  memref.store %x, %a[%c0] : memref<4xf32, affine_map<(i) -> (i)>>
  memref.dealloc %a : memref<4xf32, affine_map<(i) -> (i)>>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<4xf32>
  memref.store %x, %b[%c0] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}

// Strides that amount to the identity: either way the result must verify.

// CHECK-LABEL: func @strided_identity
func.func @strided_identity(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: {{stowage.offset = 0|left_alone = "layout"}}
  %a = memref.alloc() : memref<4x4xf32, strided<[4, 1]>>
  memref.store %x, %a[%c0, %c0] : memref<4x4xf32, strided<[4, 1]>>
  memref.dealloc %a : memref<4x4xf32, strided<[4, 1]>>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %x, %d[%c0] : memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  return
}
