// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer whose shape another block asks for stays.

// RUN: stowage-opt %s --elide-copies -o - | FileCheck %s
// RUN: stowage-opt %s --elide-copies="lend-arguments assume-noalias-arguments" -o - | FileCheck %s
// RUN: stowage-opt %s --reduce-peak -o /dev/null
// RUN: stowage-opt %s --stowage-memory=elide-copies -o /dev/null

// CHECK-LABEL: func.func @copied
// CHECK: memref.alloc() : memref<16xi32>
// CHECK: memref.alloc() : memref<8xi32>
// CHECK: memref.copy
func.func @copied(%x: memref<8xi32>) -> (memref<16xi32>, index) {
  %c0 = arith.constant 0 : index
  %whole = memref.alloc() : memref<16xi32>
  %part = memref.alloc() : memref<8xi32>
  linalg.add ins(%x, %x : memref<8xi32>, memref<8xi32>) outs(%part : memref<8xi32>)
  %low = memref.subview %whole[0] [8] [1] : memref<16xi32> to memref<8xi32, strided<[1]>>
  memref.copy %part, %low : memref<8xi32> to memref<8xi32, strided<[1]>>
  cf.br ^exit
^exit:
  %size = memref.dim %part, %c0 : memref<8xi32>
  return %whole, %size : memref<16xi32>, index
}

// CHECK-LABEL: func.func @open_size
// CHECK: memref.alloc(
// CHECK: memref.alloc(
// CHECK: memref.copy
func.func @open_size(%x: memref<?xi32>, %n: index) -> (memref<?xi32>, index) {
  %c0 = arith.constant 0 : index
  %to = memref.alloc(%n) : memref<?xi32>
  %from = memref.alloc(%n) : memref<?xi32>
  linalg.add ins(%x, %x : memref<?xi32>, memref<?xi32>) outs(%from : memref<?xi32>)
  memref.copy %from, %to : memref<?xi32> to memref<?xi32>
  cf.br ^exit
^exit:
  %size = memref.dim %from, %c0 : memref<?xi32>
  return %to, %size : memref<?xi32>, index
}

// CHECK-LABEL: func.func @lent
// CHECK: memref.alloc() : memref<8xi32>
func.func @lent(%x: memref<8xi32>, %out: memref<16xi32>) -> index {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %part = memref.alloc() : memref<8xi32>
  linalg.add ins(%x, %x : memref<8xi32>, memref<8xi32>) outs(%part : memref<8xi32>)
  linalg.add ins(%part, %x : memref<8xi32>, memref<8xi32>) outs(%x : memref<8xi32>)
  linalg.fill ins(%zero : i32) outs(%out : memref<16xi32>)
  cf.br ^exit
^exit:
  %size = memref.dim %part, %c0 : memref<8xi32>
  return %size : index
}
