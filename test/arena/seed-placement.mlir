// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --pass-pipeline='builtin.module( \
// RUN:     one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map}, \
// RUN:     buffer-deallocation-pipeline, \
// RUN:     func.func(optimize-allocation-liveness), \
// RUN:     func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=64}), \
// RUN:     buffer-reuse)' | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module( \
// RUN:     one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map}, \
// RUN:     buffer-deallocation-pipeline, \
// RUN:     func.func(optimize-allocation-liveness), \
// RUN:     func.func(promote-buffers-to-stack{max-alloc-size-in-bytes=64}))' -o %t.before.mlir
// RUN: %variants %t.before.mlir --saves | FileCheck %s --check-prefix=PRINTS

// The whole placement: tensors are bufferized, deallocated, shortened, small ones promoted to the
// stack; then the chain of temporaries shares.

// PRINTS: 5128

// CHECK-LABEL: func @chain
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NOT:     memref.dealloc
// CHECK:         return
#id = affine_map<(i) -> (i)>
func.func @chain(%x: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %e = tensor.empty() : tensor<128xi64>
  %a = linalg.fill ins(%x : i64) outs(%e : tensor<128xi64>) -> tensor<128xi64>
  %e1 = tensor.empty() : tensor<128xi64>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<128xi64>) outs(%e1 : tensor<128xi64>) {
    ^bb0(%in: i64, %out: i64):
      %i = linalg.index 0 : index
      %k = arith.index_cast %i : index to i64
      %s = arith.addi %in, %k : i64
      linalg.yield %s : i64
  } -> tensor<128xi64>
  %e2 = tensor.empty() : tensor<128xi64>
  %d = linalg.generic {indexing_maps = [affine_map<(i) -> (127 - i)>, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<128xi64>) outs(%e2 : tensor<128xi64>) {
    ^bb0(%in: i64, %out: i64):
      %s = arith.muli %in, %two : i64
      linalg.yield %s : i64
  } -> tensor<128xi64>
  %e3 = tensor.empty() : tensor<128xi64>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> (127 - i)>, #id], iterator_types = ["parallel"]}
      ins(%d : tensor<128xi64>) outs(%e3 : tensor<128xi64>) {
    ^bb0(%in: i64, %out: i64):
      %s = arith.muli %in, %two : i64
      linalg.yield %s : i64
  } -> tensor<128xi64>
  %small = tensor.empty() : tensor<4xi64>
  %t = linalg.fill ins(%zero : i64) outs(%small : tensor<4xi64>) -> tensor<4xi64>
  %u = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %t) -> (tensor<4xi64>) {
    %v = tensor.extract %f[%i] : tensor<128xi64>
    %n = tensor.insert %v into %acc[%i] : tensor<4xi64>
    scf.yield %n : tensor<4xi64>
  }
  %p = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i64) {
    %v = tensor.extract %u[%i] : tensor<4xi64>
    %n = arith.addi %s, %v : i64
    scf.yield %n : i64
  }
  return %p : i64
}

func.func @main() {
  %x = arith.constant 319 : i64
  %r = call @chain(%x) : (i64) -> i64
  call @printI64(%r) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
func.func private @printI64(i64)
func.func private @printNewline()
