// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A window that moves over its input, the input of the call before, and how often it was called, in a callee that
// another entry point calls, too. The names are in the way of such as may be made.

ml_program.global private mutable @window(dense<[7, 8]> : tensor<2xi8>) : tensor<2xi8>
ml_program.global private mutable @before(dense<true> : tensor<1xi1>) : tensor<1xi1>
ml_program.global private mutable @calls(dense<100> : tensor<i64>) : tensor<i64>
memref.global "private" constant @window_initial : memref<2xi8> = dense<0>
func.func private @model() { return }

func.func private @count() -> tensor<i64> {
  %one = arith.constant dense<1> : tensor<i64>
  %old = ml_program.global_load @calls : tensor<i64>
  %e = tensor.empty() : tensor<i64>
  %new = linalg.add ins(%old, %one : tensor<i64>, tensor<i64>) outs(%e : tensor<i64>) -> tensor<i64>
  ml_program.global_store @calls = %new : tensor<i64>
  return %new : tensor<i64>
}

// The window before it moves on, and what was there, read before it is written and used after.
func.func @main(%x: tensor<1xi8>, %bit: tensor<1xi1>) -> (tensor<3xi8>, tensor<1xi1>, tensor<i64>) {
  %old = ml_program.global_load @window : tensor<2xi8>
  %e = tensor.empty() : tensor<3xi8>
  %left = tensor.insert_slice %old into %e[0] [2] [1] : tensor<2xi8> into tensor<3xi8>
  %all = tensor.insert_slice %x into %left[2] [1] [1] : tensor<1xi8> into tensor<3xi8>
  %new = tensor.extract_slice %all[1] [2] [1] : tensor<3xi8> to tensor<2xi8>
  ml_program.global_store @window = %new : tensor<2xi8>
  %was = ml_program.global_load @before : tensor<1xi1>
  ml_program.global_store @before = %bit : tensor<1xi1>
  %n = call @count() : () -> tensor<i64>
  return %all, %was, %n : tensor<3xi8>, tensor<1xi1>, tensor<i64>
}

func.func @calls_so_far(%more: i1) -> tensor<i64> {
  %r = scf.if %more -> tensor<i64> {
    %first = func.call @count() : () -> tensor<i64>
    %second = func.call @count() : () -> tensor<i64>
    scf.yield %first : tensor<i64>
  } else {
    %n = ml_program.global_load @calls : tensor<i64>
    scf.yield %n : tensor<i64>
  }
  return %r : tensor<i64>
}

// What is stored first is returned as it was, though something else is stored after it.
func.func @twice(%x: tensor<2xi8>) -> tensor<2xi8> {
  %e = tensor.empty() : tensor<2xi8>
  %sum = linalg.add ins(%x, %x : tensor<2xi8>, tensor<2xi8>) outs(%e : tensor<2xi8>) -> tensor<2xi8>
  ml_program.global_store @window = %sum : tensor<2xi8>
  ml_program.global_store @window = %x : tensor<2xi8>
  return %sum : tensor<2xi8>
}

// What was loaded is stored as it was, though an op could have written over it.
func.func @doubled() -> tensor<2xi8> {
  %old = ml_program.global_load @window : tensor<2xi8>
  %sum = linalg.add ins(%old, %old : tensor<2xi8>, tensor<2xi8>) outs(%old : tensor<2xi8>) -> tensor<2xi8>
  ml_program.global_store @window = %old : tensor<2xi8>
  return %sum : tensor<2xi8>
}
