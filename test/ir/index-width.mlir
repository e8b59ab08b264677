// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis pool-all alignment-in-bytes=1 report=csv:%t.csv" -o /dev/null
// RUN: FileCheck %s < %t.csv

// The data layout says how wide an index is.

// CHECK: ,40,4,{{.*}}%alloc,
// CHECK-NEXT: ,40,4,{{.*}}%alloc_0,
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} {
  func.func @narrow() {
    %a = memref.alloc() : memref<10xindex>
    memref.copy %a, %a : memref<10xindex> to memref<10xindex>
    memref.dealloc %a : memref<10xindex>
    %b = memref.alloc() : memref<10xindex>
    memref.copy %b, %b : memref<10xindex> to memref<10xindex>
    memref.dealloc %b : memref<10xindex>
    return
  }
}
