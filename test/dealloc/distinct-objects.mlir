// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// Each result is the operand in its place: one may be freed while another is used.

// CHECK-LABEL: func.func @freed_by_its_operand(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: memref.distinct_objects
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: return
func.func @freed_by_its_operand(%out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.copy %out, %b : memref<4xf32> to memref<4xf32>
  %x, %y = memref.distinct_objects %a, %b : memref<4xf32>, memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  memref.copy %y, %out : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @freed_by_its_result(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[XY:.*]]:2 = memref.distinct_objects
// CHECK: memref.dealloc %[[XY]]#1
// CHECK-NEXT: memref.copy %[[A]]
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @freed_by_its_result(%out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.copy %out, %a : memref<4xf32> to memref<4xf32>
  %x, %y = memref.distinct_objects %a, %b : memref<4xf32>, memref<4xf32>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  return
}
