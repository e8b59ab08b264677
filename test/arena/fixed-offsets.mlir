// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An alloc's stowage.offset is where it lies in the arena.

// RUN: stowage-opt %s --split-input-file --verify-diagnostics --merge-alloc | FileCheck %s
// RUN: stowage-opt %s --split-input-file --verify-diagnostics --merge-alloc=capacity-in-bytes=8192 -o /dev/null

// What an analysis writes gives the same plan again.
// RUN: stowage-opt %S/conditional.mlir --merge-alloc=analysis-only -o %t.1
// RUN: stowage-opt %t.1 --merge-alloc=analysis-only | diff %t.1 -
// RUN: stowage-opt %S/conditional.mlir --merge-alloc="analysis-only max-heap-overhead=0" -o %t.1
// RUN: stowage-opt %t.1 --merge-alloc="analysis-only max-heap-overhead=0" | diff %t.1 -

// CHECK-LABEL: func.func @given
// CHECK: memref.alloc() {{.*}} : memref<1280xi8>
// CHECK-DAG: arith.constant 1024 : index
// CHECK-DAG: arith.constant 0 : index
func.func @given(%x: memref<64xf32>) {
  %a = memref.alloc() {stowage.offset = 1024 : i64} : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() {stowage.offset = 0 : i64} : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// The other is placed around it.
// CHECK-LABEL: func.func @one
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
func.func @one(%x: memref<64xf32>) {
  %a = memref.alloc() {stowage.offset = 256 : index} : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @conflict(%x: memref<64xf32>) {
  // expected-error @below {{merge-alloc: stowage.offset puts this buffer where another one is while both are live; move one of them, or remove the attribute}}
  %a = memref.alloc() {stowage.offset = 128 : i64} : memref<64xf32>
  // expected-note @below {{the other buffer}}
  %b = memref.alloc() {stowage.offset = 0 : i64} : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @misaligned(%x: memref<64xf32>) {
  // expected-error @below {{stowage.offset must be a multiple of the alignment of the buffer, 64; round it up, or remove the attribute}}
  %a = memref.alloc() {stowage.offset = 4 : i64} : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @negative(%x: memref<64xf32>) {
  // expected-error @below {{stowage.offset must not be negative; count from the arena's first byte, or remove the attribute}}
  %a = memref.alloc() {stowage.offset = -64 : i64} : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @beyond(%x: memref<64xf32>) {
  // expected-error @below {{stowage.offset puts the buffer's end above the capacity}}
  %a = memref.alloc() {stowage.offset = 9223372036854775744 : i64} : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @no_number(%x: memref<64xf32>) {
  // expected-error @below {{stowage.offset must be an integer, such as 64 : i64; write one, or remove the attribute}}
  %a = memref.alloc() {stowage.offset = "64"} : memref<64xf32>
  // expected-error @below {{stowage.offset must be an integer}}
  %b = memref.alloc() {stowage.offset = 64 : i128} : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  return
}
