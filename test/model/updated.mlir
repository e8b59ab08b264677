// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carried tensors that nested loops and branches update in place, one of which is read behind the update; two that begin
// as empty tensors and are written side by side.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

// RUN: stowage-opt %s --pass-pipeline='builtin.module(canonicalize,cse,prepare-model)' | FileCheck %s --check-prefix=PREPARED
// PREPARED-COUNT-3: tensor.empty()
// PREPARED: iter_args(%[[A:.*]] = %[[E:.*]], %[[B:.*]] = %[[F:.*]], %{{.*}} = %arg0)
// PREPARED: %[[N:.*]]:2 = scf.for
// PREPARED-NOT: materialize_in_destination
// PREPARED: scf.yield %{{.*}}, %{{.*}} :
// PREPARED: scf.for
// PREPARED-NOT: materialize_in_destination
// PREPARED: %[[LATE:.*]] = tensor.extract
// PREPARED: materialize_in_destination

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %e, %b = %f, %c = %x) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %n:2 = scf.for %j = %c0 to %c8 step %c1 iter_args(%p = %a, %q = %b) -> (tensor<8xf32>, tensor<8xf32>) {
      %u = tensor.extract %x[%j] : tensor<8xf32>
      %v = tensor.extract %y[%j] : tensor<8xf32>
      %p1 = tensor.insert %u into %p[%j] : tensor<8xf32>
      %q1 = tensor.insert %v into %q[%j] : tensor<8xf32>
      scf.yield %p1, %q1 : tensor<8xf32>, tensor<8xf32>
    }
    %m = scf.for %j = %c0 to %c4 step %c1 iter_args(%p = %c) -> (tensor<8xf32>) {
      %u = tensor.extract %p[%j] : tensor<8xf32>
      %positive = arith.cmpf ogt, %u, %zero : f32
      %k = arith.addi %j, %i : index
      %p1 = scf.if %positive -> (tensor<8xf32>) {
        %w = arith.addf %u, %u : f32
        %p2 = tensor.insert %w into %p[%k] : tensor<8xf32>
        scf.yield %p2 : tensor<8xf32>
      } else {
        scf.yield %p : tensor<8xf32>
      }
      scf.yield %p1 : tensor<8xf32>
    }
    %old = tensor.extract %c[%i] : tensor<8xf32>
    %d = tensor.insert %old into %m[%c7] : tensor<8xf32>
    scf.yield %n#0, %n#1, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  %g = tensor.empty() : tensor<8xf32>
  %s = linalg.sub ins(%r#0, %r#1 : tensor<8xf32>, tensor<8xf32>) outs(%g : tensor<8xf32>) -> tensor<8xf32>
  return %s, %r#2 : tensor<8xf32>, tensor<8xf32>
}
