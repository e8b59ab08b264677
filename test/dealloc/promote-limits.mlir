// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --promote-allocs-to-stack | FileCheck %s
// RUN: stowage-opt %s --promote-allocs-to-stack='max-size-in-bytes=1025 max-rank=1' | FileCheck %s --check-prefix=OTHER
// RUN: stowage-opt %s --promote-allocs-to-stack=max-size-in-bytes=0 | FileCheck %s --check-prefix=NONE --implicit-check-not=alloca
// RUN: stowage-opt %s --promote-allocs-to-stack=unknown-ops=escape | FileCheck %s --check-prefix=KEPT

// The limits, to the byte: what the lowering allocates counts, so that a bit is a byte.

// NONE: memref.alloc()

func.func private @outside(memref<4xf32>)

// CHECK-LABEL: func.func @as_large_as_allowed(
// CHECK-NEXT: memref.alloca() {alignment = 16 : i64} : memref<1024xi1>
func.func @as_large_as_allowed(%x: i1, %i: index) {
  %0 = memref.alloc() : memref<1024xi1>
  memref.store %x, %0[%i] : memref<1024xi1>
  memref.dealloc %0 : memref<1024xi1>
  return
}
// CHECK-LABEL: func.func @a_byte_larger(
// CHECK-NEXT: memref.alloc() : memref<1025xi1>
// OTHER-LABEL: func.func @a_byte_larger(
// OTHER-NEXT: memref.alloca() {alignment = 16 : i64} : memref<1025xi1>
func.func @a_byte_larger(%x: i1, %i: index) {
  %0 = memref.alloc() : memref<1025xi1>
  memref.store %x, %0[%i] : memref<1025xi1>
  memref.dealloc %0 : memref<1025xi1>
  return
}
// CHECK-LABEL: func.func @rank_8(
// CHECK-NEXT: memref.alloca()
// OTHER-LABEL: func.func @rank_8(
// OTHER-NEXT: memref.alloc()
func.func @rank_8(%x: i8, %i: index) {
  %0 = memref.alloc() : memref<1x1x1x1x1x1x1x2xi8>
  memref.store %x, %0[%i, %i, %i, %i, %i, %i, %i, %i] : memref<1x1x1x1x1x1x1x2xi8>
  return
}
// CHECK-LABEL: func.func @rank_9(
// CHECK-NEXT: memref.alloc()
func.func @rank_9(%x: i8, %i: index) {
  %0 = memref.alloc() : memref<1x1x1x1x1x1x1x1x2xi8>
  memref.store %x, %0[%i, %i, %i, %i, %i, %i, %i, %i, %i] : memref<1x1x1x1x1x1x1x1x2xi8>
  return
}
// CHECK-LABEL: func.func @size_at_run_time(
// CHECK-NEXT: memref.alloc(
func.func @size_at_run_time(%x: i8, %i: index) {
  %0 = memref.alloc(%i) : memref<?xi8>
  memref.store %x, %0[%i] : memref<?xi8>
  memref.dealloc %0 : memref<?xi8>
  return
}
// CHECK-LABEL: func.func @other_memory(
// CHECK-NEXT: memref.alloc()
func.func @other_memory(%x: i8, %i: index) {
  %0 = memref.alloc() : memref<4xi8, 3>
  memref.store %x, %0[%i] : memref<4xi8, 3>
  memref.dealloc %0 : memref<4xi8, 3>
  return
}
// CHECK-LABEL: func.func @given_to_a_function(
// CHECK-NEXT: memref.alloca()
// KEPT-LABEL: func.func @given_to_a_function(
// KEPT-NEXT: memref.alloc()
func.func @given_to_a_function() {
  %0 = memref.alloc() : memref<4xf32>
  call @outside(%0) : (memref<4xf32>) -> ()
  memref.dealloc %0 : memref<4xf32>
  return
}
