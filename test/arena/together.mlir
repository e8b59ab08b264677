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
// REMARK: put into one arena of 24576 bytes;{{.*}}; for other sizes other buffers are in results
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

// -----

// A result of known size has room for a buffer whose size is not, where that is small; reports are for 64,
// where it lies there, and the arena has no bytes.

// CHECK-LABEL: func @small(
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[MORE:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK: %[[ABOVE:.*]] = arith.maxsi %{{.*}}, %[[MORE]]
// CHECK: %[[TOO_LARGE:.*]] = arith.minsi %{{.*}}, %[[ABOVE]]
// CHECK: %[[LEAST:.*]] = arith.minui %[[BYTES]], %{{.*}}
// CHECK: %[[APART:.*]] = arith.cmpi eq, %[[BYTES]], %[[LEAST]]
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[LEAST]])
// CHECK: %[[RESULT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
// CHECK: %[[RESULT_BYTES:.*]] = memref.cast %[[RESULT]]
// CHECK: arith.select %[[APART]], %[[ARENA]], %[[RESULT_BYTES]] : memref<?xi8>
// ONE-LABEL: func @small(
// ONE-NOT: arith.select
// ONE: memref.alloc() : memref<1024xf32>
// REMARK: 1 buffers of 256 bytes put into a result of 4096 bytes that is not yet written; live at the peak: 256 bytes; for arg0=64, with others other buffers may be alive there
// TEXT-LABEL: small (
// TEXT: arena = min(4*max(arg0, 0), {{.*}}min(1, max(0, 4*max(arg0, 0) - 4096)){{.*}}) bytes
// TEXT: small, in the bytes of
// TEXT: the figures are for arg0=64
func.func @small(%n: index) -> memref<1024xf32> {
  %row = memref.alloc(%n) : memref<?xf32>
  "test.write"(%row) : (memref<?xf32>) -> ()
  %result = memref.alloc() : memref<1024xf32>
  "test.read"(%row) : (memref<?xf32>) -> ()
  "test.write"(%result) : (memref<1024xf32>) -> ()
  return %result : memref<1024xf32>
}

// -----

// Not one of a size that is known only behind the first of what could lie in it.

// CHECK-LABEL: func @later(
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT: arith.select
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @later(%m: index) -> memref<?xf32> {
  %a = memref.alloc(%m) : memref<?xf32>
  "test.write"(%a) : (memref<?xf32>) -> ()
  %b = memref.alloc(%m) : memref<?xf32>
  %n = "test.number"(%b, %a) : (memref<?xf32>, memref<?xf32>) -> index
  %result = memref.alloc(%n) : memref<?xf32>
  "test.read"(%b) : (memref<?xf32>) -> ()
  "test.write"(%result) : (memref<?xf32>) -> ()
  return %result : memref<?xf32>
}
