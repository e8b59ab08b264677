// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What has no rows, or none that anybody may tell apart, stays as it is.

// RUN: stowage-opt %s --split-input-file --stream-rows 2>/dev/null | FileCheck %s
// RUN: stowage-opt %s --split-input-file --stream-rows 2>&1 >/dev/null | FileCheck %s --check-prefix=SAYS

// Rows are read from the last to the first.

// SAYS: stream-rows: of 2 linalg ops and copies no stream makes an arena smaller
// CHECK-LABEL: func.func @reversed
// CHECK-NOT: scf.for
func.func @reversed(%x: memref<32x8xf32>) -> memref<32x8xf32> {
  %a = memref.alloc() : memref<32x8xf32>
  %y = memref.alloc() : memref<32x8xf32>
  linalg.exp ins(%x : memref<32x8xf32>) outs(%a : memref<32x8xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (31 - d0, 7 - d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<32x8xf32>) outs(%y : memref<32x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return %y : memref<32x8xf32>
}

// -----

// A function that may keep the buffer, and read it later.

// SAYS: stream-rows: no buffer that merge-alloc would plan: its remarks say why
// CHECK-LABEL: func.func @kept
// CHECK-NOT: scf.for
func.func private @keep(memref<32x8xf32>)
func.func @kept(%x: memref<32x8xf32>) -> memref<32x8xf32> {
  %a = memref.alloc() : memref<32x8xf32>
  %y = memref.alloc() : memref<32x8xf32>
  call @keep(%a) : (memref<32x8xf32>) -> ()
  linalg.exp ins(%x : memref<32x8xf32>) outs(%a : memref<32x8xf32>)
  linalg.abs ins(%a : memref<32x8xf32>) outs(%y : memref<32x8xf32>)
  return %y : memref<32x8xf32>
}

// -----

// Not bufferized yet.

// SAYS: stream-rows: no linalg op or copy on memrefs of static shape: tensors are not bufferized yet
// CHECK-LABEL: func.func @tensors
func.func @tensors(%x: tensor<32x8xf32>, %y: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %a = linalg.exp ins(%x : tensor<32x8xf32>) outs(%y : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %a : tensor<32x8xf32>
}

// -----

// Each row of the result needs all of the right operand, which is made by rows itself.

// CHECK-LABEL: func.func @product
// CHECK: linalg.abs {{.*}} outs(%{{.*}} : memref<32x32xf32>)
// CHECK: scf.for
// CHECK: linalg.matmul
func.func @product(%x: memref<32x32xf32>) -> memref<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<32x32xf32>
  %b = memref.alloc() : memref<32x32xf32>
  %c = memref.alloc() : memref<32x32xf32>
  %y = memref.alloc() : memref<32x32xf32>
  linalg.exp ins(%x : memref<32x32xf32>) outs(%a : memref<32x32xf32>)
  linalg.abs ins(%x : memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  linalg.matmul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>)
  linalg.exp ins(%c : memref<32x32xf32>) outs(%y : memref<32x32xf32>)
  return %y : memref<32x32xf32>
}
