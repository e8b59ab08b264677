// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse=pool-all | FileCheck %s --check-prefix=ALL

// A buffer without a partner stays as it is; pool-all puts it into the arena, too.

// CHECK-LABEL: func @pool
// CHECK-DAG: memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK-DAG: memref.alloc() : memref<32xf32>
// CHECK: memref.dealloc %{{.*}} : memref<32xf32>

// ALL-LABEL: func @pool
// ALL: memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// ALL-NOT: memref.alloc()
// ALL: memref.dealloc %{{.*}} : memref<192xi8>
// ALL-NOT: memref.dealloc
// ALL: return
func.func @pool(%x: f32) {
  %c0 = arith.constant 0 : index
  %l = memref.alloc() : memref<32xf32>
  memref.store %x, %l[%c0] : memref<32xf32>
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  %v = memref.load %l[%c0] : memref<32xf32>
  memref.dealloc %l : memref<32xf32>
  return
}
