// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis alignment-in-bytes=1 report=csv:%t.csv" -o /dev/null
// RUN: FileCheck %s < %t.csv

// The data layout may ask for more alignment than a type's own, and LLVM pads every element to it.

// CHECK: ,160,16,{{.*}}%alloc,
// CHECK-NEXT: ,160,16,{{.*}}%alloc_0,
module attributes {dlti.dl_spec = #dlti.dl_spec<f64 = dense<[128, 128]> : vector<2xi64>>} {
  func.func @wide() {
    %a = memref.alloc() : memref<10xf64>
    memref.copy %a, %a : memref<10xf64> to memref<10xf64>
    memref.dealloc %a : memref<10xf64>
    %b = memref.alloc() : memref<10xf64>
    memref.copy %b, %b : memref<10xf64> to memref<10xf64>
    memref.dealloc %b : memref<10xf64>
    return
  }
}
