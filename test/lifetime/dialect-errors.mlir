// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s -split-input-file -verify-diagnostics

func.func @not_a_memref(%a: tensor<4xf32>) {
  // expected-error @+1 {{must be ranked or unranked memref of any type values, but got 'tensor<4xf32>'}}
  lifetime.start %a : tensor<4xf32>
  return
}

// -----

func.func @end_of_nothing(%a: f32) {
  // expected-error @+1 {{invalid kind of type specified}}
  lifetime.end %a : f32
  return
}

// -----

func.func @other_result(%a: memref<4xf32>) {
  // expected-error @+1 {{result must have the type of the buffer, 'memref<4xf32>', not 'memref<?xf32>'}}
  %live = "lifetime.start"(%a) : (memref<4xf32>) -> memref<?xf32>
  return
}

// -----

func.func @two_results(%a: memref<4xf32>) {
  // expected-error @+1 {{operation defines 1 results but was provided 2 to bind}}
  %live:2 = lifetime.start %a : memref<4xf32>
  return
}
