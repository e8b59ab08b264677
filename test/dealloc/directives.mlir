// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s

// Directives whose regions may run when the op is done long since, and ones that wait.

// CHECK-LABEL: func.func @task(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @task(%out: memref<4xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  omp.task {
    memref.copy %0, %out : memref<4xf32> to memref<4xf32>
    omp.terminator
  }
  omp.taskwait
  return
}

// CHECK-LABEL: func.func @target(
// CHECK: memref.dealloc
// CHECK: omp.target nowait
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @target(%out: memref<4xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  omp.parallel {
    memref.copy %0, %out : memref<4xf32> to memref<4xf32>
    omp.terminator
  }
  %1 = memref.alloc() : memref<4xf32>
  omp.target nowait {
    omp.terminator
  }
  omp.task {
    memref.copy %1, %out : memref<4xf32> to memref<4xf32>
    omp.terminator
  }
  return
}

// CHECK-LABEL: func.func @accelerated(
// CHECK: acc.parallel async
// CHECK-NOT: memref.dealloc
// CHECK: acc.parallel {
// CHECK: memref.dealloc
// CHECK: return
func.func @accelerated(%out: memref<4xf32>) {
  %0 = memref.alloc() : memref<4xf32>
  acc.parallel async {
    memref.copy %0, %out : memref<4xf32> to memref<4xf32>
    acc.yield
  }
  %1 = memref.alloc() : memref<4xf32>
  acc.parallel {
    memref.copy %1, %out : memref<4xf32> to memref<4xf32>
    acc.yield
  }
  return
}
