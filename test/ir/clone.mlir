// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// bufferization.clone is an allocation with a copy.

// CHECK-LABEL: func @clone
func.func @clone(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  // CHECK: bufferization.clone {{.*}}left_alone = "no-partner"
  %b = bufferization.clone %a : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: stowage.offset = 0
  %d = memref.alloc() : memref<8xf32>
  memref.store %x, %d[%c0] : memref<8xf32>
  %v = memref.load %d[%c0] : memref<8xf32>
  memref.dealloc %d : memref<8xf32>
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @of_argument
func.func @of_argument(%p: memref<8xf32>, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: bufferization.clone {{.*}}stowage.offset = 0
  %a = bufferization.clone %p : memref<8xf32> to memref<8xf32>
  memref.copy %a, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: bufferization.clone {{.*}}stowage.offset = 0
  %b = bufferization.clone %p : memref<8xf32> to memref<8xf32>
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @returned
func.func @returned(%p: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: bufferization.clone {{.*}}left_alone = "returned"
  %a = bufferization.clone %p : memref<8xf32> to memref<8xf32>
  return %a : memref<8xf32>
}

// CHECK-LABEL: func @dynamic
func.func @dynamic(%p: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: bufferization.clone {{.*}}left_alone = "dynamic-shape"
  %a = bufferization.clone %p : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}

// CHECK-LABEL: func @strided
func.func @strided(%p: memref<4xf32, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: bufferization.clone {{.*}}left_alone = "layout"
  %a = bufferization.clone %p : memref<4xf32, strided<[2]>> to memref<4xf32, strided<[2]>>
  memref.dealloc %a : memref<4xf32, strided<[2]>>
  return
}

// A static clone of a dynamic buffer: the copy must still verify.

// CHECK-LABEL: func @dynamic_source
func.func @dynamic_source(%p: memref<?xf32>, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: bufferization.clone {{.*}}stowage.offset = 0
  %a = bufferization.clone %p : memref<?xf32> to memref<8xf32>
  memref.copy %a, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: bufferization.clone {{.*}}stowage.offset = 0
  %b = bufferization.clone %q : memref<8xf32> to memref<8xf32>
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
