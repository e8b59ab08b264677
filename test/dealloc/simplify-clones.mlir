// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --lower-clones=simplify-only | FileCheck %s

// Clones go where nobody can tell them from their source, and stay where somebody could.

// CHECK-LABEL: func.func @source_dies(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index) -> memref<?x?xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG1]]) : memref<?x?xf32>
// CHECK-NEXT: return %[[ALLOC]] : memref<?x?xf32>
// CHECK-NEXT: }
func.func @source_dies(%n: index, %m: index) -> memref<?x?xf32> {
  %1 = memref.alloc(%n, %m) : memref<?x?xf32>
  %2 = bufferization.clone %1 : memref<?x?xf32> to memref<?x?xf32>
  memref.dealloc %1 : memref<?x?xf32>
  return %2 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @clone_dies(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<4xf32>, %[[ARG1:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.load %[[ARG0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: return %[[V0]] : f32
// CHECK-NEXT: }
func.func @clone_dies(%a: memref<4xf32>, %i: index) -> f32 {
  %1 = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  %2 = memref.load %1[%i] : memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2 : f32
}
// CHECK-LABEL: func.func @source_written(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<4xf32>, %[[ARG1:[A-Za-z0-9_]+]]: index, %[[ARG2:[A-Za-z0-9_]+]]: f32) -> f32 {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ARG0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG2]], %[[ARG0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[V0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return %[[V1]] : f32
// CHECK-NEXT: }
func.func @source_written(%a: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %1 = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  %2 = memref.load %1[%i] : memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2 : f32
}
// CHECK-LABEL: func.func @clone_written(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<4xf32>, %[[ARG1:[A-Za-z0-9_]+]]: index, %[[ARG2:[A-Za-z0-9_]+]]: f32) -> f32 {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ARG0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG2]], %[[V0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[V0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return %[[V1]] : f32
// CHECK-NEXT: }
func.func @clone_written(%a: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %1 = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.store %x, %1[%i] : memref<4xf32>
  %2 = memref.load %1[%i] : memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2 : f32
}
// CHECK-LABEL: func.func @another_argument_written(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<4xf32>, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>, %[[ARG2:[A-Za-z0-9_]+]]: index, %[[ARG3:[A-Za-z0-9_]+]]: f32) -> f32 {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ARG0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG3]], %[[ARG1]][%[[ARG2]]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[V0]][%[[ARG2]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return %[[V1]] : f32
// CHECK-NEXT: }
func.func @another_argument_written(%a: memref<4xf32>, %b: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %1 = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.store %x, %b[%i] : memref<4xf32>
  %2 = memref.load %1[%i] : memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2 : f32
}
// CHECK-LABEL: func.func @written_while_both_live(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32) -> memref<4xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[ARG0]]] : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ALLOC]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[V0]][%[[ARG0]]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[ALLOC]][%[[ARG0]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: return %[[V0]] : memref<4xf32>
// CHECK-NEXT: }
func.func @written_while_both_live(%i: index, %x: f32) -> memref<4xf32> {
  %1 = memref.alloc() : memref<4xf32>
  memref.store %x, %1[%i] : memref<4xf32>
  %2 = bufferization.clone %1 : memref<4xf32> to memref<4xf32>
  memref.store %x, %2[%i] : memref<4xf32>
  %3 = memref.load %1[%i] : memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2 : memref<4xf32>
}
// The buffer that is filled is what is returned.
// CHECK-LABEL: func.func @filled_for_its_clone(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: linalg.exp ins(%[[ARG0]] : memref<4xf32>) outs(%[[ALLOC]] : memref<4xf32>)
// CHECK-NEXT: return %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
func.func @filled_for_its_clone(%a: memref<4xf32>) -> memref<4xf32> {
  %1 = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%1 : memref<4xf32>)
  %2 = bufferization.clone %1 : memref<4xf32> to memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2 : memref<4xf32>
}
// CHECK-LABEL: func.func @clone_of_a_clone(
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: return %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
func.func @clone_of_a_clone() -> memref<4xf32> {
  %1 = memref.alloc() : memref<4xf32>
  %2 = bufferization.clone %1 : memref<4xf32> to memref<4xf32>
  %3 = bufferization.clone %2 : memref<4xf32> to memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  memref.dealloc %2 : memref<4xf32>
  return %3 : memref<4xf32>
}
// Two results need two buffers: one of the clones goes.
// CHECK-LABEL: func.func @two_clones(
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ALLOC]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: return %[[ALLOC]], %[[V0]] : memref<4xf32>, memref<4xf32>
// CHECK-NEXT: }
func.func @two_clones() -> (memref<4xf32>, memref<4xf32>) {
  %1 = memref.alloc() : memref<4xf32>
  %2 = bufferization.clone %1 : memref<4xf32> to memref<4xf32>
  %3 = bufferization.clone %1 : memref<4xf32> to memref<4xf32>
  memref.dealloc %1 : memref<4xf32>
  return %2, %3 : memref<4xf32>, memref<4xf32>
}
// A clone that changes how its memory lies, or is a part of it, is no other name.
// CHECK-LABEL: func.func @every_second(
// CHECK: bufferization.clone
// CHECK-NEXT: memref.dealloc
func.func @every_second() -> memref<2xf32> {
  %1 = memref.alloc() : memref<4xf32>
  %2 = memref.subview %1[0] [2] [2] : memref<4xf32> to memref<2xf32, strided<[2]>>
  %3 = bufferization.clone %2 : memref<2xf32, strided<[2]>> to memref<2xf32>
  memref.dealloc %1 : memref<4xf32>
  return %3 : memref<2xf32>
}
