// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate pool-all report=none" --buffer-reuse=pool-all | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="analysis pool-all" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// A size beyond the machine's is a reason to leave a buffer alone, never a wrapped number.

// REPORT: 2 buffers, 2 of unknown size

// CHECK-LABEL: func @wraps_to_zero
func.func @wraps_to_zero() {
  // CHECK: memref.alloc() {stowage.left_alone = "too-large"} : memref<4294967296x4294967296xi8>
  %a = memref.alloc() : memref<4294967296x4294967296xi8>
  // CHECK: memref.alloc() {stowage.left_alone = "too-large"} : memref<2305843009213693952x2xf32>
  %b = memref.alloc() : memref<2305843009213693952x2xf32>
  memref.dealloc %a : memref<4294967296x4294967296xi8>
  memref.dealloc %b : memref<2305843009213693952x2xf32>
  return
}
