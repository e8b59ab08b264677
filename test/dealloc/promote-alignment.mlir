// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --promote-allocs-to-stack -o %t.mlir
// RUN: FileCheck %s --check-prefix=SLOT < %t.mlir
// RUN: %python %root/exec/harness.py run %s | FileCheck %s
// RUN: %python %root/exec/harness.py run %t.mlir | FileCheck %s

// A slot is aligned to what the program may rely on: 16 bytes as every heap gives them, and what the
// allocation, its views and callees ask for beyond. On most machines a vector.store to less is a
// fault.

func.func private @printI64(i64)
func.func private @printNewline()

// SLOT-LABEL: func.func @promised(
// SLOT: memref.alloca() {alignment = 16 : i64} : memref<3xi32>
// SLOT: memref.alloca() {alignment = 32 : i64} : memref<8xi32>
func.func @promised(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %v = vector.broadcast %x : i32 to vector<8xi32>
  %odd = memref.alloc() : memref<3xi32>
  memref.store %x, %odd[%c0] : memref<3xi32>
  %a = memref.alloc() {alignment = 32} : memref<8xi32>
  %s = memref.assume_alignment %a, 32 : memref<8xi32>
  vector.store %v, %s[%c0] {alignment = 32} : memref<8xi32>, vector<8xi32>
  %y = memref.load %odd[%c0] : memref<3xi32>
  %z = memref.load %s[%c0] : memref<8xi32>
  %r = arith.addi %y, %z : i32
  memref.dealloc %a : memref<8xi32>
  memref.dealloc %odd : memref<3xi32>
  return %r : i32
}

// By the callee alone.
func.func private @store(%m: memref<16xi8>, %v: vector<16xi8>) attributes {no_inline} {
  %c0 = arith.constant 0 : index
  vector.store %v, %m[%c0] {alignment = 64} : memref<16xi8>, vector<16xi8>
  return
}
// SLOT-LABEL: func.func @given(
// SLOT: memref.alloca() {alignment = 64 : i64} : memref<16xi8>
func.func @given(%x: i8) -> i8 {
  %c1 = arith.constant 1 : index
  %v = vector.broadcast %x : i8 to vector<16xi8>
  %a = memref.alloc() {alignment = 64} : memref<16xi8>
  call @store(%a, %v) : (memref<16xi8>, vector<16xi8>) -> ()
  %r = memref.load %a[%c1] : memref<16xi8>
  memref.dealloc %a : memref<16xi8>
  return %r : i8
}

// Elements of a view are loaded and stored with their own alignment.
// SLOT-LABEL: func.func @viewed(
// SLOT: memref.alloca() {alignment = 16 : i64} : memref<5xi8>
// SLOT: memref.alloca() {alignment = 16 : i64} : memref<16xi8>
// SLOT: memref.alloca() {alignment = 32 : i64} : memref<8xi32>
func.func @viewed(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %b = arith.trunci %x : i32 to i8
  %v = vector.broadcast %x : i32 to vector<4xi32>
  %w = vector.broadcast %x : i32 to vector<8xi32>
  %odd = memref.alloc() : memref<5xi8>
  memref.store %b, %odd[%c0] : memref<5xi8>
  %bytes = memref.alloc() : memref<16xi8>
  %view = memref.view %bytes[%c0][] : memref<16xi8> to memref<1xvector<4xi32>>
  memref.store %v, %view[%c0] : memref<1xvector<4xi32>>
  %numbers = memref.alloc() {alignment = 32} : memref<8xi32>
  %whole = vector.type_cast %numbers : memref<8xi32> to memref<vector<8xi32>>
  memref.store %w, %whole[] : memref<vector<8xi32>>
  %l = memref.load %view[%c0] : memref<1xvector<4xi32>>
  %y = vector.extract %l[2] : i32 from vector<4xi32>
  %z = memref.load %numbers[%c0] : memref<8xi32>
  %r = arith.addi %y, %z : i32
  memref.dealloc %numbers : memref<8xi32>
  memref.dealloc %bytes : memref<16xi8>
  memref.dealloc %odd : memref<5xi8>
  return %r : i32
}

func.func @print(%x: i64) {
  call @printI64(%x) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i8
  %a = call @promised(%three) : (i32) -> i32
  %wide_a = arith.extsi %a : i32 to i64
  // CHECK: 6
  call @print(%wide_a) : (i64) -> ()
  %b = call @given(%five) : (i8) -> i8
  %wide_b = arith.extsi %b : i8 to i64
  // CHECK-NEXT: 5
  call @print(%wide_b) : (i64) -> ()
  %c = call @viewed(%three) : (i32) -> i32
  %wide_c = arith.extsi %c : i32 to i64
  // CHECK-NEXT: 6
  call @print(%wide_c) : (i64) -> ()
  return
}
