// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --tighten-deallocs | FileCheck %s
// RUN: stowage-opt %s --tighten-deallocs --tighten-deallocs | FileCheck %s

// Deallocs move up to the last use, and no further than a use through a view.

// CHECK-LABEL: func.func @last_use(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC_0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.load %[[ALLOC_0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: return %[[V0]] : f32
// CHECK-NEXT: }
func.func @last_use(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.store %x, %b[%i] : memref<4xf32>
  %v = memref.load %b[%i] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return %v : f32
}
// CHECK-LABEL: func.func @through_transpose(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT: %[[TRANSPOSE:[A-Za-z0-9_]+]] = memref.transpose %[[ALLOC]] (d0, d1) -> (d1, d0) : memref<4x4xf32> to memref<4x4xf32, #map>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]], %[[ARG1]]] : memref<4x4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.load %[[TRANSPOSE]][%[[ARG1]], %[[ARG1]]] : memref<4x4xf32, #map>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4x4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT: memref.store %[[V0]], %[[ALLOC_0]][%[[ARG1]], %[[ARG1]]] : memref<4x4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<4x4xf32>
// CHECK-NEXT: return %[[V0]] : f32
// CHECK-NEXT: }
func.func @through_transpose(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4x4xf32>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<4x4xf32> to memref<4x4xf32, affine_map<(d0, d1) -> (d1 * 4 + d0)>>
  memref.store %x, %a[%i, %i] : memref<4x4xf32>
  %v = memref.load %t[%i, %i] : memref<4x4xf32, affine_map<(d0, d1) -> (d1 * 4 + d0)>>
  %b = memref.alloc() : memref<4x4xf32>
  memref.store %v, %b[%i, %i] : memref<4x4xf32>
  memref.dealloc %a : memref<4x4xf32>
  memref.dealloc %b : memref<4x4xf32>
  return %v : f32
}
// CHECK-LABEL: func.func @conditional_stays(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: scf.if %[[ARG0]] {
// CHECK-NEXT: memref.dealloc %[[ARG1]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @conditional_stays(%c: i1, %a: memref<4xf32>) {
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  return
}
