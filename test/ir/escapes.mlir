// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// What lets a buffer's memory out of the pass's sight leaves it alone, and says how.

// CHECK-LABEL: func @returned
func.func @returned() -> memref<8xf32> {
  // CHECK: left_alone = "returned"
  %a = memref.alloc() : memref<8xf32>
  return %a : memref<8xf32>
}

// CHECK-LABEL: func @view_returned
func.func @view_returned() -> memref<4xf32, strided<[1], offset: 2>> {
  // CHECK: left_alone = "returned"
  %a = memref.alloc() : memref<8xf32>
  %s = memref.subview %a[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  return %s : memref<4xf32, strided<[1], offset: 2>>
}

// CHECK-LABEL: func @transpose_returned
func.func @transpose_returned() -> memref<4x2xf32, strided<[1, 4]>> {
  // CHECK: left_alone = "returned"
  %a = memref.alloc() : memref<2x4xf32>
  %s = memref.transpose %a (i, j) -> (j, i) : memref<2x4xf32> to memref<4x2xf32, strided<[1, 4]>>
  return %s : memref<4x2xf32, strided<[1, 4]>>
}

// CHECK-LABEL: func @loop_result_returned
func.func @loop_result_returned(%n: index, %arg: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "returned"
  %a = memref.alloc() : memref<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %arg) -> (memref<8xf32>) {
    scf.yield %a : memref<8xf32>
  }
  return %r : memref<8xf32>
}

// CHECK-LABEL: func @stored
func.func @stored(%box: memref<1xmemref<8xf32>>) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "stored"
  %a = memref.alloc() : memref<8xf32>
  memref.store %a, %box[%c0] : memref<1xmemref<8xf32>>
  memref.dealloc %a : memref<8xf32>
  return
}

// The container is not the contained: %box itself does not escape.

// CHECK-LABEL: func @container
func.func @container(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %box = memref.alloc() : memref<1xmemref<8xf32>>
  memref.store %a, %box[%c0] : memref<1xmemref<8xf32>>
  memref.dealloc %box : memref<1xmemref<8xf32>>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<1xmemref<8xf32>>
  memref.store %a, %b[%c0] : memref<1xmemref<8xf32>>
  memref.dealloc %b : memref<1xmemref<8xf32>>
  return
}

// CHECK-LABEL: func @pointer
func.func @pointer() -> index {
  // CHECK: left_alone = "pointer-taken"
  %a = memref.alloc() : memref<8xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  memref.dealloc %a : memref<8xf32>
  return %p : index
}

// CHECK-LABEL: func @pointer_of_view
func.func @pointer_of_view() -> index {
  // CHECK: left_alone = "pointer-taken"
  %a = memref.alloc() : memref<8xf32>
  %s = memref.cast %a : memref<8xf32> to memref<?xf32>
  %p = memref.extract_aligned_pointer_as_index %s : memref<?xf32> -> index
  memref.dealloc %a : memref<8xf32>
  return %p : index
}

// CHECK-LABEL: func @to_tensor
func.func @to_tensor() -> tensor<8xf32> {
  // CHECK: left_alone = "{{pointer-taken|returned|unknown-op|stored}}"
  %a = memref.alloc() : memref<8xf32>
  %t = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  memref.dealloc %a : memref<8xf32>
  return %t : tensor<8xf32>
}

// CHECK-LABEL: func @unrealized
func.func @unrealized() -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> {
  // CHECK: left_alone = "pointer-taken"
  %a = memref.alloc() : memref<8xf32>
  %d = builtin.unrealized_conversion_cast %a : memref<8xf32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  memref.dealloc %a : memref<8xf32>
  return %d : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
}
