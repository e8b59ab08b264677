// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A padded tensor that goes into every second element of zeros: canonicalize of MLIR 22 folds the padding away, and
// forgets the stride. The pipeline leaves that pattern out.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = tensor.extract_slice %x[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %four = tensor.pad %two low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = tensor.insert_slice %four into %zeros[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %s = linalg.exp ins(%y : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}
