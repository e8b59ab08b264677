// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Branches and selects of a carried tensor and of one from elsewhere: from outside of the loop, a constant, what a
// function returns, an update of another tensor. And a tensor that the loop carries twice; loops inside that begin with
// a carried tensor, and are given to its place or to another one.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

func.func private @halves(%a: tensor<8xf32>) -> tensor<8xf32> {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.mul ins(%a, %half : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %r:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y, %d = %y) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %odd = arith.remui %i, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %late = arith.cmpi ugt, %i, %c2 : index
    %outside = arith.select %is_odd, %a, %y : tensor<8xf32>
    %called = scf.if %is_odd -> tensor<8xf32> {
      scf.yield %b : tensor<8xf32>
    } else {
      %h = func.call @halves(%outside) : (tensor<8xf32>) -> tensor<8xf32>
      scf.yield %h : tensor<8xf32>
    }
    %updated = scf.if %late -> tensor<8xf32> {
      scf.yield %d : tensor<8xf32>
    } else {
      %v = tensor.extract %b[%i] : tensor<8xf32>
      %t = tensor.insert %v into %x[%c5] : tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    }
    %constant = scf.if %late -> tensor<8xf32> {
      scf.yield %one : tensor<8xf32>
    } else {
      scf.yield %called : tensor<8xf32>
    }
    %e = tensor.empty() : tensor<8xf32>
    %n = linalg.add ins(%updated, %constant : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %called, %outside, %n : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  %s:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %r#0, %b = %r#1, %d = %r#2) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %n = linalg.mul ins(%b, %d : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n, %n, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  %u:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %s#0, %b = %s#2) -> (tensor<8xf32>, tensor<8xf32>) {
    %same:2 = scf.while (%p = %a, %j = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
      %go = arith.cmpi ult, %j, %c2 : index
      scf.condition(%go) %p, %j : tensor<8xf32>, index
    } do {
    ^bb0(%p: tensor<8xf32>, %j: index):
      %next = arith.addi %j, %c1 : index
      %h = func.call @halves(%p) : (tensor<8xf32>) -> tensor<8xf32>
      scf.yield %h, %next : tensor<8xf32>, index
    }
    %other:2 = scf.while (%p = %same#0, %j = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
      %go = arith.cmpi ult, %j, %c2 : index
      scf.condition(%go) %p, %j : tensor<8xf32>, index
    } do {
    ^bb0(%p: tensor<8xf32>, %j: index):
      %next = arith.addi %j, %c1 : index
      %e = tensor.empty() : tensor<8xf32>
      %n = linalg.add ins(%p, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %n, %next : tensor<8xf32>, index
    }
    %e = tensor.empty() : tensor<8xf32>
    %n = linalg.sub ins(%b, %one : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %n, %other#0 : tensor<8xf32>, tensor<8xf32>
  }
  %v = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %u#0) -> tensor<8xf32> {
    %same:2 = scf.while (%p = %a, %j = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
      %go = arith.cmpi ult, %j, %c2 : index
      scf.condition(%go) %p, %j : tensor<8xf32>, index
    } do {
    ^bb0(%p: tensor<8xf32>, %j: index):
      %next = arith.addi %j, %c1 : index
      %h = func.call @halves(%p) : (tensor<8xf32>) -> tensor<8xf32>
      scf.yield %h, %next : tensor<8xf32>, index
    }
    scf.yield %same#0 : tensor<8xf32>
  }
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.sub ins(%v, %u#1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %t, %s#1 : tensor<8xf32>, tensor<8xf32>
}
