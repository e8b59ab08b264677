// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A batch of any size: twice the rows, their running sum, which is state and a result of a fixed shape.

ml_program.global private mutable @sum(dense<0.0> : tensor<3xf32>) : tensor<3xf32>

func.func @net(%x: tensor<?x3xf32> {stowage.dims = [{name = "n", max = 40}, {}]}) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %twice = linalg.add ins(%x, %x : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %e1 = tensor.empty(%n) : tensor<?x3xf32>
  %four = linalg.add ins(%twice, %twice : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e1 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %before = ml_program.global_load @sum : tensor<3xf32>
  %after = linalg.reduce ins(%x : tensor<?x3xf32>) outs(%before : tensor<3xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  ml_program.global_store @sum = %after : tensor<3xf32>
  return %four, %after : tensor<?x3xf32>, tensor<3xf32>
}
