// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=dynamic=exact --remarks-filter=merge-alloc 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=EXACT < %t.remarks
// RUN: stowage-opt %s --merge-alloc=dynamic=bound --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: stowage-opt %s --merge-alloc="dynamic=exact capacity-in-bytes=100000" --remarks-filter=merge-alloc -o %t 2>&1 \
// RUN:     | FileCheck %s --check-prefix=CAPACITY

// What is stated of one name in several places holds together: n is 3 to 50, and typically 7. A product that several sizes have
// in common is computed once. A capacity is a number, and so sizes must be.

// CHECK-LABEL: func @f(
// CHECK: %[[NM:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-COUNT-2: arith.muli %[[NM]], %{{.*}} : index
// CHECK: memref.alloc

// EXACT: [Passed] arena | {{.*}}; for n=7, arg2=16: the arena has

// BOUND: [Passed] arena | {{.*}} put into one arena of 9600 bytes

// CAPACITY: [Missed] dynamic-off | Category:merge-alloc | Reason="capacity-in-bytes is a number"
// CAPACITY-SAME: Suggestion="state max in the stowage.dims of arguments and set dynamic=bound"
func.func @f(%x: memref<?xf32> {stowage.dims = [{name = "n", max = 100}]},
             %y: memref<?xf32> {stowage.dims = [{name = "n", min = 3, max = 50, hint = 7}]},
             %m: index {stowage.dims = [{max = 16}]}, %v: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<?x?xf32>)
  %b = memref.alloc(%n, %m) : memref<?x?xf64>
  %w = arith.extf %v : f32 to f64
  linalg.fill ins(%w : f64) outs(%b : memref<?x?xf64>)
  linalg.exp ins(%a : memref<?x?xf32>) outs(%a : memref<?x?xf32>)
  return
}
