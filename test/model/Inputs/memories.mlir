// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @waits(%x: tensor<64xf32>, %m: tensor<64x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %a2 = linalg.ceil ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.matvec ins(%m, %a : tensor<64x64xf32>, tensor<64xf32>) outs(%none : tensor<64xf32>) -> tensor<64xf32>
  %c = linalg.matvec ins(%m, %b : tensor<64x64xf32>, tensor<64xf32>) outs(%none : tensor<64xf32>) -> tensor<64xf32>
  %d = linalg.matvec ins(%m, %c : tensor<64x64xf32>, tensor<64xf32>) outs(%none : tensor<64xf32>) -> tensor<64xf32>
  %f = linalg.mul ins(%a2, %d : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %y = linalg.add ins(%a, %f : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
