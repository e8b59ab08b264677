// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Run-time checks of LLVM at -O3: none for two buffers, for two views of one arena as soon as LLVM is
// told. The loop is vectorized all the same.

// DEFINE: %{before} =
// DEFINE: %{told} =
// DEFINE: %{vectorize} = stowage-opt %s --pass-pipeline='builtin.module(%{before}lower-affine,%{told}expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)' | mlir-translate --mlir-to-llvmir | opt -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -O3 -S

// RUN: %{vectorize} | FileCheck %s --implicit-check-not=vector.memcheck
// REDEFINE: %{before} = merge-alloc{dynamic=exact},
// RUN: %{vectorize} | FileCheck %s --check-prefix=CHECKED
// REDEFINE: %{told} = convert-view-accesses-to-llvm,
// RUN: %{vectorize} | FileCheck %s --implicit-check-not=vector.memcheck

// CHECK: fmul <8 x float>
// CHECKED: vector.memcheck
func.func @f(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %b : memref<?xf32> to memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    %w = affine.load %b[%i] : memref<?xf32>
    %s = arith.mulf %v, %w : f32
    affine.store %s, %b[%i] : memref<?xf32>
  }
  memref.copy %b, %z : memref<?xf32> to memref<?xf32>
  memref.copy %a, %y : memref<?xf32> to memref<?xf32>
  return
}
