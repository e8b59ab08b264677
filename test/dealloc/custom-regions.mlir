// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-deallocation)' | FileCheck %s

// An op with regions of its own kind, in the mlir-opt that people have: control flow is known by its
// interface alone.

// CHECK-LABEL: func.func @inner_region_control_flow(
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
func.func @inner_region_control_flow(%arg0 : index, %arg1 : index) -> memref<?x?xf32> {
  %0 = memref.alloc(%arg0, %arg0) : memref<?x?xf32>
  %1 = test.region_if %0 : memref<?x?xf32> -> (memref<?x?xf32>) then {
    ^bb0(%arg2 : memref<?x?xf32>):
      test.region_if_yield %arg2 : memref<?x?xf32>
  } else {
    ^bb0(%arg3 : memref<?x?xf32>):
      test.region_if_yield %arg3 : memref<?x?xf32>
  } join {
    ^bb0(%arg4 : memref<?x?xf32>):
      test.region_if_yield %arg4 : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}
// CHECK-LABEL: func.func @inner_region_control_flow_div(
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
func.func @inner_region_control_flow_div(%arg0 : index, %arg1 : index) -> memref<?x?xf32> {
  %0 = memref.alloc(%arg0, %arg0) : memref<?x?xf32>
  %1 = test.region_if %0 : memref<?x?xf32> -> (memref<?x?xf32>) then {
    ^bb0(%arg2 : memref<?x?xf32>):
      test.region_if_yield %arg2 : memref<?x?xf32>
  } else {
    ^bb0(%arg3 : memref<?x?xf32>):
      %2 = memref.alloc(%arg0, %arg1) : memref<?x?xf32>
      test.region_if_yield %2 : memref<?x?xf32>
  } join {
    ^bb0(%arg4 : memref<?x?xf32>):
      test.region_if_yield %arg4 : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}
