// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A row of a buffer with one dimension is an element. Of more than 1,048,576 rows there are no streams: tables of all of them would take
// gigabytes. In blocks of several elements, which a view makes rows, the same bytes are few rows.

// RUN: stowage-opt %s --stream-rows --remarks-filter=stream-rows -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t.mlir

// SAID: remark: [Missed] not-split | Category:stream-rows | Function=elements
// SAID: Function=blocks

// CHECK-LABEL: func.func @elements
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @blocks
// CHECK: scf.for

func.func @elements(%x: memref<16777216xf32>, %y: memref<16777216xf32>) {
  %a = memref.alloc() : memref<16777216xf32>
  %b = memref.alloc() : memref<16777216xf32>
  linalg.exp ins(%x : memref<16777216xf32>) outs(%a : memref<16777216xf32>)
  linalg.abs ins(%a : memref<16777216xf32>) outs(%b : memref<16777216xf32>)
  linalg.exp ins(%b : memref<16777216xf32>) outs(%y : memref<16777216xf32>)
  return
}

func.func @blocks(%x: memref<4096x4096xf32>, %y: memref<4096x4096xf32>) {
  %a = memref.alloc() : memref<4096x4096xf32>
  %b = memref.alloc() : memref<4096x4096xf32>
  linalg.exp ins(%x : memref<4096x4096xf32>) outs(%a : memref<4096x4096xf32>)
  %v = memref.collapse_shape %a [[0, 1]] : memref<4096x4096xf32> into memref<16777216xf32>
  %w = memref.collapse_shape %b [[0, 1]] : memref<4096x4096xf32> into memref<16777216xf32>
  linalg.abs ins(%v : memref<16777216xf32>) outs(%w : memref<16777216xf32>)
  linalg.exp ins(%b : memref<4096x4096xf32>) outs(%y : memref<4096x4096xf32>)
  return
}
