// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// Functions of all kinds and in all modules; regions that run their bodies when they like.

module @inner {
  // CHECK-LABEL: func.func private @gives(
  // CHECK-NOT: memref.dealloc
  func.func private @gives() -> memref<4xf32> {
    %0 = memref.alloc() : memref<4xf32>
    return %0 : memref<4xf32>
  }
  // CHECK-LABEL: func.func @takes(
  // CHECK: %[[GIVEN:.*]] = call @gives
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.dealloc %[[GIVEN]]
  func.func @takes(%i: index) -> f32 {
    %0 = func.call @gives() : () -> memref<4xf32>
    %1 = memref.load %0[%i] : memref<4xf32>
    return %1 : f32
  }
}
gpu.module @device {
  // CHECK-LABEL: gpu.func @kernel(
  // CHECK: memref.copy
  // CHECK-NEXT: memref.dealloc
  // CHECK-NEXT: gpu.return
  gpu.func @kernel(%out: memref<4xf32>) kernel {
    %0 = memref.alloc() : memref<4xf32>
    memref.copy %0, %out : memref<4xf32> to memref<4xf32>
    gpu.return
  }
}
// CHECK-LABEL: func.func @launch(
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: gpu.terminator
func.func @launch(%n: index, %out: memref<4xf32>) {
  gpu.launch blocks(%a, %b, %c) in (%d = %n, %e = %n, %f = %n) threads(%g, %h, %i) in (%j = %n, %k = %n, %l = %n) {
    %0 = memref.alloc() : memref<4xf32>
    memref.copy %0, %out : memref<4xf32> to memref<4xf32>
    gpu.terminator
  }
  return
}
// CHECK-LABEL: func.func @side_by_side(
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc
func.func @side_by_side(%n: index, %out: memref<4xf32>) {
  scf.forall (%i) in (%n) {
    %0 = memref.alloc() : memref<4xf32>
    memref.copy %0, %out : memref<4xf32> to memref<4xf32>
  }
  return
}
