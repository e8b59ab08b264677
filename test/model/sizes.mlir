// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carried tensors of dynamic shape must have one size in all iterations: their memory is that of the first.
// RUN: stowage-opt --prepare-model --split-input-file --verify-diagnostics %s | FileCheck %s

func.func @grows(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %m = arith.addi %n, %c1 : index
    %e = tensor.empty(%m) : tensor<?xf32>
    %s = tensor.insert_slice %a into %e[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
    // expected-error @+1 {{tensor 0 that the loop carries may change its size}}
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @change_places(%x: tensor<?xf32>, %y: tensor<?xf32>, %k: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf32>, tensor<?xf32>) {
    // expected-error @+2 {{tensor 0 that the loop carries may change its size}}
    // expected-error @+1 {{tensor 1 that the loop carries may change its size}}
    scf.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// One of the branches makes it shorter, in a loop of two regions of which the second takes fewer values.
func.func @one_branch(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.while (%a = %x, %b = %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%c) %a : tensor<?xf32>
  } do {
  ^bb0(%p: tensor<?xf32>):
    %q = scf.if %c -> tensor<?xf32> {
      scf.yield %p : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    // expected-error @+1 {{tensor 1 that the loop carries may change its size}}
    scf.yield %p, %q : tensor<?xf32>, tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// All of one size: by its dimension, by that of another tensor or of an output, through loops inside and before,
// casts, branches and a select.
// CHECK-LABEL: @kept
// CHECK-COUNT-4: bufferization.materialize_in_destination
func.func @kept(%x: tensor<?xf32>, %k: index, %f: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e0 = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf32>, tensor<?xf32>) {
    %w:2 = scf.while (%p = %b, %j = %c0) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
      %c = arith.cmpi slt, %j, %k : index
      scf.condition(%c) %p, %j : tensor<?xf32>, index
    } do {
    ^bb0(%q: tensor<?xf32>, %j: index):
      %m = tensor.dim %a, %c0 : tensor<?xf32>
      %e = tensor.empty(%m) : tensor<?xf32>
      %s = linalg.mul ins(%q, %a : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %j1 = arith.addi %j, %c1 : index
      scf.yield %s, %j1 : tensor<?xf32>, index
    }
    %v = scf.if %f -> tensor<?xf32> {
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    scf.yield %w#0, %v : tensor<?xf32>, tensor<?xf32>
  }
  %z = scf.for %i = %c0 to %k step %c1 iter_args(%a = %r#1) -> (tensor<?xf32>) {
    %t = tensor.cast %a : tensor<?xf32> to tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.add ins(%t, %t : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %e1 = tensor.empty(%n) : tensor<?xf32>
    %u = linalg.add ins(%a, %x : tensor<?xf32>, tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %v = arith.select %f, %u, %a : tensor<?xf32>
    scf.yield %v : tensor<?xf32>
  }
  return %r#0, %z : tensor<?xf32>, tensor<?xf32>
}
