// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Between a writer and its reader stand a task that needs the writer and one that the reader needs, in this order. The
// latter comes before the writer.

// RUN: stowage-opt %s --pass-pipeline='builtin.module(convert-affine-to-taskflow,memory-access-streaming-fusion{read-through-copies=false windows=false assume-noalias-arguments report=text},convert-taskflow-to-affine)' 2>&1 | FileCheck %s

// CHECK: round 1: @Task_0_Task_3_fused: 0 bytes, 8 loads, 0 stores fewer
// CHECK-LABEL: func.func @swapped
// CHECK: affine.for %{{.*}} = 0 to 12 {
// CHECK: affine.store %{{.*}}, %[[P:.*]][%{{.*}}] : memref<12xi32>
// CHECK: affine.for %{{.*}} = 0 to 8 {
// CHECK: affine.store %{{.*}}, %[[T:.*]][%{{.*}}] : memref<8xi32>
// CHECK-NEXT: affine.load %[[P]]
// CHECK: affine.for %{{.*}} = 0 to 12 {
// CHECK: affine.load %[[T]][%{{.*}} floordiv 2] : memref<8xi32>
// CHECK-NOT: affine.for
func.func @swapped(%a: memref<12xi32>, %b: memref<12xi32>, %c: memref<8xi32>) {
  %t = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<12xi32>
    affine.store %x, %t[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 12 {
    %x = affine.load %t[%i floordiv 2] : memref<8xi32>
    affine.store %x, %b[%i] : memref<12xi32>
  }
  %p = memref.alloc() : memref<12xi32>
  affine.for %i = 0 to 12 {
    %x = affine.load %a[%i] : memref<12xi32>
    affine.store %x, %p[%i] : memref<12xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %t[%i] : memref<8xi32>
    %y = affine.load %p[%i] : memref<12xi32>
    %z = arith.addi %x, %y : i32
    affine.store %z, %c[%i] : memref<8xi32>
  }
  memref.dealloc %t : memref<8xi32>
  memref.dealloc %p : memref<12xi32>
  return
}

// The task that the reader needs needs the writer, too: there is no place.
// CHECK-LABEL: func.func @circle
// CHECK-COUNT-3: affine.for
func.func @circle(%a: memref<12xi32>, %c: memref<8xi32>) {
  %t = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<12xi32>
    affine.store %x, %t[%i] : memref<8xi32>
  }
  %p = memref.alloc() : memref<12xi32>
  affine.for %i = 0 to 12 {
    %x = affine.load %t[%i floordiv 2] : memref<8xi32>
    affine.store %x, %p[%i] : memref<12xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %t[%i] : memref<8xi32>
    %y = affine.load %p[%i] : memref<12xi32>
    %z = arith.addi %x, %y : i32
    affine.store %z, %c[%i] : memref<8xi32>
  }
  memref.dealloc %t : memref<8xi32>
  memref.dealloc %p : memref<12xi32>
  return
}
