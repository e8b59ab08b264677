// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=prefer=clones | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=prefer=clones --buffer-deallocation=prefer=clones | FileCheck %s

// The shapes that the classic pass was known by. Ownership moves where it cloned.

// CHECK-LABEL: func.func @branch(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC_0]] : memref<2xf32>)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<2xf32>)
// CHECK-NEXT: ^bb3(%[[V0:[A-Za-z0-9_]+]]: memref<2xf32>):
// CHECK-NEXT: "u.use"(%[[V0]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @branch(%arg0: i1) {
  %0 = memref.alloc() : memref<2xf32>
  cf.cond_br %arg0, ^bb1, ^bb2
^bb1:
  %1 = memref.alloc() : memref<2xf32>
  cf.br ^bb3(%1 : memref<2xf32>)
^bb2:
  "u.use"(%0) : (memref<2xf32>) -> ()
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  "u.use"(%2) : (memref<2xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @condBranchDynamicTypeNested(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG2:[A-Za-z0-9_]+]]: memref<?xf32>, %[[ARG3:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2(%[[ARG3]] : index)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ARG1]] : memref<?xf32> to memref<?xf32>
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
func.func @condBranchDynamicTypeNested(%arg0: i1, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  cf.cond_br %arg0, ^bb1, ^bb2(%arg3: index)
^bb1:
  cf.br ^bb6(%arg1 : memref<?xf32>)
^bb2(%0: index):
  %1 = memref.alloc(%0) : memref<?xf32>
  "u.use"(%1) : (memref<?xf32>) -> ()
  cf.cond_br %arg0, ^bb3, ^bb4
^bb3:
  cf.br ^bb5(%1 : memref<?xf32>)
^bb4:
  cf.br ^bb5(%1 : memref<?xf32>)
^bb5(%2: memref<?xf32>):
  cf.br ^bb6(%2 : memref<?xf32>)
^bb6(%3: memref<?xf32>):
  cf.br ^bb7(%3 : memref<?xf32>)
^bb7(%4: memref<?xf32>):
  memref.copy %4, %arg2 : memref<?xf32> to memref<?xf32>
  return
}
// CHECK-LABEL: func.func @nested_region_control_flow(
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
func.func @nested_region_control_flow(%arg0 : index, %arg1 : index) -> memref<?x?xf32> {
  %0 = arith.cmpi eq, %arg0, %arg1 : index
  %1 = memref.alloc(%arg0, %arg0) : memref<?x?xf32>
  %2 = scf.if %0 -> (memref<?x?xf32>) {
    scf.yield %1 : memref<?x?xf32>
  } else {
    %3 = memref.alloc(%arg0, %arg1) : memref<?x?xf32>
    "u.use"(%3) : (memref<?x?xf32>) -> ()
    scf.yield %1 : memref<?x?xf32>
  }
  return %2 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @loop_nested_if(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index, %[[ARG2:[A-Za-z0-9_]+]]: index, %[[ARG3:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG4:[A-Za-z0-9_]+]]: memref<2xf32>) {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = bufferization.clone %[[ARG3]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = scf.for %[[ARG5:[A-Za-z0-9_]+]] = %[[ARG0]] to %[[ARG1]] step %[[ARG2]] iter_args(%[[ARG6:[A-Za-z0-9_]+]] = %[[V0]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.cmpi eq, %[[ARG5]], %[[ARG1]] : index
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = scf.if %[[V2]] -> (memref<2xf32>) {
// CHECK-NEXT: memref.dealloc %[[ARG6]] : memref<2xf32>
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG6]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V3]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V1]], %[[ARG4]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @loop_nested_if(%lb: index, %ub: index, %step: index, %buf: memref<2xf32>, %res: memref<2xf32>) {
  %0 = scf.for %i = %lb to %ub step %step iter_args(%iterBuf = %buf) -> memref<2xf32> {
    %1 = arith.cmpi eq, %i, %ub : index
    %2 = scf.if %1 -> (memref<2xf32>) {
      %3 = memref.alloc() : memref<2xf32>
      "u.use"(%3) : (memref<2xf32>) -> ()
      scf.yield %3 : memref<2xf32>
    } else {
      scf.yield %iterBuf : memref<2xf32>
    }
    scf.yield %2 : memref<2xf32>
  }
  memref.copy %0, %res : memref<2xf32> to memref<2xf32>
  return
}
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<2xf32>
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: "u.use"(%[[ALLOCA]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOCA]] : memref<2xf32>)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: "u.use"(%[[ALLOC]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: cf.br ^bb3(%[[ALLOC]] : memref<2xf32>)
// CHECK-NEXT: ^bb3(%[[V0:[A-Za-z0-9_]+]]: memref<2xf32>):
// CHECK-NEXT: "u.use"(%[[V0]]) : (memref<2xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @mixed(%arg0: i1) {
   %0 = memref.alloca() : memref<2xf32>
   %1 = memref.alloc() : memref<2xf32>
   cf.cond_br %arg0, ^bb1, ^bb2
^bb1:
  "u.use"(%0) : (memref<2xf32>) -> ()
  cf.br ^bb3(%0 : memref<2xf32>)
^bb2:
  "u.use"(%1) : (memref<2xf32>) -> ()
  cf.br ^bb3(%1 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  "u.use"(%2) : (memref<2xf32>) -> ()
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
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<2xf32>
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
