// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=prefer=clones | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=prefer=clones --buffer-deallocation=prefer=clones | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation | FileCheck %s --check-prefix=BITS --implicit-check-not=clone

// The shapes that the classic pass was known by. Ownership moves where it cloned; with bits nothing is
// cloned at all.

// BITS: module

// CHECK-LABEL: func.func @written_on_one_path(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<6xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.use"(%[[ALLOC]], %[[ALLOC]]) : (memref<6xf32>, memref<6xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ARG1]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<6xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @written_on_one_path(%c: i1, %out: memref<6xf32>) {
  %h = memref.alloc() : memref<6xf32>
  cf.cond_br %c, ^l, ^r
^l:
  cf.br ^j
^r:
  "u.use"(%h, %h) : (memref<6xf32>, memref<6xf32>) -> ()
  cf.br ^j
^j:
  memref.copy %h, %out : memref<6xf32> to memref<6xf32>
  return
}
// CHECK-LABEL: func.func @stack_or_heap(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<6xf32>) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<6xf32>
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: "u.use"(%[[ALLOCA]]) : (memref<6xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOCA]] : memref<6xf32>)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<6xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<6xf32>)
// CHECK-NEXT: ^bb3(%[[V0:[A-Za-z0-9_]+]]: memref<6xf32>):
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<6xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @stack_or_heap(%c: i1, %out: memref<6xf32>) {
  %s = memref.alloca() : memref<6xf32>
  %h = memref.alloc() : memref<6xf32>
  cf.cond_br %c, ^l, ^r
^l:
  "u.use"(%s) : (memref<6xf32>) -> ()
  cf.br ^j(%s : memref<6xf32>)
^r:
  "u.use"(%h) : (memref<6xf32>) -> ()
  cf.br ^j(%h : memref<6xf32>)
^j(%m: memref<6xf32>):
  memref.copy %m, %out : memref<6xf32> to memref<6xf32>
  return
}
// CHECK-LABEL: func.func @given_or_new(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<6xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<6xf32>) {
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[V0]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: cf.br ^bb3(%[[V0]] : memref<6xf32>)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<6xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<6xf32>)
// CHECK-NEXT: ^bb3(%[[V1:[A-Za-z0-9_]+]]: memref<6xf32>):
// CHECK-NEXT: memref.copy %[[V1]], %[[ARG2]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<6xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @given_or_new(%c: i1, %a: memref<6xf32>, %out: memref<6xf32>) {
  cf.cond_br %c, ^l, ^r
^l:
  cf.br ^j(%a : memref<6xf32>)
^r:
  %h = memref.alloc() : memref<6xf32>
  "u.use"(%h) : (memref<6xf32>) -> ()
  cf.br ^j(%h : memref<6xf32>)
^j(%m: memref<6xf32>):
  memref.copy %m, %out : memref<6xf32> to memref<6xf32>
  return
}
// CHECK-LABEL: func.func @given_or_new_of_dynamic_size(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG3:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2(%[[ARG3]] : index)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[ZERO2:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[SIZE2:.*]] = memref.dim %[[ARG1]], %[[ZERO2]] : memref<?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.alloc(%[[SIZE2]]) : memref<?xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[V0]] : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: cf.br ^bb3(%[[V0]] : memref<?xf32>)
// CHECK-NEXT: ^bb2(%[[V1:[A-Za-z0-9_]+]]: index):
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[V1]]) : memref<?xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<?xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<?xf32>)
// CHECK-NEXT: ^bb3(%[[V2:[A-Za-z0-9_]+]]: memref<?xf32>):
// CHECK-NEXT: memref.copy %[[V2]], %[[ARG2]] : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: memref.dealloc %[[V2]] : memref<?xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @given_or_new_of_dynamic_size(%c: i1, %a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  cf.cond_br %c, ^l, ^r(%n : index)
^l:
  cf.br ^j(%a : memref<?xf32>)
