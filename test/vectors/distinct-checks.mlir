// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop over two buffers of one arena, at offsets known at run time only, has as many checks as over two allocations: none. Without
// the pass it has some.

// DEFINE: %{lower} = mlir-opt --pass-pipeline='builtin.module(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' | mlir-translate --mlir-to-llvmir | opt -O3 -force-vector-width=4 -S
// RUN: stowage-opt %s | %{lower} | FileCheck %s --implicit-check-not=memcheck
// RUN: stowage-opt %s --pass-pipeline='builtin.module(merge-alloc{dynamic=exact},outline-distinct-views)' | %{lower} | FileCheck %s --implicit-check-not=memcheck
// RUN: stowage-opt %s --pass-pipeline='builtin.module(merge-alloc{dynamic=exact})' | %{lower} | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: define {{.*}} @blend(
// CHECK: fmul <4 x float>
// WITHOUT-LABEL: define {{.*}} @blend(
// WITHOUT: vector.memcheck:

func.func @blend(%samples: index, %left: memref<?xf32>, %right: memref<?xf32>, %out: memref<?xf32>) {
  %half = arith.constant 0.5 : f32
  %l = memref.alloc(%samples) : memref<?xf32>
  %r = memref.alloc(%samples) : memref<?xf32>
  memref.copy %left, %l : memref<?xf32> to memref<?xf32>
  memref.copy %right, %r : memref<?xf32> to memref<?xf32>
  affine.for %i = 0 to %samples {
    %x = affine.load %l[%i] : memref<?xf32>
    %y = affine.load %r[%i] : memref<?xf32>
    %d = arith.subf %x, %y : f32
    %m = arith.mulf %d, %half : f32
    affine.store %m, %r[%i] : memref<?xf32>
  }
  memref.copy %r, %out : memref<?xf32> to memref<?xf32>
  memref.copy %l, %right : memref<?xf32> to memref<?xf32>
  memref.dealloc %l : memref<?xf32>
  memref.dealloc %r : memref<?xf32>
  return
}
