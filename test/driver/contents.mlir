// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer is known by the op that makes its values, not by the one that clears it before. What
// stream-rows made smaller has the bytes that it had before. Memory that no arena holds is counted.

// RUN: stowage-opt %s --buffer-reuse="analysis report=json:%t.json" -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: stowage-opt %s --stream-rows=overlap=false --merge-alloc=report=json:%t.rows.json -o /dev/null
// RUN: FileCheck %s --check-prefix=ROWS < %t.rows.json
// RUN: stowage-opt %s --merge-alloc=report=json:%t.whole.json -o /dev/null
// RUN: FileCheck %s --check-prefix=WHOLE < %t.whole.json

// CHECK-DAG: "name": "%alloc", {{.*}} "op": "linalg.matmul"
// CHECK-DAG: "name": "%alloc_0", {{.*}} "op": "linalg.fill"
// CHECK-DAG: "name": "%alloc_1", {{.*}} "op": "linalg.exp"
// CHECK: "outside": [
// CHECK-DAG: {"kind": "arguments", "function": "made", "bytes": 768}
// CHECK-DAG: {"kind": "arguments", "function": "apart", "bytes": 8192}
// CHECK-DAG: {"kind": "constants", "function": "", "bytes": 16}
// CHECK-DAG: {"kind": "globals", "function": "", "bytes": 40}
memref.global "private" constant @weights : memref<4xf32> = dense<1.0>
memref.global "private" @table : memref<10xf32> = uninitialized

func.func @made(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %alloc = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%alloc : memref<8x8xf32>)
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%alloc : memref<8x8xf32>)
  %alloc_0 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%alloc_0 : memref<4xf32>)
  %alloc_1 = memref.alloc() : memref<8x8xf32>
  %part = memref.subview %alloc_1[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  linalg.map outs(%alloc_1 : memref<8x8xf32>) (%out: f32) { linalg.yield %zero : f32 }
  %from = memref.subview %alloc[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  linalg.exp ins(%from : memref<4x8xf32, strided<[8, 1], offset: 32>>) outs(%part : memref<4x8xf32, strided<[8, 1]>>)
  memref.copy %alloc_1, %c : memref<8x8xf32> to memref<8x8xf32>
  memref.dealloc %alloc : memref<8x8xf32>
  memref.dealloc %alloc_0 : memref<4xf32>
  memref.dealloc %alloc_1 : memref<8x8xf32>
  return
}

// ROWS: "function": "apart"
// ROWS: "type": "memref<64x16xf32>", {{.*}} "layer": "second"
// ROWS: "type": "memref<1x16xf32>", {{.*}} "size": 64, {{.*}} "op": "linalg.exp", {{.*}}"layer": "first", "before": 4096
// WHOLE: "function": "apart"
// WHOLE-NOT: "before": 4096
func.func @apart(%a: memref<64x16xf32>, %b: memref<64x16xf32>) {
  %0 = memref.alloc() : memref<64x16xf32> loc("first")
  linalg.exp ins(%a : memref<64x16xf32>) outs(%0 : memref<64x16xf32>)
  %1 = memref.alloc() : memref<64x16xf32> loc("second")
  linalg.exp ins(%0 : memref<64x16xf32>) outs(%1 : memref<64x16xf32>)
  linalg.exp ins(%1 : memref<64x16xf32>) outs(%b : memref<64x16xf32>)
  memref.dealloc %0 : memref<64x16xf32>
  memref.dealloc %1 : memref<64x16xf32>
  return
}
