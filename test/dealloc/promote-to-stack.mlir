// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --promote-allocs-to-stack | FileCheck %s

// What stays with its function, and what would escape.

func.func private @use(memref<4xf32>)
// CHECK-LABEL: func.func @stays(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() {alignment = 32 : i64} : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOCA]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: call @use(%[[ALLOCA]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @stays(%x: f32, %i: index) {
  %0 = memref.alloc() {alignment = 32 : i64} : memref<4xf32>
  memref.store %x, %0[%i] : memref<4xf32>
  call @use(%0) : (memref<4xf32>) -> ()
  memref.dealloc %0 : memref<4xf32>
  return
}
// CHECK-LABEL: func.func @in_a_loop(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() {alignment = 16 : i64} : memref<4xf32>
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[ARG2:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] {
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOCA]][%[[C0]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @in_a_loop(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %0 = memref.alloc() : memref<4xf32>
    memref.store %x, %0[%c0] : memref<4xf32>
    memref.dealloc %0 : memref<4xf32>
  }
  return
}
// CHECK-LABEL: func.func @returned(
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: return %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
func.func @returned() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}
// CHECK-LABEL: func.func @returned_as_a_view(
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2x2xf32>
// CHECK-NEXT: %[[TRANSPOSE:[A-Za-z0-9_]+]] = memref.transpose %[[ALLOC]] (d0, d1) -> (d1, d0) : memref<2x2xf32> to memref<2x2xf32, #map>
// CHECK-NEXT: return %[[TRANSPOSE]] : memref<2x2xf32, #map>
// CHECK-NEXT: }
func.func @returned_as_a_view() -> memref<2x2xf32, affine_map<(d0, d1) -> (d1 * 2 + d0)>> {
  %0 = memref.alloc() : memref<2x2xf32>
  %1 = memref.transpose %0 (i, j) -> (j, i) : memref<2x2xf32> to memref<2x2xf32, affine_map<(d0, d1) -> (d1 * 2 + d0)>>
  return %1 : memref<2x2xf32, affine_map<(d0, d1) -> (d1 * 2 + d0)>>
}
// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<1xmemref<4xf32>>, %[[ARG1:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ALLOC]], %[[ARG0]][%[[ARG1]]] : memref<1xmemref<4xf32>>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @stored(%m: memref<1xmemref<4xf32>>, %i: index) {
  %0 = memref.alloc() : memref<4xf32>
  memref.store %0, %m[%i] : memref<1xmemref<4xf32>>
  return
}
// CHECK-LABEL: func.func @address(
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[INTPTR:[A-Za-z0-9_]+]] = memref.extract_aligned_pointer_as_index %[[ALLOC]] : memref<4xf32> -> index
// CHECK-NEXT: return %[[INTPTR]] : index
// CHECK-NEXT: }
func.func @address() -> index {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.extract_aligned_pointer_as_index %0 : memref<4xf32> -> index
  return %1 : index
}
// CHECK-LABEL: func.func @too_large(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<1024xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]]] : memref<1024xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<1024xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @too_large(%x: f32, %i: index) {
  %0 = memref.alloc() : memref<1024xf32>
  memref.store %x, %0[%i] : memref<1024xf32>
  memref.dealloc %0 : memref<1024xf32>
  return
}
// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG1:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG2:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (memref<4xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG2]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG2]] : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a) -> (memref<4xf32>) {
    %0 = memref.alloc() : memref<4xf32>
    memref.copy %p, %0 : memref<4xf32> to memref<4xf32>
    memref.dealloc %p : memref<4xf32>
    scf.yield %0 : memref<4xf32>
  }
  memref.dealloc %r : memref<4xf32>
  return
}

// What would have to be cloned to be returned.
// CHECK-LABEL: func.func @returned_on_a_branch(
// CHECK: memref.alloc()
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @returned_on_a_branch(%c: i1, %x: f32, %other: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = memref.alloc() : memref<4xf32>
  %1 = scf.if %c -> memref<4xf32> {
    scf.yield %0 : memref<4xf32>
  } else {
    scf.yield %other : memref<4xf32>
  }
  memref.store %x, %0[%c0] : memref<4xf32>
  return %1 : memref<4xf32>
}
// A name that only its dealloc mentions goes with that.
// CHECK-LABEL: func.func @freed_by_base(
// CHECK-NEXT: %[[A:[A-Za-z0-9_]+]] = memref.alloca()
// CHECK-NEXT: memref.store %{{.*}}, %[[A]]
// CHECK-NEXT: return
func.func @freed_by_base(%x: f32, %i: index) {
  %0 = memref.alloc() : memref<4xf32>
  memref.store %x, %0[%i] : memref<4xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %0 : memref<4xf32> -> memref<f32>, index, index, index
  memref.dealloc %base : memref<f32>
  return
}
