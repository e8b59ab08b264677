// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=poison | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=alignment-in-bytes=1 | FileCheck %s

// A clone of a type that no allocation has stays a clone, and what it is made of is no slice. One that
// stays and can be allocated becomes an allocation, as aligned as its readers need.

// CHECK-LABEL: func.func @offset(
// CHECK: bufferization.clone
func.func @offset(%given: memref<f32, strided<[], offset: ?>>, %x: f32) -> memref<f32, strided<[], offset: ?>> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %r = bufferization.clone %given : memref<f32, strided<[], offset: ?>> to memref<f32, strided<[], offset: ?>>
  return %r : memref<f32, strided<[], offset: ?>>
}

// CHECK-LABEL: func.func @unranked(
// CHECK: bufferization.clone
func.func @unranked(%given: memref<*xf32>, %x: f32) -> memref<*xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %r = bufferization.clone %given : memref<*xf32> to memref<*xf32>
  return %r : memref<*xf32>
}

// Its caller keeps the buffer.
// CHECK-LABEL: func.func @caller(
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<4x4xf32>
// CHECK: call @strided
func.func @strided(%given: memref<?x?xf32, strided<[?, 1]>>) -> memref<?x?xf32, strided<[?, 1]>> {
  %r = bufferization.clone %given : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32, strided<[?, 1]>>
  return %r : memref<?x?xf32, strided<[?, 1]>>
}
func.func @caller(%x: f32) -> memref<?x?xf32, strided<[?, 1]>> {
  %own = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%x : f32) outs(%own : memref<4x4xf32>)
  %cast = memref.cast %own : memref<4x4xf32> to memref<?x?xf32, strided<[?, 1]>>
  %r = call @strided(%cast) : (memref<?x?xf32, strided<[?, 1]>>) -> memref<?x?xf32, strided<[?, 1]>>
  memref.dealloc %own : memref<4x4xf32>
  return %r : memref<?x?xf32, strided<[?, 1]>>
}

// CHECK-LABEL: func.func @aligned(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK-NOT: bufferization.clone
func.func @aligned(%given: memref<16xf32>, %x: f32) -> memref<16xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %r = bufferization.clone %given : memref<16xf32> to memref<16xf32>
  %s = memref.assume_alignment %r, 64 : memref<16xf32>
  return %s : memref<16xf32>
}
