// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation > %t
// RUN: FileCheck %s < %t
// RUN: stowage-opt %t --buffer-deallocation | diff %t -
// RUN: stowage-opt %s --buffer-deallocation=prefer=clones | FileCheck %s

// Of several buffers that end where one of them is passed on, the others are freed there, not when the
// one is done with.

// CHECK-LABEL: func.func @one_of_two(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<8xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[ALLOC]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ALLOC_0]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.if %[[ARG0]] -> (memref<8xf32>) {
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<8xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<8xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<8xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALLOC_1:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %[[V0]], %[[ALLOC_1]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<8xf32>
// CHECK-NEXT: memref.copy %[[ALLOC_1]], %[[ARG1]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_1]] : memref<8xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @one_of_two(%c: i1, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.copy %out, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  %r = scf.if %c -> (memref<8xf32>) {
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %b : memref<8xf32>
  }
  %next = memref.alloc() : memref<8xf32>
  memref.copy %r, %next : memref<8xf32> to memref<8xf32>
  memref.copy %next, %out : memref<8xf32> to memref<8xf32>
  return
}
// One may hand over to the next.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: i1, %[[ARG2:[A-Za-z0-9_]+]]: memref<8xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[ALLOC_1:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ALLOC_0]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.copy %[[ALLOC_0]], %[[ALLOC_1]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1(%[[ALLOC]] : memref<8xf32>), ^bb2(%[[ALLOC_0]] : memref<8xf32>)
// CHECK-NEXT: ^bb1(%[[V0:[A-Za-z0-9_]+]]: memref<8xf32>):
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<8xf32>
// CHECK-NEXT: cf.br ^bb3(%[[V0]] : memref<8xf32>)
// CHECK-NEXT: ^bb2(%[[V1:[A-Za-z0-9_]+]]: memref<8xf32>):
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<8xf32>
// CHECK-NEXT: cf.br ^bb3(%[[V1]] : memref<8xf32>)
// CHECK-NEXT: ^bb3(%[[V2:[A-Za-z0-9_]+]]: memref<8xf32>):
// CHECK-NEXT: memref.copy %[[V2]], %[[ARG2]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: cf.cond_br %[[ARG1]], ^bb5(%[[V2]] : memref<8xf32>), ^bb4(%[[ALLOC_1]] : memref<8xf32>)
// CHECK-NEXT: ^bb4(%[[V3:[A-Za-z0-9_]+]]: memref<8xf32>):
// CHECK-NEXT: memref.dealloc %[[V2]] : memref<8xf32>
// CHECK-NEXT: cf.br ^bb6(%[[V3]] : memref<8xf32>)
// CHECK-NEXT: ^bb5(%[[V4:[A-Za-z0-9_]+]]: memref<8xf32>):
// CHECK-NEXT: memref.dealloc %[[ALLOC_1]] : memref<8xf32>
// CHECK-NEXT: cf.br ^bb6(%[[V4]] : memref<8xf32>)
// CHECK-NEXT: ^bb6(%[[V5:[A-Za-z0-9_]+]]: memref<8xf32>):
// CHECK-NEXT: memref.copy %[[V5]], %[[ARG2]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.dealloc %[[V5]] : memref<8xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @chain(%c: i1, %d: i1, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %e = memref.alloc() : memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  memref.copy %b, %e : memref<8xf32> to memref<8xf32>
  cf.cond_br %c, ^first(%a : memref<8xf32>), ^first(%b : memref<8xf32>)
^first(%r: memref<8xf32>):
  memref.copy %r, %out : memref<8xf32> to memref<8xf32>
  cf.cond_br %d, ^second(%r : memref<8xf32>), ^second(%e : memref<8xf32>)
^second(%s: memref<8xf32>):
  memref.copy %s, %out : memref<8xf32> to memref<8xf32>
  return
}
// What is needed later is lent: no clone is made to free the other one earlier.
// CHECK-LABEL: func.func @needed_later(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<8xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[ALLOC]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ALLOC_0]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.if %[[ARG0]] -> (memref<8xf32>) {
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<8xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<8xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ARG1]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<8xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @needed_later(%c: i1, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.copy %out, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  %r = scf.if %c -> (memref<8xf32>) {
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %b : memref<8xf32>
  }
  memref.copy %r, %out : memref<8xf32> to memref<8xf32>
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  return
}
