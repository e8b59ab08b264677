// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --lower-clones --split-input-file | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --stowage-memory --split-input-file -o /dev/null
// RUN: stowage-opt %s --allow-unregistered-dialect --stowage-memory='start=merge-alloc hoist stack-bytes=64' --split-input-file -o /dev/null
// RUN: mlir-opt %s --allow-unregistered-dialect --load-pass-plugin=%plugin --pass-pipeline='builtin.module(lower-clones)' --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @static(
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %{{.*}}, %[[NEW]] : memref<4xf32> to memref<4xf32>
// CHECK: return %[[NEW]]
func.func @static(%a: memref<4xf32>) -> memref<4xf32> {
  %0 = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// The sizes are the source's; another layout takes a cast.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[A:.*]]: memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[N:.*]] = memref.dim %[[A]], %{{.*}}
// CHECK: %[[NEW:.*]] = memref.alloc(%[[N]]) : memref<?x4xf32>
// CHECK: memref.copy %[[A]], %[[NEW]]
// CHECK: %[[CAST:.*]] = memref.cast %[[NEW]] : memref<?x4xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK: return %[[CAST]]
func.func @dynamic(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>) -> memref<?x4xf32, strided<[?, 1], offset: ?>> {
  %0 = bufferization.clone %a : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
  return %0 : memref<?x4xf32, strided<[?, 1], offset: ?>>
}

// -----

// Tensors are not the pass's, nor the pipeline's.
// CHECK-LABEL: func.func @beside_tensors(
// CHECK: bufferization.to_buffer
// CHECK: memref.copy
// CHECK: bufferization.to_tensor
func.func @beside_tensors(%t: tensor<4xf32>) -> tensor<4xf32> {
  %b = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
  %c = bufferization.clone %b : memref<4xf32> to memref<4xf32>
  %r = bufferization.to_tensor %c restrict : memref<4xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The first has no shape, and the second is a part of what its strides reach.
// CHECK-LABEL: func.func @stay(
// CHECK: bufferization.clone
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<7xf32>
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %[[ROOM]] to offset: [0], sizes: [4], strides: [2]
// CHECK: memref.copy %{{.*}}, %[[PART]]
// CHECK-NOT: bufferization.clone
func.func @stay(%a: memref<*xf32>, %b: memref<4xf32, strided<[2]>>) {
  %0 = bufferization.clone %a : memref<*xf32> to memref<*xf32>
  %1 = bufferization.clone %b : memref<4xf32, strided<[2]>> to memref<4xf32, strided<[2]>>
  "test.use"(%0, %1) : (memref<*xf32>, memref<4xf32, strided<[2]>>) -> ()
  return
}
