// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// Deallocs that are there are kept, and what they miss is added.

// CHECK-LABEL: func.func @complete(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.load %[[ALLOC_0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: return %[[V0]] : f32
// CHECK-NEXT: }
func.func @complete(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %r = memref.load %b[%i] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %r : f32
}
// CHECK-LABEL: func.func @one_of_two(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.load %[[ALLOC_0]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: return %[[V0]] : f32
// CHECK-NEXT: }
func.func @one_of_two(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %r = memref.load %b[%i] : memref<4xf32>
  return %r : f32
}
// CHECK-LABEL: func.func @in_one_arm(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[ARG2]]] : memref<4xf32>
// CHECK-NEXT: scf.if %[[ARG0]] {
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @in_one_arm(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  return
}
// CHECK-LABEL: func.func @in_one_block(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[ARG2]]] : memref<4xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb2, ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: cf.br ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: cf.br ^bb3
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @in_one_block(%c: i1, %x: f32, %i: index) {
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  cf.cond_br %c, ^free, ^end
^free:
  memref.dealloc %a : memref<4xf32>
  cf.br ^end
^end:
  return
}
// CHECK-LABEL: func.func @of_the_iteration_before(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG2:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG3:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (memref<4xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG3]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG3]] : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @of_the_iteration_before(%n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<4xf32>) {
    %b = memref.alloc() : memref<4xf32>
    memref.copy %x, %b : memref<4xf32> to memref<4xf32>
    memref.dealloc %x : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @one_of_several(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = arith.select %[[ARG0]], %[[ALLOC]], %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @one_of_several(%c: i1) {
  // REMARK: :[[#@LINE+1]]:8: remark: {{.*}}left-alone{{.*}}it is freed in a way that shows no single owner on every path
  %a = memref.alloc() : memref<4xf32>
  // REMARK: :[[#@LINE+1]]:8: remark: {{.*}}left-alone{{.*}}it is freed in a way that shows no single owner on every path
  %b = memref.alloc() : memref<4xf32>
  %s = arith.select %c, %a, %b : memref<4xf32>
  memref.dealloc %s : memref<4xf32>
  return
}
// CHECK-LABEL: func.func private @frees(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: memref.dealloc %[[ARG0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func private @frees(%a: memref<4xf32>) {
  memref.dealloc %a : memref<4xf32>
  return
}
// CHECK-LABEL: func.func @callee_frees(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]]] : memref<4xf32>
// CHECK-NEXT: call @frees(%[[ALLOC]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @callee_frees(%x: f32, %i: index) {
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  call @frees(%a) : (memref<4xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @grown(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]]) : memref<?xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[ARG2]]] : memref<?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.realloc %[[ALLOC]](%[[ARG2]]) : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[V0]][%[[ARG2]]] : memref<?xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<?xf32>
// CHECK-NEXT: return %[[V1]] : f32
// CHECK-NEXT: }
func.func @grown(%n: index, %x: f32, %i: index) -> f32 {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%i] : memref<?xf32>
  %b = memref.realloc %a(%i) : memref<?xf32> to memref<?xf32>
  %r = memref.load %b[%i] : memref<?xf32>
  return %r : f32
}
