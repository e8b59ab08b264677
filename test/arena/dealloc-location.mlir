// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who speaks of an arena's dealloc points to the op that it stands before, not to the function.
// RUN: stowage-opt %s --merge-alloc --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK: memref.dealloc %{{.*}} : memref<64xi8> loc("the end")
// CHECK-NEXT: return %{{.*}} : f32 loc("the end")
func.func @f(%x: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32 loc("the end")
}
