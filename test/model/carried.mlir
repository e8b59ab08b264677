// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two carried tensors that change places around a loop inside, and a loop whose condition forwards what it takes:
// executed as upstream bufferizes it, with an allocation in each iteration, and through stowage-model.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%u = %s) -> (tensor<8xf32>) {
      %f = tensor.empty() : tensor<8xf32>
      %m = linalg.sub ins(%u, %a : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %m : tensor<8xf32>
    }
    scf.yield %b, %t : tensor<8xf32>, tensor<8xf32>
  }
  %w:2 = scf.while (%p = %r#0, %n = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
    %k = arith.cmpi slt, %n, %c3 : index
    scf.condition(%k) %p, %n : tensor<8xf32>, index
  } do {
  ^bb0(%p: tensor<8xf32>, %n: index):
    %f = tensor.empty() : tensor<8xf32>
    %m = linalg.mul ins(%p, %r#1 : tensor<8xf32>, tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
    %n1 = arith.addi %n, %c1 : index
    scf.yield %m, %n1 : tensor<8xf32>, index
  }
  return %w#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
