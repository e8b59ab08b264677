// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse=require-dealloc=false | FileCheck %s --check-prefix=PLANNED

// Without a dealloc a buffer is left alone, unless require-dealloc=false and nothing keeps it.

// CHECK-LABEL: func @none
// CHECK-NOT: memref.view
// PLANNED-LABEL: func @none
// PLANNED: memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// PLANNED-NOT: memref.alloc()
// PLANNED: memref.dealloc
// PLANNED-NEXT: return
func.func @none(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  return
}

// CHECK-LABEL: func @kept
// CHECK-NOT: memref.view
// PLANNED-LABEL: func @kept
// PLANNED-NOT: memref.view
func.func @kept(%x: f32, %box: memref<memref<8xf32>>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %a, %box[] : memref<memref<8xf32>>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  return %b : memref<8xf32>
}
