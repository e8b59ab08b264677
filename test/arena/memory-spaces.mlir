// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module(buffer-reuse{memory-spaces=1})' | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s --pass-pipeline='builtin.module(buffer-reuse{memory-spaces=0,#gpu.address_space<global>})' | FileCheck %s --check-prefix=TWO

// Each memory space gets its own arena; memory-spaces says which.

// CHECK-LABEL: func @spaces
// CHECK-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8, 1>
// CHECK-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8, #gpu.address_space<global>>
// CHECK-NOT:     memref.alloc()
// CHECK:         return

// ONE-LABEL: func @spaces
// ONE-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8, 1>
// ONE-DAG:     memref.alloc() : memref<8xf32>
// ONE-DAG:     memref.alloc() : memref<8xf32, #gpu.address_space<global>>
// ONE:         return

// TWO-LABEL: func @spaces
// TWO-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// TWO-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8, #gpu.address_space<global>>
// TWO-DAG:     memref.alloc() : memref<8xf32, 1>
// TWO:         return
func.func @spaces(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  %c = memref.alloc() : memref<8xf32, 1>
  memref.store %x, %c[%c0] : memref<8xf32, 1>
  memref.dealloc %c : memref<8xf32, 1>
  %d = memref.alloc() : memref<8xf32, 1>
  memref.store %x, %d[%c0] : memref<8xf32, 1>
  memref.dealloc %d : memref<8xf32, 1>
  %e = memref.alloc() : memref<8xf32, #gpu.address_space<global>>
  memref.store %x, %e[%c0] : memref<8xf32, #gpu.address_space<global>>
  memref.dealloc %e : memref<8xf32, #gpu.address_space<global>>
  %f = memref.alloc() : memref<8xf32, #gpu.address_space<global>>
  memref.store %x, %f[%c0] : memref<8xf32, #gpu.address_space<global>>
  memref.dealloc %f : memref<8xf32, #gpu.address_space<global>>
  return
}

// One buffer per space: none has a partner.

// CHECK-LABEL: func @one_each
// CHECK: memref.alloc() : memref<8xf32>
// CHECK: memref.alloc() : memref<8xf32, 1>
// CHECK: memref.alloc() : memref<8xf32, "far">
func.func @one_each(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32, 1>
  memref.store %x, %b[%c0] : memref<8xf32, 1>
  memref.dealloc %b : memref<8xf32, 1>
  %c = memref.alloc() : memref<8xf32, "far">
  memref.store %x, %c[%c0] : memref<8xf32, "far">
  memref.dealloc %c : memref<8xf32, "far">
  return
}

// The default space may be written as 0.

// CHECK-LABEL: func @zero
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8
// CHECK-NOT:     memref.alloc()
// CHECK:         return
func.func @zero(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32, 0>
  memref.store %x, %a[%c0] : memref<8xf32, 0>
  memref.dealloc %a : memref<8xf32, 0>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// What is workgroup memory says the attribute itself, not a word in it.
// CHECK-LABEL: func @words
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8, "no workgroup">
// CHECK-NOT:     memref.alloc() : memref<8xf32, "no workgroup">
// CHECK:         memref.alloc() : memref<8xf32, #spirv.storage_class<Workgroup>>
// CHECK:         memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
func.func @words(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32, "no workgroup">
  memref.store %x, %a[%c0] : memref<8xf32, "no workgroup">
  memref.dealloc %a : memref<8xf32, "no workgroup">
  %b = memref.alloc() : memref<8xf32, "no workgroup">
  memref.store %x, %b[%c0] : memref<8xf32, "no workgroup">
  memref.dealloc %b : memref<8xf32, "no workgroup">
  %c = memref.alloc() : memref<8xf32, #spirv.storage_class<Workgroup>>
  memref.store %x, %c[%c0] : memref<8xf32, #spirv.storage_class<Workgroup>>
  memref.dealloc %c : memref<8xf32, #spirv.storage_class<Workgroup>>
  %d = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %x, %d[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
  memref.dealloc %d : memref<8xf32, #gpu.address_space<workgroup>>
  return
}
