// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the first fusion makes gains more with the next task than that task does with the one behind it.

// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='report=text max-rounds=-1' -o /dev/null 2>&1 | FileCheck %s

// CHECK: round 1: @Task_0_Task_1_fused: 64 bytes, {{.*}}; as many as with 1 other pair
// CHECK-NEXT: round 2: @Task_0_Task_1_fused_Task_2_fused: 64 bytes
// CHECK-NEXT: round 3: @Task_0_Task_1_fused_Task_2_fused_Task_3_fused: 32 bytes
func.func @chain(%x: memref<8xf32>) -> memref<8xf32> {
  %p = memref.alloc() : memref<8xf64>
  %q = memref.alloc() : memref<8xf64>
  %r = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf32>
    %b = arith.extf %a : f32 to f64
    affine.store %b, %p[%i] : memref<8xf64>
  }
  affine.for %i = 0 to 8 {
    %a = affine.load %p[%i] : memref<8xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %q[%i] : memref<8xf64>
  }
  affine.for %i = 0 to 8 {
    %a = affine.load %q[%i] : memref<8xf64>
    %b = arith.truncf %a : f64 to f32
    affine.store %b, %r[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %a = affine.load %r[%i] : memref<8xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %y[%i] : memref<8xf32>
  }
  return %y : memref<8xf32>
}
