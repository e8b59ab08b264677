// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation --buffer-deallocation | FileCheck %s

// Functions that end in several places, in none, or in a way that never comes.

// CHECK-LABEL: func.func @own_or_given(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: return %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.read"(%[[ALLOC]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[V0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: return %[[V0]] : memref<4xf32>
// CHECK-NEXT: }
func.func @own_or_given(%c: i1, %given: memref<4xf32>) -> memref<4xf32> {
  %own = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^ours, ^theirs
^ours:
  return %own : memref<4xf32>
^theirs:
  "u.read"(%own) : (memref<4xf32>) -> ()
  return %given : memref<4xf32>
}
// CHECK-LABEL: func.func @two_ends(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.read"(%[[ALLOC]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @two_ends(%c: i1) {
  %own = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^early, ^late
^early:
  return
^late:
  "u.read"(%own) : (memref<4xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @one_end_never_comes(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: "u.read"(%[[ALLOC]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: ub.unreachable
// CHECK-NEXT: }
func.func @one_end_never_comes(%c: i1) {
  %own = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^end, ^never
^end:
  "u.read"(%own) : (memref<4xf32>) -> ()
  return
^never:
  ub.unreachable
}
// CHECK-LABEL: func.func @no_end(
// CHECK-SAME: ) {
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: "u.read"(%[[ALLOC]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: }
func.func @no_end() {
  cf.br ^again
^again:
  %own = memref.alloc() : memref<4xf32>
  "u.read"(%own) : (memref<4xf32>) -> ()
  cf.br ^again
}
// CHECK-LABEL: func.func @dead_block(
// CHECK-SAME: ) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: "u.read"(%[[ALLOC]]) : (memref<4xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: "u.read"(%[[ALLOC]], %[[ALLOC_0]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: }
func.func @dead_block() {
  %own = memref.alloc() : memref<4xf32>
  "u.read"(%own) : (memref<4xf32>) -> ()
  return
^dead:
  %lost = memref.alloc() : memref<4xf32>
  "u.read"(%own, %lost) : (memref<4xf32>, memref<4xf32>) -> ()
  cf.br ^dead
}
