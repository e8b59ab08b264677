// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse=alignment-in-bytes=1 | FileCheck %s

// A slice is aligned to what its alloc asks, what its element needs, and what the option says,
// whichever is more; and the arena to the most of its slices.

// CHECK-LABEL: func @attribute
// CHECK: memref.alloc() {alignment = 256 : i64} : memref<{{[0-9]+}}xi8>
func.func @attribute(%x: i8) {
  %c0 = arith.constant 0 : index
  %s = memref.alloc() : memref<3xi8>
  memref.store %x, %s[%c0] : memref<3xi8>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: memref.view %{{.*}}[%{{c0.*|c256.*}}][] : memref<{{.*}}xi8> to memref<4xi8>
  %a = memref.alloc() {alignment = 256} : memref<4xi8>
  memref.store %x, %a[%c0] : memref<4xi8>
  %v = memref.load %a[%c0] : memref<4xi8>
  memref.dealloc %a : memref<4xi8>
  %b = memref.alloc() {alignment = 256} : memref<4xi8>
  memref.store %v, %b[%c0] : memref<4xi8>
  memref.dealloc %b : memref<4xi8>
  memref.store %x, %s[%c0] : memref<3xi8>
  memref.dealloc %s : memref<3xi8>
  return
}

// CHECK-LABEL: func @element
// CHECK: memref.alloc() {alignment = 32 : i64} : memref<64xi8>
func.func @element(%x: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xvector<8xf32>>
  memref.store %x, %a[%c0] : memref<2xvector<8xf32>>
  memref.dealloc %a : memref<2xvector<8xf32>>
  %b = memref.alloc() : memref<2xvector<8xf32>>
  memref.store %x, %b[%c0] : memref<2xvector<8xf32>>
  memref.dealloc %b : memref<2xvector<8xf32>>
  return
}

// The option's own: no slice at an odd place.

// CHECK-LABEL: func @none
// CHECK: memref.alloc() {alignment = 1 : i64} : memref<3xi8>
func.func @none(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<3xi8>
  memref.store %x, %a[%c0] : memref<3xi8>
  memref.dealloc %a : memref<3xi8>
  %b = memref.alloc() : memref<3xi8>
  memref.store %x, %b[%c0] : memref<3xi8>
  memref.dealloc %b : memref<3xi8>
  return
}
