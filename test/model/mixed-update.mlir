// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A branch, and a select, of a new tensor and of another one that the loop carries and updates in place.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %new = linalg.add ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %updated = linalg.mul ins(%new, %new : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    %m = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %m, %c0 : index
    %t = scf.if %even -> (tensor<8xf32>) {
      scf.yield %updated : tensor<8xf32>
    } else {
      scf.yield %new : tensor<8xf32>
    }
    scf.yield %t, %updated : tensor<8xf32>, tensor<8xf32>
  }
  %s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %r#0, %b = %r#1) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %new = linalg.sub ins(%a, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %updated = linalg.add ins(%new, %x : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    %m = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %m, %c0 : index
    %t = arith.select %even, %new, %updated : tensor<8xf32>
    scf.yield %t, %updated : tensor<8xf32>, tensor<8xf32>
  }
  return %s#0, %s#1 : tensor<8xf32>, tensor<8xf32>
}
