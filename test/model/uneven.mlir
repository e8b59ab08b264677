// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that upstream bufferizes with allocations only: conditions that give on other tensors than the loop takes, in
// number and order; an inner loop that reads the old tensor while it makes the new one, beginning with an empty one;
// branches that yield a tensor which is written before. And functions that return a constant, one of their arguments or
// either: their callers' memory.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

// No function returns memory, also not that of a constant, whose bare pointer LLVM's lowering loses.
// RUN: stowage-opt %s --stowage-model | FileCheck %s --check-prefix=MADE
// MADE-NOT: func.func {{.*}} -> memref

func.func private @constant() -> tensor<8xf32> {
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  return %k : tensor<8xf32>
}

func.func private @either(%a: tensor<8xf32>, %b: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %i, %c0 : index
  %r = scf.if %first -> tensor<8xf32> {
    scf.yield %a : tensor<8xf32>
  } else {
    %c1 = arith.constant 1 : index
    %second = arith.cmpi eq, %i, %c1 : index
    %k = func.call @constant() : () -> tensor<8xf32>
    %s = arith.select %second, %b, %k : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index

  // Takes two tensors and gives on one, another one, and a number in between.
  %w:3 = scf.while (%n = %c0, %p = %x, %q = %y) : (index, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, index, tensor<8xf32>) {
    %go = arith.cmpi slt, %n, %c3 : index
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.sub ins(%p, %q : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.condition(%go) %f, %n, %q : tensor<8xf32>, index, tensor<8xf32>
  } do {
  ^bb0(%f: tensor<8xf32>, %n: index, %q: tensor<8xf32>):
    %m = arith.addi %n, %c1 : index
    scf.yield %m, %q, %f : index, tensor<8xf32>, tensor<8xf32>
  }

  // Takes one and gives on none; gives on one and takes none.
  %v = scf.while (%p = %w#0) : (tensor<8xf32>) -> index {
    %a = tensor.extract %p[%c3] : tensor<8xf32>
    %limit = arith.constant 40.0 : f32
    %go = arith.cmpf olt, %a, %limit : f32
    scf.condition(%go) %c5 : index
  } do {
  ^bb0(%n: index):
    %k = func.call @constant() : () -> tensor<8xf32>
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.mul ins(%k, %k : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %big = arith.constant 50.0 : f32
    %g = tensor.insert %big into %f[%c3] : tensor<8xf32>
    scf.yield %g : tensor<8xf32>
  }
  %u:2 = scf.while (%n = %c0) : (index) -> (index, tensor<8xf32>) {
    %go = arith.cmpi slt, %n, %v : index
    %either = func.call @either(%w#0, %w#2, %n) : (tensor<8xf32>, tensor<8xf32>, index) -> tensor<8xf32>
    scf.condition(%go) %n, %either : index, tensor<8xf32>
  } do {
  ^bb0(%n: index, %t: tensor<8xf32>):
    %m = arith.addi %n, %c1 : index
    scf.yield %m : index
  }

  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %u#1, %b = %w#2) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8xf32>
    %n = scf.for %j = %c0 to %c3 step %c1 iter_args(%o = %e) -> tensor<8xf32> {
      %s = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %s : tensor<8xf32>
    }
    %even = arith.cmpi ne, %i, %c1 : index
    %m = scf.if %even -> tensor<8xf32> {
      scf.yield %a : tensor<8xf32>
    } else {
      %g = tensor.empty() : tensor<8xf32>
      %h = linalg.mul ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%g : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %h : tensor<8xf32>
    }
    scf.yield %n, %m : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
