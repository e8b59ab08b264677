// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In a block that nothing reaches, a view may be one of itself, or two of each other. Every pass ends.

// RUN: stowage-opt %s --insert-lifetimes | FileCheck %s
// RUN: stowage-opt %s --insert-lifetimes --verify-lifetimes -o /dev/null
// RUN: stowage-opt %s --insert-lifetimes --convert-lifetime-to-llvm=prepare -o /dev/null

// CHECK-LABEL: func @rings
// CHECK: %[[A:.*]] = memref.alloca
// CHECK-NEXT: lifetime.start %[[A]]
// CHECK-NEXT: memref.copy %arg0, %[[A]]
// CHECK-NEXT: memref.copy %[[A]], %arg1
// CHECK-NEXT: lifetime.end %[[A]]
func.func @rings(%from: memref<4xf32>, %to: memref<4xf32>) {
  %a = memref.alloca() : memref<4xf32>
  memref.copy %from, %a : memref<4xf32> to memref<4xf32>
  memref.copy %a, %to : memref<4xf32> to memref<4xf32>
  return
^self:
  %s = memref.subview %s[0] [4] [1] : memref<4xf32> to memref<4xf32>
  memref.copy %s, %to : memref<4xf32> to memref<4xf32>
  cf.br ^each_other
^each_other:
  %x = memref.cast %y : memref<4xf32> to memref<?xf32>
  %y = memref.cast %x : memref<?xf32> to memref<4xf32>
  memref.copy %y, %to : memref<4xf32> to memref<4xf32>
  return
}
