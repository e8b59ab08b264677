// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --pass-pipeline='builtin.module( \
// RUN:     one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map}, \
// RUN:     buffer-reuse{require-dealloc=false})' | FileCheck %s

// Before deallocation nothing frees the buffers: with require-dealloc=false they are planned all
// the same, and the arena is freed.

// CHECK-LABEL: func @chain
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NEXT:    return
#id = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (127 - i)>
func.func @chain(%x: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<128xi64>
  %a = linalg.fill ins(%x : i64) outs(%e : tensor<128xi64>) -> tensor<128xi64>
  %e1 = tensor.empty() : tensor<128xi64>
  %b = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<128xi64>) outs(%e1 : tensor<128xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
  } -> tensor<128xi64>
  %e2 = tensor.empty() : tensor<128xi64>
  %d = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<128xi64>) outs(%e2 : tensor<128xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
  } -> tensor<128xi64>
  %e3 = tensor.empty() : tensor<128xi64>
  %f = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]}
      ins(%d : tensor<128xi64>) outs(%e3 : tensor<128xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
  } -> tensor<128xi64>
  %v = tensor.extract %f[%c0] : tensor<128xi64>
  return %v : i64
}
