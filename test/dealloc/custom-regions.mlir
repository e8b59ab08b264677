// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: mlir-opt %s --allow-unregistered-dialect --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-deallocation)' | FileCheck %s

// An op with regions of its own kind, in the mlir-opt that people have: control flow is known by its
// interface alone. Both first regions go on to the last one.

// CHECK-LABEL: func.func @handed_through(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index) -> memref<?x?xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG0]]) : memref<?x?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = test.region_if %[[ALLOC]]: memref<?x?xf32> -> memref<?x?xf32> then {
// CHECK-NEXT: ^bb0(%[[ARG2:[A-Za-z0-9_]+]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: } join {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : memref<?x?xf32>
// CHECK-NEXT: }
func.func @handed_through(%n: index, %k: index) -> memref<?x?xf32> {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  %1 = test.region_if %0 : memref<?x?xf32> -> (memref<?x?xf32>) then {
    ^bb0(%a: memref<?x?xf32>):
      test.region_if_yield %a : memref<?x?xf32>
  } else {
    ^bb0(%b: memref<?x?xf32>):
      test.region_if_yield %b : memref<?x?xf32>
  } join {
    ^bb0(%d: memref<?x?xf32>):
      test.region_if_yield %d : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @new_in_one_region(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index) -> memref<?x?xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG0]]) : memref<?x?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = test.region_if %[[ALLOC]]: memref<?x?xf32> -> memref<?x?xf32> then {
// CHECK-NEXT: ^bb0(%[[ARG2:[A-Za-z0-9_]+]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<?x?xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG1]]) : memref<?x?xf32>
// CHECK-NEXT: test.region_if_yield %[[ALLOC_0]] : memref<?x?xf32>
// CHECK-NEXT: } join {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : memref<?x?xf32>
// CHECK-NEXT: }
func.func @new_in_one_region(%n: index, %k: index) -> memref<?x?xf32> {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  %1 = test.region_if %0 : memref<?x?xf32> -> (memref<?x?xf32>) then {
    ^bb0(%a: memref<?x?xf32>):
      test.region_if_yield %a : memref<?x?xf32>
  } else {
    ^bb0(%b: memref<?x?xf32>):
      %2 = memref.alloc(%n, %k) : memref<?x?xf32>
      test.region_if_yield %2 : memref<?x?xf32>
  } join {
    ^bb0(%d: memref<?x?xf32>):
      test.region_if_yield %d : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @new_in_the_last_region(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index) -> memref<?x?xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG0]]) : memref<?x?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = test.region_if %[[ALLOC]]: memref<?x?xf32> -> memref<?x?xf32> then {
// CHECK-NEXT: ^bb0(%[[ARG2:[A-Za-z0-9_]+]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: } join {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG1]]) : memref<?x?xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC_0]], %[[ARG2]]) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<?x?xf32>
// CHECK-NEXT: test.region_if_yield %[[ALLOC_0]] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : memref<?x?xf32>
// CHECK-NEXT: }
func.func @new_in_the_last_region(%n: index, %k: index) -> memref<?x?xf32> {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  %1 = test.region_if %0 : memref<?x?xf32> -> (memref<?x?xf32>) then {
    ^bb0(%a: memref<?x?xf32>):
      test.region_if_yield %a : memref<?x?xf32>
  } else {
    ^bb0(%b: memref<?x?xf32>):
      test.region_if_yield %b : memref<?x?xf32>
  } join {
    ^bb0(%d: memref<?x?xf32>):
      %2 = memref.alloc(%n, %k) : memref<?x?xf32>
      "u.use"(%2, %d) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
      test.region_if_yield %2 : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @needed_behind_the_op(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[FALSE:[A-Za-z0-9_]+]] = arith.constant false
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG0]]) : memref<?x?xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = test.region_if %[[ALLOC]]: memref<?x?xf32> -> memref<?x?xf32> then {
// CHECK-NEXT: ^bb0(%[[ARG2:[A-Za-z0-9_]+]]: memref<?x?xf32>):
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc(%[[ARG0]], %[[ARG1]]) : memref<?x?xf32>
// CHECK-NEXT: "u.use"(%[[ALLOC_0]], %[[ARG2]]) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: test.region_if_yield %[[ALLOC_0]] : memref<?x?xf32>
// CHECK-NEXT: } join {
// CHECK-NEXT: ^bb0(%[[ARG2]]: memref<?x?xf32>):
// CHECK-NEXT: test.region_if_yield %[[ARG2]] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: "u.use"(%[[V0]], %[[ALLOC]]) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<?x?xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @needed_behind_the_op(%n: index, %k: index) {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  %1 = test.region_if %0 : memref<?x?xf32> -> (memref<?x?xf32>) then {
    ^bb0(%a: memref<?x?xf32>):
      test.region_if_yield %a : memref<?x?xf32>
  } else {
    ^bb0(%b: memref<?x?xf32>):
      %2 = memref.alloc(%n, %k) : memref<?x?xf32>
      "u.use"(%2, %b) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
      test.region_if_yield %2 : memref<?x?xf32>
  } join {
    ^bb0(%d: memref<?x?xf32>):
      test.region_if_yield %d : memref<?x?xf32>
  }
  "u.use"(%1, %0) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
  return
}