^r(%k: index):
  %h = memref.alloc(%k) : memref<?xf32>
  "u.use"(%h) : (memref<?xf32>) -> ()
  cf.br ^j(%h : memref<?xf32>)
^j(%m: memref<?xf32>):
  memref.copy %m, %out : memref<?xf32> to memref<?xf32>
  return
}
// CHECK-LABEL: func.func @earlier_or_new(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<6xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<6xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC_0]] : memref<6xf32>)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<6xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<6xf32>)
// CHECK-NEXT: ^bb3(%[[V0:[A-Za-z0-9_]+]]: memref<6xf32>):
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<6xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @earlier_or_new(%c: i1, %out: memref<6xf32>) {
  %h = memref.alloc() : memref<6xf32>
  cf.cond_br %c, ^l, ^r
^l:
  %g = memref.alloc() : memref<6xf32>
  cf.br ^j(%g : memref<6xf32>)
^r:
  "u.use"(%h) : (memref<6xf32>) -> ()
  cf.br ^j(%h : memref<6xf32>)
^j(%m: memref<6xf32>):
  memref.copy %m, %out : memref<6xf32> to memref<6xf32>
  return
}
// CHECK-LABEL: func.func @through_nested_branches(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG3:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2(%[[ARG3]] : index)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[ZERO3:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[SIZE3:.*]] = memref.dim %[[ARG1]], %[[ZERO3]] : memref<?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.alloc(%[[SIZE3]]) : memref<?xf32>
// CHECK-NEXT: memref.copy %[[ARG1]], %[[V0]] : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: cf.br ^bb6(%[[V0]] : memref<?xf32>)
// CHECK-NEXT: ^bb2(%[[V1:[A-Za-z0-9_]+]]: index):
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[V1]]) : memref<?xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<?xf32>) -> ()
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb3, ^bb4
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: cf.br ^bb5(%[[ALLOC]] : memref<?xf32>)
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: cf.br ^bb5(%[[ALLOC]] : memref<?xf32>)
// CHECK-NEXT: ^bb5(%[[V2:[A-Za-z0-9_]+]]: memref<?xf32>):
// CHECK-NEXT: cf.br ^bb6(%[[V2]] : memref<?xf32>)
// CHECK-NEXT: ^bb6(%[[V3:[A-Za-z0-9_]+]]: memref<?xf32>):
// CHECK-NEXT: cf.br ^bb7(%[[V3]] : memref<?xf32>)
// CHECK-NEXT: ^bb7(%[[V4:[A-Za-z0-9_]+]]: memref<?xf32>):
// CHECK-NEXT: memref.copy %[[V4]], %[[ARG2]] : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: memref.dealloc %[[V3]] : memref<?xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @through_nested_branches(%c: i1, %a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  cf.cond_br %c, ^b1, ^b2(%n : index)
^b1:
  cf.br ^b6(%a : memref<?xf32>)
^b2(%k: index):
  %h = memref.alloc(%k) : memref<?xf32>
  "u.use"(%h) : (memref<?xf32>) -> ()
  cf.cond_br %c, ^b3, ^b4
^b3:
  cf.br ^b5(%h : memref<?xf32>)
^b4:
  cf.br ^b5(%h : memref<?xf32>)
^b5(%x: memref<?xf32>):
  cf.br ^b6(%x : memref<?xf32>)
^b6(%y: memref<?xf32>):
  cf.br ^b7(%y : memref<?xf32>)
