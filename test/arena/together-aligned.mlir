// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s -allow-unregistered-dialect --merge-alloc="dynamic=exact unknown-ops=use" --check-arena-plan="samples=64" | FileCheck %s

// Each of the memories is aligned to what may lie in it: the hidden rows never lie in the result.

// CHECK-LABEL: func @aligned(
// CHECK: memref.alloc(%{{.*}}) {alignment = 256 : i64} : memref<?xi8>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<3072xi8>
// CHECK: arith.select %{{.*}} : memref<?xi8>
func.func @aligned(%x: memref<?xf32>) -> memref<768xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %row = memref.alloc() : memref<768xf32>
  "test.write"(%row) : (memref<768xf32>) -> ()
  %scores = memref.alloc(%n) : memref<12x?xf32>
  "test.write"(%scores) : (memref<12x?xf32>) -> ()
  %softmax = memref.alloc(%n) : memref<12x?xf32>
  "test.write"(%softmax, %scores) : (memref<12x?xf32>, memref<12x?xf32>) -> ()
  "test.write"(%row, %softmax) : (memref<768xf32>, memref<12x?xf32>) -> ()
  %other = memref.alloc() : memref<768xf32>
  "test.write"(%other, %row) : (memref<768xf32>, memref<768xf32>) -> ()
  %hidden = memref.alloc() {alignment = 256} : memref<3072xf32>
  "test.write"(%hidden) : (memref<3072xf32>) -> ()
  %gelu = memref.alloc() : memref<3072xf32>
  "test.write"(%gelu, %hidden) : (memref<3072xf32>, memref<3072xf32>) -> ()
  "test.write"(%other, %gelu) : (memref<768xf32>, memref<3072xf32>) -> ()
  %mean = memref.alloc() : memref<f32>
  "test.write"(%mean, %other) : (memref<f32>, memref<768xf32>) -> ()
  %result = memref.alloc() : memref<768xf32>
  "test.write"(%result, %mean) : (memref<768xf32>, memref<f32>) -> ()
  return %result : memref<768xf32>
}
