// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s

// Every function-like op is a scope: whatever dialect it is from and whatever op it returns with.

// CHECK-LABEL: llvm.func @lf
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NEXT:    {{.*}}return
llvm.func @lf(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  llvm.return
}

// CHECK-LABEL: ml_program.func @mf
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NEXT:    {{.*}}return
ml_program.func @mf(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  ml_program.return
}

// CHECK-LABEL: async.func @af
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NEXT:    {{.*}}return
async.func @af(%x: f32) -> !async.token {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  async.return
}

// CHECK-LABEL: emitc.func @ef
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NEXT:    {{.*}}return
emitc.func @ef(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  emitc.return
}
