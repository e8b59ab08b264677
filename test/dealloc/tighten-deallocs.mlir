// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation=tighten | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation=tighten --buffer-deallocation=tighten | FileCheck %s

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

// A name that only deallocs mention goes with them: it does not keep the buffer, and a second run, which frees the call's result by
// another such name, leaves none behind.

// CHECK-LABEL: func.func @freed_by_base(
// CHECK-NEXT: %[[A:[A-Za-z0-9_]+]] = call @flat(
// CHECK-NEXT: %[[X:[A-Za-z0-9_]+]] = memref.load %[[A]]
// CHECK-NEXT: %[[BASE:[A-Za-z0-9_]+]], %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} = memref.extract_strided_metadata %[[A]]
// CHECK-NEXT: memref.dealloc %[[BASE]] : memref<f32>
// CHECK-NEXT: %[[Y:[A-Za-z0-9_]+]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func private @flat(%n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  return %flat : memref<?xf32>
}
func.func @freed_by_base(%n: index, %i: index) -> f32 {
  %a = call @flat(%n) : (index) -> memref<?xf32>
  %x = memref.load %a[%i] : memref<?xf32>
  %y = arith.addf %x, %x : f32
  memref.dealloc %a : memref<?xf32>
  return %y : f32
}
// CHECK-LABEL: func.func @freed_by_names(
// CHECK: %[[A:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %{{.*}}, %[[A]]
// CHECK-NEXT: memref.dealloc %[[A]] : memref<4xf32>
// CHECK-NEXT: scf.if %{{.*}} {
// CHECK-NEXT: call @look() : () -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func private @look()
func.func @freed_by_names(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<4xf32> -> memref<f32>, index, index, index
  scf.if %c {
    func.call @look() : () -> ()
    %name = memref.cast %base : memref<f32> to memref<*xf32>
    memref.dealloc %name : memref<*xf32>
  } else {
    memref.dealloc %base : memref<f32>
  }
  return
}
// CHECK-LABEL: func.func @measured_before(
// CHECK: %[[A:[A-Za-z0-9_]+]] = memref.alloc
// CHECK: %{{[^ ]+}}, %{{[^ ]+}}, %[[SIZE:[A-Za-z0-9_]+]], %{{[^ ]+}} = memref.extract_strided_metadata %[[A]]
// CHECK-NEXT: memref.dealloc %[[A]] : memref<?xf32>
// CHECK-NEXT: return %[[SIZE]] : index
func.func @measured_before(%n: index) -> index {
  %a = memref.alloc(%n) : memref<?xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<?xf32> -> memref<f32>, index, index, index
  memref.dealloc %base : memref<f32>
  return %size : index
}
