// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation=prefer=clones --split-input-file | FileCheck %s

// A clone is aligned as those that read it rely on, and as what they read otherwise was asked to be.

// CHECK-LABEL: func.func @source_aligned(
// CHECK: memref.alloc() {alignment = 32 : i64}
// CHECK: %[[CLONE:.*]] = memref.alloc() {alignment = 32 : i64} : memref<8xi64>
// CHECK-NEXT: memref.copy %{{.*}}, %[[CLONE]]
func.func @source_aligned(%c: i1, %given: memref<8xi64>) -> memref<8xi64> {
  %r = scf.if %c -> memref<8xi64> {
    %n = memref.alloc() {alignment = 32} : memref<8xi64>
    scf.yield %n : memref<8xi64>
  } else {
    scf.yield %given : memref<8xi64>
  }
  return %r : memref<8xi64>
}

// -----

// CHECK-LABEL: func.func @nothing_said(
// CHECK: %[[NEW:.*]] = memref.alloc(%{{.*}}) : memref<?xi64>
// CHECK: %[[SIZE:.*]] = memref.dim %[[NEW]]
// CHECK-NEXT: %[[CLONE:.*]] = memref.alloc(%[[SIZE]]) : memref<?xi64>
// CHECK-NEXT: memref.copy %[[NEW]], %[[CLONE]]
func.func @nothing_said() -> (memref<?xi64>, memref<?xi64>) {
  %one = arith.constant 1 : index
  %new = memref.alloc(%one) : memref<?xi64>
  return %new, %new : memref<?xi64>, memref<?xi64>
}

// -----

// CHECK-LABEL: func.func @carried(
// CHECK: %[[CLONE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xi64>
// CHECK-NEXT: memref.copy %{{.*}}, %[[CLONE]]
// CHECK: scf.for
func.func @carried(%n: index) -> vector<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : vector<4xi64>
  %a = memref.alloc() : memref<8xi64>
  vector.store %zero, %a[%c0] : memref<8xi64>, vector<4xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %s = %zero)
      -> (memref<8xi64>, vector<4xi64>) {
    %v = vector.load %x[%c0] {alignment = 64 : i64} : memref<8xi64>, vector<4xi64>
    %w = vector.load %a[%c0] : memref<8xi64>, vector<4xi64>
    %t = arith.addi %v, %w : vector<4xi64>
    %new = memref.alloc() {alignment = 64} : memref<8xi64>
    vector.store %t, %new[%c0] : memref<8xi64>, vector<4xi64>
    scf.yield %new, %t : memref<8xi64>, vector<4xi64>
  }
  return %r#1 : vector<4xi64>
}

// -----

// Readers in callees rely on it, and elements of views.

// CHECK-LABEL: func.func @twice(
// CHECK: memref.alloc() {alignment = 128 : i64} : memref<512xi8>
// CHECK-NEXT: memref.copy
func.func @twice(%c: i1) -> (memref<512xi8>, memref<512xi8>) {
  %a = memref.alloc() : memref<512xi8>
  return %a, %a : memref<512xi8>, memref<512xi8>
}
func.func @reader(%m: memref<512xi8>) -> memref<4xvector<32xf32>> {
  %c0 = arith.constant 0 : index
  %v = memref.view %m[%c0][] : memref<512xi8> to memref<4xvector<32xf32>>
  return %v : memref<4xvector<32xf32>>
}
