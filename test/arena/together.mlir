// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which buffers lie in a result may differ with the sizes.

// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use" --check-arena-plan="samples=64" | FileCheck %s
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use stackings=1" | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use verify-sizes poison" --check-arena-plan="samples=64" -o /dev/null
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use" --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use report=text" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT

// A decoder's layer: beside scores, which grow with n, one row is alive, beside hidden ones of a fixed size another. Both are
// alive when the second is made of the first, so that the result has room for one of them: where n is small for that beside
// the hidden rows.

// CHECK-LABEL: func @decoder(
// CHECK: %[[LEAST:.*]] = arith.minui %[[A:.*]], %{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[A]], %[[LEAST]] : index
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[LEAST]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK: %[[RESULT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3072xi8>
// CHECK: %[[BYTES:.*]] = memref.cast %[[RESULT]] : memref<3072xi8> to memref<?xi8>
// CHECK-DAG: %[[ROW:.*]] = arith.select %[[FIRST]], %[[ARENA]], %[[BYTES]] : memref<?xi8>
// CHECK-DAG: %[[OTHER:.*]] = arith.select %[[FIRST]], %[[BYTES]], %[[ARENA]] : memref<?xi8>
// CHECK: memref.view %[[ROW]][%{{.*}}][] : memref<?xi8> to memref<768xf32>
// CHECK: memref.view %[[OTHER]][%{{.*}}][] : memref<?xi8> to memref<768xf32>
// CHECK: %[[MADE:.*]] = memref.view %[[RESULT]][%c0{{.*}}][] : memref<3072xi8> to memref<768xf32>
// CHECK: memref.dealloc %[[ARENA]]
// CHECK: return %[[MADE]]
// ONE-LABEL: func @decoder(
// ONE-NOT: arith.select
// ONE: return
// REMARK: put into one arena of 24576 bytes;{{.*}}; for other sizes other buffers lie in results
// TEXT: arena = min(max(24576, {{.*}}
// TEXT: in the bytes of
// TEXT-NOT: arena = min
func.func @decoder(%x: memref<?xf32>) -> memref<768xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %row = memref.alloc() : memref<768xf32>
  "test.write"(%row) : (memref<768xf32>) -> ()
  %scores = memref.alloc(%n) : memref<12x?xf32>
  "test.write"(%scores) : (memref<12x?xf32>) -> ()
  %softmax = memref.alloc(%n) : memref<12x?xf32>
  "test.write"(%softmax, %scores) : (memref<12x?xf32>, memref<12x?xf32>) -> ()
  "test.write"(%row, %softmax) : (memref<768xf32>, memref<12x?xf32>) -> ()
  %other = memref.alloc() : memref<768xf32>
  "test.write"(%other, %row) : (memref<768xf32>, memref<768xf32>) -> ()
  %hidden = memref.alloc() : memref<3072xf32>
  "test.write"(%hidden) : (memref<3072xf32>) -> ()
  %gelu = memref.alloc() : memref<3072xf32>
  "test.write"(%gelu, %hidden) : (memref<3072xf32>, memref<3072xf32>) -> ()
  "test.write"(%other, %gelu) : (memref<768xf32>, memref<3072xf32>) -> ()
  %mean = memref.alloc() : memref<f32>
  "test.write"(%mean, %other) : (memref<f32>, memref<768xf32>) -> ()
  %result = memref.alloc() : memref<768xf32>
  "test.write"(%result, %mean) : (memref<768xf32>, memref<f32>) -> ()
  return %result : memref<768xf32>
}
