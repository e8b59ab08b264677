// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// Selects whose operands both die where their result is passed on are made anew as branches there.

// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: i1, %[[ARG2:[A-Za-z0-9_]+]]: memref<2xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[CST:[A-Za-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]]:2 = scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG4:[A-Za-z0-9_]+]] = %[[ALLOC]], %[[ARG5:[A-Za-z0-9_]+]] = %[[ALLOC_0]]) -> (memref<2xf32>, memref<2xf32>) {
// CHECK-NEXT: memref.dealloc %[[ARG5]] : memref<2xf32>
// CHECK-NEXT: %[[ALLOC_1:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.store %[[CST]], %[[ARG4]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = arith.select %[[ARG1]], %[[ARG4]], %[[ALLOC_1]] : memref<2xf32>
// CHECK-NEXT: memref.store %[[CST]], %[[V1]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]]:2 = scf.if %[[ARG1]] -> (memref<2xf32>, memref<2xf32>) {
// CHECK-NEXT: scf.yield %[[ARG4]], %[[ALLOC_1]] : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ALLOC_1]], %[[ARG4]] : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V2]]#0, %[[V2]]#1 : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[V0]]#1 : memref<2xf32>
// CHECK-NEXT: memref.copy %[[V0]]#0, %[[ARG2]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[V0]]#0 : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @swap(%n: index, %c: i1, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %0 = memref.alloc() : memref<2xf32>
  %1 = memref.alloc() : memref<2xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0, %b = %1) -> (memref<2xf32>, memref<2xf32>) {
    %x = memref.alloc() : memref<2xf32>
    memref.store %f, %a[%c0] : memref<2xf32>
    %p = arith.select %c, %a, %x : memref<2xf32>
    %q = arith.select %c, %x, %a : memref<2xf32>
    memref.store %f, %p[%c0] : memref<2xf32>
    scf.yield %p, %q : memref<2xf32>, memref<2xf32>
  }
  memref.copy %r#0, %out : memref<2xf32> to memref<2xf32>
  return
}
// CHECK-LABEL: func.func @ret(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<2xf32>) -> memref<2xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.if %[[ARG0]] -> (memref<2xf32>) {
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[V1]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: scf.yield %[[V1]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : memref<2xf32>
// CHECK-NEXT: }
func.func @ret(%c: i1, %arg: memref<2xf32>) -> memref<2xf32> {
    %x = memref.alloc() : memref<2xf32>
    %p = arith.select %c, %arg, %x : memref<2xf32>
    return %p : memref<2xf32>
}
// CHECK-LABEL: func.func @nest(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: i1, %[[ARG2:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[CST:[A-Za-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG2]] step %[[C1]] iter_args(%[[ARG4:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[ALLOC_1:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = arith.select %[[ARG0]], %[[ARG4]], %[[ALLOC_0]] : memref<2xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.select %[[ARG1]], %[[ALLOC_1]], %[[V1]] : memref<2xf32>
// CHECK-NEXT: memref.store %[[CST]], %[[V2]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = scf.if %[[ARG1]] -> (memref<2xf32>) {
// CHECK-NEXT: memref.dealloc %[[ARG4]] : memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<2xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_1]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC_1]] : memref<2xf32>
// CHECK-NEXT: %[[V4:[A-Za-z0-9_]+]] = scf.if %[[ARG0]] -> (memref<2xf32>) {
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<2xf32>
// CHECK-NEXT: scf.yield %[[ARG4]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ARG4]] : memref<2xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V4]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V3]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @nest(%c: i1, %d : i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
    %x = memref.alloc() : memref<2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<2xf32>) {
    %y = memref.alloc() : memref<2xf32>
    %z = memref.alloc() : memref<2xf32>
    %p = arith.select %c, %a, %y : memref<2xf32>
    %q = arith.select %d, %z, %p : memref<2xf32>
    memref.store %f, %q[%c0] : memref<2xf32>
    scf.yield %q : memref<2xf32>
   }
    return
}
