// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --lower-clones=simplify-only | FileCheck %s --check-prefix=SIMPLE

// Memory that is not the function's though no op with effects brings it.

// CHECK-LABEL: func.func @pointer_or_allocation(
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: memref.copy
// CHECK-NEXT: scf.yield
func.func @pointer_or_allocation(%p: !llvm.ptr, %c: i1) -> memref<4xf32> {
  %0 = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<4xf32>
  %1 = memref.alloc() : memref<4xf32>
  %2 = arith.select %c, %1, %0 : memref<4xf32>
  return %2 : memref<4xf32>
}

// The argument may be the tensor's buffer: it is written while the clone is read.
// SIMPLE-LABEL: func.func @tensor_and_argument(
// SIMPLE: bufferization.clone
func.func @tensor_and_argument(%t: tensor<4xf32>, %x: f32, %out: memref<4xf32>, %sum: memref<f32>) {
  %c0 = arith.constant 0 : index
  %0 = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
  %1 = bufferization.clone %0 : memref<4xf32> to memref<4xf32>
  memref.store %x, %out[%c0] : memref<4xf32>
  %2 = memref.load %1[%c0] : memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  memref.store %2, %sum[] : memref<f32>
  return
}