^b7(%z: memref<?xf32>):
  memref.copy %z, %out : memref<?xf32> to memref<?xf32>
  return
}
// CHECK-LABEL: func.func @only_one_arm_allocates(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index) -> memref<?x?xf32> {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = arith.cmpi eq, %[[ARG0]], %[[ARG1]] : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG0]]) : memref<?x?xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = scf.if %[[V0]] -> (memref<?x?xf32>) {
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG1]]) : memref<?x?xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC_0]]) : (memref<?x?xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<?x?xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V1]] : memref<?x?xf32>
// CHECK-NEXT: }
func.func @only_one_arm_allocates(%n: index, %k: index) -> memref<?x?xf32> {
  %c = arith.cmpi eq, %n, %k : index
  %1 = memref.alloc(%n, %n) : memref<?x?xf32>
  %2 = scf.if %c -> (memref<?x?xf32>) {
    scf.yield %1 : memref<?x?xf32>
  } else {
    %3 = memref.alloc(%n, %k) : memref<?x?xf32>
    "u.use"(%3) : (memref<?x?xf32>) -> ()
    scf.yield %1 : memref<?x?xf32>
  }
  return %2 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @new_one_at_times(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index, %[[ARG2:[A-Za-z0-9_]+]]: index, %[[ARG3:[A-Za-z0-9_]+]]: memref<6xf32>, %[[ARG4:[A-Za-z0-9_]+]]: memref<6xf32>) {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: memref.copy %[[ARG3]], %[[V0]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = scf.for %[[ARG5:[A-Za-z0-9_]+]] = %[[ARG0]] to %[[ARG1]] step %[[ARG2]] iter_args(%[[ARG6:[A-Za-z0-9_]+]] = %[[V0]]) -> (memref<6xf32>) {
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.cmpi eq, %[[ARG5]], %[[ARG1]] : index
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = scf.if %[[V2]] -> (memref<6xf32>) {
// CHECK-NEXT: memref.dealloc %[[ARG6]] : memref<6xf32>
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<6xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<6xf32>) -> ()
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<6xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG6]] : memref<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V3]] : memref<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V1]], %[[ARG4]] : memref<6xf32> to memref<6xf32>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<6xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @new_one_at_times(%lb: index, %ub: index, %st: index, %buf: memref<6xf32>, %res: memref<6xf32>) {
  %0 = scf.for %i = %lb to %ub step %st iter_args(%it = %buf) -> memref<6xf32> {
    %1 = arith.cmpi eq, %i, %ub : index
    %2 = scf.if %1 -> (memref<6xf32>) {
      %3 = memref.alloc() : memref<6xf32>
      "u.use"(%3) : (memref<6xf32>) -> ()
      scf.yield %3 : memref<6xf32>
    } else {
      scf.yield %it : memref<6xf32>
    }
    scf.yield %2 : memref<6xf32>
  }
  memref.copy %0, %res : memref<6xf32> to memref<6xf32>
  return
}
// CHECK-LABEL: func.func @swaploop(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i32) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.br ^bb1(%[[ALLOC]], %[[ALLOC_0]] : memref<2xf32>, memref<2xf32>)
// CHECK-NEXT: ^bb1(%[[V0:[A-Za-z0-9_]+]]: memref<2xf32>, %[[V1:[A-Za-z0-9_]+]]: memref<2xf32>):
// CHECK-NEXT: "u.use"(%[[V0]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = "u.c"() : () -> i1
// CHECK-NEXT: cf.cond_br %[[V2]], ^bb1(%[[V1]], %[[V0]] : memref<2xf32>, memref<2xf32>), ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @swaploop(%n: i32) {
  %0 = memref.alloc() : memref<2xf32>
  %1 = memref.alloc() : memref<2xf32>
  cf.br ^h(%0, %1 : memref<2xf32>, memref<2xf32>)
^h(%a: memref<2xf32>, %b: memref<2xf32>):
  "u.use"(%a) : (memref<2xf32>) -> ()
  %c = "u.c"() : () -> i1
  cf.cond_br %c, ^h(%b, %a : memref<2xf32>, memref<2xf32>), ^e
^e:
  return
}
// CHECK-LABEL: func.func @onearm(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.if %[[ARG0]] {
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: "u.more"() : () -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: "u.more"() : () -> ()
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @onearm(%c: i1) {
  %0 = memref.alloc() : memref<2xf32>
  scf.if %c {
    "u.use"(%0) : (memref<2xf32>) -> ()
    "u.more"() : () -> ()
  }
  "u.more"() : () -> ()
  return
}
