// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect's text, in stowage-opt and in an mlir-opt that knows it from the plugin alone.

// RUN: stowage-opt %s | stowage-opt | FileCheck %s
// RUN: stowage-opt %s --mlir-print-op-generic | stowage-opt | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --emit-bytecode %s | stowage-opt | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline="builtin.module(buffer-reuse)" | FileCheck %s

// CHECK-LABEL: func @markers
func.func @markers(%u: memref<*xf32>, %n: index) {
  // CHECK: %[[A:.*]] = memref.alloca() : memref<32xf32>
  %a = memref.alloca() : memref<32xf32>
  // CHECK-NEXT: lifetime.start %[[A]] : memref<32xf32>
  lifetime.start %a : memref<32xf32>
  // CHECK-NEXT: lifetime.end %[[A]] {why = "test"} : memref<32xf32>
  lifetime.end %a {why = "test"} : memref<32xf32>
  %b = memref.alloca(%n) : memref<?xi4, 3>
  // CHECK: lifetime.start %{{.*}} : memref<?xi4, 3>
  lifetime.start %b : memref<?xi4, 3>
  // CHECK: lifetime.start %arg0 : memref<*xf32>
  lifetime.start %u : memref<*xf32>
  return
}

// CHECK-LABEL: func @values
func.func @values(%s: memref<4x4xf32, strided<[8, 1], offset: ?>>) {
  // CHECK-NEXT: %[[LIVE:.*]] = lifetime.start %arg0 {x} : memref<4x4xf32, strided<[8, 1], offset: ?>>
  %live = lifetime.start %s {x} : memref<4x4xf32, strided<[8, 1], offset: ?>>
  // CHECK-NEXT: lifetime.end %[[LIVE]] : memref<4x4xf32, strided<[8, 1], offset: ?>>
  lifetime.end %live : memref<4x4xf32, strided<[8, 1], offset: ?>>
  return
}
