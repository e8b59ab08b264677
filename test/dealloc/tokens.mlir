// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s

// Work whose token is waited for in its block is done there; other work goes on.

// CHECK-LABEL: func.func @waited_for(
// CHECK: gpu.memcpy async
// CHECK-NOT: memref.dealloc
// CHECK: gpu.wait [
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: return
func.func @waited_for(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %a, %in : memref<64xf32>, memref<64xf32>
  %2 = gpu.memcpy async [%1] %out, %a : memref<64xf32>, memref<64xf32>
  gpu.wait [%2]
  return
}

// CHECK-LABEL: func.func @one_of_two(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: gpu.wait [
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @one_of_two(%in: memref<64xf32>) -> !gpu.async.token {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %0 = gpu.wait async
  %1 = gpu.memcpy async [%0] %a, %in : memref<64xf32>, memref<64xf32>
  %2 = gpu.memcpy async [%0] %b, %in : memref<64xf32>, memref<64xf32>
  gpu.wait [%1]
  return %2 : !gpu.async.token
}

// CHECK-LABEL: func.func @in_a_closed_region(
// CHECK: gpu.wait [
// CHECK: memref.dealloc
// CHECK: return
func.func @in_a_closed_region(%in: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  scf.forall (%i) in (1) {
    %0 = gpu.wait async
    %1 = gpu.memcpy async [%0] %a, %in : memref<64xf32>, memref<64xf32>
    gpu.wait [%1]
  }
  return
}
