// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --lower-strided-copies | FileCheck %s
// RUN: stowage-opt %s --lower-strided-copies | mlir-opt --pass-pipeline='builtin.module(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm)' | FileCheck %s --check-prefix=LOWERED

// Only what has no rank calls the library.
// LOWERED-LABEL: func.func @contiguous
// LOWERED-NOT: memrefCopy
// LOWERED-LABEL: func.func @unranked
// LOWERED: call @memrefCopy

// CHECK-LABEL: func.func @contiguous(
// CHECK-NOT: linalg.copy
// CHECK-COUNT-3: memref.copy
func.func @contiguous(%a: memref<4x6xf32>, %b: memref<?x6xf32>, %c: memref<?x6xf32>, %row: memref<1x6xf32, strided<[6, 1], offset: 12>>, %d: memref<1x6xf32>) {
  memref.copy %a, %a : memref<4x6xf32> to memref<4x6xf32>
  memref.copy %b, %c : memref<?x6xf32> to memref<?x6xf32>
  memref.copy %row, %d : memref<1x6xf32, strided<[6, 1], offset: 12>> to memref<1x6xf32>
  return
}

// CHECK-LABEL: func.func @strided(
// CHECK: linalg.copy ins(%{{.*}} : memref<4x2xf32>) outs(%{{.*}} : memref<4x2xf32, strided<[6, 1]>>)
// CHECK: scf.for
// CHECK: linalg.copy ins(%{{.*}} : memref<?xindex, strided<[?], offset: ?>>) outs(%{{.*}} : memref<?xindex>)
// CHECK: linalg.copy ins(%{{.*}} : memref<4xvector<2xf32>, strided<[2]>>) outs(%{{.*}} : memref<4xvector<2xf32>>)
// CHECK: linalg.copy ins(%{{.*}} : memref<0x2xi1, strided<[4, 1]>>) outs(%{{.*}} : memref<0x2xi1>)
// CHECK-NOT: memref.copy
func.func @strided(%a: memref<4x2xf32>, %part: memref<4x2xf32, strided<[6, 1]>>, %n: index,
                   %some: memref<?xindex, strided<[?], offset: ?>>, %all: memref<?xindex>,
                   %pairs: memref<4xvector<2xf32>, strided<[2]>>, %dense: memref<4xvector<2xf32>>,
                   %none: memref<0x2xi1, strided<[4, 1]>>, %empty: memref<0x2xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.copy %a, %part : memref<4x2xf32> to memref<4x2xf32, strided<[6, 1]>>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %some, %all : memref<?xindex, strided<[?], offset: ?>> to memref<?xindex>
  }
  memref.copy %pairs, %dense : memref<4xvector<2xf32>, strided<[2]>> to memref<4xvector<2xf32>>
  memref.copy %none, %empty : memref<0x2xi1, strided<[4, 1]>> to memref<0x2xi1>
  return
}

// CHECK-LABEL: func.func @unranked(
// CHECK: memref.copy
func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
