// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation | FileCheck %s --implicit-check-not=clone
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=prefer=clones | FileCheck %s --implicit-check-not=clone

// Only memrefs have owners: bits, numbers and tensors that travel beside them are neither cloned nor freed.

// CHECK-LABEL: func.func @bits_and_numbers(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) -> index {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]]:3 = scf.while (%[[ARG2:[A-Za-z0-9_]+]] = %[[TRUE]], %[[ARG3:[A-Za-z0-9_]+]] = %[[ALLOC]], %[[ARG4:[A-Za-z0-9_]+]] = %[[C0]]) : (i1, memref<4xf32>, index) -> (i1, memref<4xf32>, index) {
// CHECK-NEXT: scf.condition(%[[ARG2]]) %[[ARG2]], %[[ARG3]], %[[ARG4]] : i1, memref<4xf32>, index
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[ARG2]]: i1, %[[ARG3]]: memref<4xf32>, %[[ARG4]]: index):
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG3]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG3]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = arith.addi %[[ARG4]], %[[C1]] : index
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.cmpi slt, %[[V1]], %[[ARG0]] : index
// CHECK-NEXT: scf.yield %[[V2]], %[[ALLOC_0]], %[[V1]] : i1, memref<4xf32>, index
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]]#1, %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]]#1 : memref<4xf32>
// CHECK-NEXT: return %[[V0]]#2 : index
// CHECK-NEXT: }
func.func @bits_and_numbers(%n: index, %out: memref<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %go = arith.constant true
  %first = memref.alloc() : memref<4xf32>
  %r:3 = scf.while (%bit = %go, %buffer = %first, %i = %c0) : (i1, memref<4xf32>, index) -> (i1, memref<4xf32>, index) {
    scf.condition(%bit) %bit, %buffer, %i : i1, memref<4xf32>, index
  } do {
  ^bb0(%bit: i1, %buffer: memref<4xf32>, %i: index):
    %next = memref.alloc() : memref<4xf32>
    memref.copy %buffer, %next : memref<4xf32> to memref<4xf32>
    %j = arith.addi %i, %c1 : index
    %less = arith.cmpi slt, %j, %n : index
    scf.yield %less, %next, %j : i1, memref<4xf32>, index
  }
  memref.copy %r#1, %out : memref<4xf32> to memref<4xf32>
  return %r#2 : index
}
// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: tensor<4xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]]:2 = scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG4:[A-Za-z0-9_]+]] = %[[ARG1]], %[[ARG5:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (tensor<4xf32>, memref<4xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG5]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG5]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = "u.tensor"(%[[ARG4]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: scf.yield %[[V1]], %[[ALLOC_0]] : tensor<4xf32>, memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]]#1, %[[ARG2]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]]#1 : memref<4xf32>
// CHECK-NEXT: return %[[V0]]#0 : tensor<4xf32>
// CHECK-NEXT: }
func.func @tensors(%n: index, %start: tensor<4xf32>, %out: memref<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %start, %buffer = %first) -> (tensor<4xf32>, memref<4xf32>) {
    %next = memref.alloc() : memref<4xf32>
    memref.copy %buffer, %next : memref<4xf32> to memref<4xf32>
    %u = "u.tensor"(%t) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u, %next : tensor<4xf32>, memref<4xf32>
  }
  memref.copy %r#1, %out : memref<4xf32> to memref<4xf32>
  return %r#0 : tensor<4xf32>
}
