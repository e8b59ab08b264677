// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --hoist-allocations | FileCheck %s
// RUN: stowage-opt %s --hoist-allocations --hoist-allocations | FileCheck %s

// Up to the operands, or to the start of the function; out of loops only what each iteration is done with.

// CHECK-LABEL: func.func @before_the_branch(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG3:[A-Za-z0-9_]+]]: f32, %[[ARG4:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb3(%[[ARG1]] : memref<2xf32>)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: memref.store %[[ARG3]], %[[ALLOC]][%[[ARG4]]] : memref<2xf32>
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<2xf32>)
// CHECK-NEXT: ^bb3(%[[V0:[A-Za-z0-9_]+]]: memref<2xf32>):
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG2]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @before_the_branch(%c: i1, %a: memref<2xf32>, %b: memref<2xf32>, %x: f32, %i: index) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%a : memref<2xf32>)
^bb2:
  %0 = memref.alloc() : memref<2xf32>
  memref.store %x, %0[%i] : memref<2xf32>
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%1: memref<2xf32>):
  memref.copy %1, %b : memref<2xf32> to memref<2xf32>
  return
}
// CHECK-LABEL: func.func @not_before_its_size(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG3:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2(%[[ARG3]] : index)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb3(%[[ARG1]] : memref<?xf32>)
// CHECK-NEXT: ^bb2(%[[V0:[A-Za-z0-9_]+]]: index):
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[V0]]) : memref<?xf32>
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<?xf32>)
// CHECK-NEXT: ^bb3(%[[V1:[A-Za-z0-9_]+]]: memref<?xf32>):
// CHECK-NEXT: memref.copy %[[V1]], %[[ARG2]] : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.xori %[[ARG0]], %[[TRUE]] : i1
// CHECK-NEXT: scf.if %[[V2]] {
// CHECK-NEXT: memref.dealloc %[[V1]] {stowage.by_bit} : memref<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @not_before_its_size(%c: i1, %a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  cf.cond_br %c, ^bb1, ^bb2(%n : index)
^bb1:
  cf.br ^bb3(%a : memref<?xf32>)
^bb2(%0: index):
  %1 = memref.alloc(%0) : memref<?xf32>
  cf.br ^bb3(%1 : memref<?xf32>)
^bb3(%2: memref<?xf32>):
  memref.copy %2, %b : memref<?xf32> to memref<?xf32>
  return
}
// CHECK-LABEL: func.func @with_its_dealloc(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] {
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[ARG2]]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @with_its_dealloc(%n: index, %x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %0 = memref.alloc() : memref<2xf32>
    memref.store %x, %0[%i] : memref<2xf32>
    memref.dealloc %0 : memref<2xf32>
  }
  return
}
// CHECK-LABEL: func.func @carried_stays(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG4:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG4]], %[[ALLOC_0]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[ARG4]] : memref<2xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @carried_stays(%n: index, %x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<2xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a) -> (memref<2xf32>) {
    %0 = memref.alloc() : memref<2xf32>
    memref.copy %p, %0 : memref<2xf32> to memref<2xf32>
    scf.yield %0 : memref<2xf32>
  }
  return
}
// CHECK-LABEL: func.func @parallel_stays(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: scf.parallel (%[[ARG2:[A-Za-z0-9_]+]]) = (%[[C0]]) to (%[[ARG0]]) step (%[[C1]]) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.if %[[TRUE]] {
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @parallel_stays(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    scf.if %true {
      %0 = memref.alloc() : memref<2xf32>
      memref.store %x, %0[%c0] : memref<2xf32>
    }
    scf.reduce
  }
  return
}

// What something else than a dealloc frees is freed where it is not, too.
// CHECK-LABEL: func.func @reallocated_in_an_arm(
// CHECK-NEXT: %[[ALLOC:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[MORE:.*]] = memref.realloc %[[ALLOC]]
// CHECK-NEXT: memref.dealloc %[[MORE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @reallocated_in_an_arm(%c: i1) {
  scf.if %c {
    %0 = memref.alloc() : memref<2xf32>
    %1 = memref.realloc %0 : memref<2xf32> to memref<4xf32>
    memref.dealloc %1 : memref<4xf32>
  }
  return
}

// Nor does it matter by which name it is freed.
// CHECK-LABEL: func.func @freed_as_a_result(
// CHECK-NEXT: %[[ALLOC:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.if
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @freed_as_a_result(%c: i1, %out: memref<2xf32>) {
  scf.if %c {
    %0 = scf.execute_region -> memref<2xf32> {
      %1 = memref.alloc() : memref<2xf32>
      scf.yield %1 : memref<2xf32>
    }
    memref.copy %0, %out : memref<2xf32> to memref<2xf32>
    memref.dealloc %0 : memref<2xf32>
  }
  return
}

// CHECK-LABEL: func.func @freed_by_base(
// CHECK-NEXT: %[[ALLOC:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[ALLOC]]
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @freed_by_base(%c: i1, %out: memref<2xf32>) {
  scf.if %c {
    %0 = memref.alloc() : memref<2xf32>
    memref.copy %0, %out : memref<2xf32> to memref<2xf32>
    %base, %offset, %size, %stride = memref.extract_strided_metadata %0 : memref<2xf32> -> memref<f32>, index, index, index
    memref.dealloc %base : memref<f32>
  }
  return
}
