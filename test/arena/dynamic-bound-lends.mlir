// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// With upper bounds no sizes are tried out: what could lie in a result is chosen once.

// RUN: stowage-opt %s --merge-alloc=dynamic=bound --check-arena-plan | FileCheck %s

// CHECK-LABEL: func.func @result_lends
// CHECK: %[[R:.*]] = memref.alloc() : memref<4xf32>
// CHECK: memref.alloc() {{.*}} : memref<4000xi8>
// CHECK: return %[[R]]
func.func @result_lends(%x: memref<?xf32> {stowage.dims = [{max = 1000 : i64, name = "n"}]}, %y: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %r = memref.alloc() : memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  linalg.exp ins(%y : memref<4xf32>) outs(%s : memref<4xf32>)
  linalg.exp ins(%s : memref<4xf32>) outs(%y : memref<4xf32>)
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.exp ins(%y : memref<4xf32>) outs(%r : memref<4xf32>)
  linalg.exp ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return %r : memref<4xf32>
}
