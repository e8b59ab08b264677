// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A view's dimensions are the sizes that it was given: what is as large as a view follows from the arguments.
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use" --check-arena-plan="samples=64" | FileCheck %s

// CHECK-LABEL: func @views(
// CHECK-COUNT-1: memref.alloc(
// CHECK-NOT: memref.alloc(
// CHECK: return
func.func @views(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n, %m) : memref<?x8x?xf32>
  %part = memref.subview %a[%c1, 3, 0] [%m, 1, %n] [1, 1, 1] : memref<?x8x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %rows = memref.dim %part, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %columns = memref.dim %part, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %sum = arith.addi %rows, %columns : index
  %b = memref.alloc(%sum) : memref<?xf32>
  "test.use"(%part, %b) : (memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?xf32>) -> ()
  %long = memref.alloc(%m) : memref<?xi8>
  %wide = memref.expand_shape %long [[0, 1]] output_shape [%m, 1] : memref<?xi8> into memref<?x1xi8>
  %width = memref.dim %wide, %c0 : memref<?x1xi8>
  %c = memref.alloc(%width) : memref<?xi8>
  "test.use"(%wide, %c) : (memref<?x1xi8>, memref<?xi8>) -> ()
  %cast = memref.reinterpret_cast %long to offset: [%c0], sizes: [1, %m], strides: [1, 1] : memref<?xi8> to memref<1x?xi8, strided<[1, 1], offset: ?>>
  %length = memref.dim %cast, %c1 : memref<1x?xi8, strided<[1, 1], offset: ?>>
  %d = memref.alloc(%length) : memref<?xi8>
  "test.use"(%cast, %d) : (memref<1x?xi8, strided<[1, 1], offset: ?>>, memref<?xi8>) -> ()
  return
}
