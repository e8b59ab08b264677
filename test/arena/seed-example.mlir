// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse=analysis -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// Two buffers of 4096 bytes, one after the other: 8192 bytes become 4096.

// REPORT: example
// REPORT: without reuse {{.*}} 8192 B  2 buffers
// REPORT: live at the peak {{.*}} 4096 B
// REPORT: arena {{.*}} 4096 B

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @example(
// CHECK-SAME:      %[[ARG0:.*]]: memref<1024xf32>, %[[ARG1:.*]]: memref<512xf64>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[A:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<4096xi8> to memref<1024xf32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[ARG0]] : memref<1024xf32>) outs(%[[A]] : memref<1024xf32>)
// CHECK-NOT:     memref.dealloc
// CHECK:         %[[B:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<4096xi8> to memref<512xf64>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[ARG1]] : memref<512xf64>) outs(%[[B]] : memref<512xf64>)
// CHECK:         memref.dealloc %[[POOL]] : memref<4096xi8>
// CHECK-NEXT:    return
func.func @example(%arg0: memref<1024xf32>, %arg1: memref<512xf64>) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%arg0 : memref<1024xf32>) outs(%a : memref<1024xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  }
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<512xf64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%arg1 : memref<512xf64>) outs(%b : memref<512xf64>) {
    ^bb0(%in: f64, %out: f64):
      linalg.yield %in : f64
  }
  memref.dealloc %b : memref<512xf64>
  return
}
