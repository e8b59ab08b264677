// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Markers that the function does not keep to, or that do not tell when a part is free: nothing
// shares with the first half of a buffer of which the other half is needed.

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s

// It is read when its life has ended.
// CHECK-LABEL: func.func @after(
// CHECK: memref.alloc() {{.*}} : memref<384xi8>
func.func @after(%x: memref<32xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %s : memref<32xf32> to memref<32xf32, strided<[1]>>
  lifetime.end %s : memref<32xf32, strided<[1]>>
  memref.copy %y, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %y : memref<32xf32> to memref<32xf32>
  memref.copy %s, %x : memref<32xf32, strided<[1]>> to memref<32xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// By a name of all of it.
// CHECK-LABEL: func.func @all_of_it(
// CHECK: memref.alloc() {{.*}} : memref<384xi8>
func.func @all_of_it(%x: memref<32xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %s : memref<32xf32> to memref<32xf32, strided<[1]>>
  lifetime.end %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %x : memref<32xf32> to memref<32xf32>
  memref.copy %a, %y : memref<64xf32> to memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// Columns: their bytes are all but a few of the buffer's.
// CHECK-LABEL: func.func @columns(
// CHECK: memref.alloc() {{.*}} : memref<384xi8>
func.func @columns(%x: memref<8x4xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0, 0] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1]>>
  %t = memref.subview %a[0, 4] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  lifetime.start %s : memref<8x4xf32, strided<[8, 1]>>
  memref.copy %x, %s : memref<8x4xf32> to memref<8x4xf32, strided<[8, 1]>>
  memref.copy %s, %t : memref<8x4xf32, strided<[8, 1]>> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  lifetime.end %s : memref<8x4xf32, strided<[8, 1]>>
  memref.copy %y, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %y : memref<32xf32> to memref<32xf32>
  memref.copy %t, %x : memref<8x4xf32, strided<[8, 1], offset: 4>> to memref<8x4xf32>
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// One iteration is in the life when another one is behind it.
// CHECK-LABEL: func.func @at_once(
// CHECK: memref.alloc() {{.*}} : memref<384xi8>
func.func @at_once(%x: memref<32xf32>, %y: memref<32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    lifetime.start %s : memref<32xf32, strided<[1]>>
    %u = memref.load %x[%i] : memref<32xf32>
    memref.store %u, %s[%i] : memref<32xf32, strided<[1]>>
    lifetime.end %s : memref<32xf32, strided<[1]>>
    %v = memref.load %y[%i] : memref<32xf32>
    memref.store %v, %b[%i] : memref<32xf32>
  }
  memref.copy %b, %x : memref<32xf32> to memref<32xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// The end is on another path.
// CHECK-LABEL: func.func @elsewhere(
// CHECK: memref.alloc() {{.*}} : memref<384xi8>
func.func @elsewhere(%x: memref<32xf32>, %y: memref<32xf32>, %c: i1) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %t = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %s : memref<32xf32> to memref<32xf32, strided<[1]>>
  memref.copy %s, %t : memref<32xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: 32>>
  scf.if %c {
    lifetime.end %s : memref<32xf32, strided<[1]>>
    memref.copy %y, %b : memref<32xf32> to memref<32xf32>
    memref.copy %b, %y : memref<32xf32> to memref<32xf32>
  }
  memref.copy %t, %x : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// Which buffer the part is of is known at run time.
// CHECK-LABEL: func.func @chosen(
// CHECK: memref.alloc() {{.*}} : memref<640xi8>
func.func @chosen(%x: memref<32xf32>, %y: memref<32xf32>, %c: i1) {
  %a0 = memref.alloc() : memref<64xf32>
  %a1 = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.copy %x, %y : memref<32xf32> to memref<32xf32>
  %t0 = memref.subview %a0[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  %t1 = memref.subview %a1[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  memref.copy %x, %t0 : memref<32xf32> to memref<32xf32, strided<[1], offset: 32>>
  memref.copy %x, %t1 : memref<32xf32> to memref<32xf32, strided<[1], offset: 32>>
  %a = arith.select %c, %a0, %a1 : memref<64xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %s : memref<32xf32> to memref<32xf32, strided<[1]>>
  lifetime.end %s : memref<32xf32, strided<[1]>>
  memref.copy %y, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %y : memref<32xf32> to memref<32xf32>
  memref.copy %t0, %x : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32>
  memref.copy %t1, %x : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32>
  memref.dealloc %a0 : memref<64xf32>
  memref.dealloc %a1 : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}
