// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A private symbol of the model has not the name of a function that the code of ops may call: `math.tanh` becomes a call of tanhf.
// What has no body is that function, and an entry point keeps its name.

// RUN: stowage-opt %s --prepare-model | FileCheck %s

// CHECK: func.func private @cosf(f32) -> f32
// CHECK: func.func private @model_tanhf_0(
// CHECK: func.func private @model_tanhf(
// CHECK: func.func private @model___addsf3(
// CHECK: func.func private @helper(
// CHECK: func.func @sinf(
// CHECK: call @model_tanhf_0(
// CHECK: call @model___addsf3(
// CHECK: call @helper(
func.func private @cosf(f32) -> f32
func.func private @tanhf(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @model_tanhf(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @__addsf3(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @sinf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @tanhf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @__addsf3(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @helper(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
