// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --pack-stack | FileCheck %s
// RUN: stowage-opt %s --pack-stack --pack-stack -o %t.twice && stowage-opt %s --pack-stack | diff - %t.twice
// RUN: stowage-opt %s --pack-stack=alignment-in-bytes=128 | FileCheck %s --check-prefix=ALIGN
// RUN: stowage-opt %s --pack-stack=poison -o /dev/null
// RUN: not stowage-opt %s --pack-stack=capacity-in-bytes=100 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --pass-pipeline="builtin.module(pack-stack)" | FileCheck %s

// One alloca at the function's entry, wherever the allocas were; heap buffers stay; markers of what
// is packed go.
// CAPACITY: buffers live at one time need 1024 bytes, but capacity-in-bytes is 100
// CHECK-LABEL: func @loop
// CHECK-NEXT: %[[S:.*]] = memref.alloca() {alignment = 16 : i64} : memref<1024xi8>
// CHECK-NOT: lifetime
// CHECK: memref.view %[[S]][%{{.*}}][] : memref<1024xi8> to memref<256xf32>
// CHECK: scf.for
// CHECK: memref.view %[[S]][%{{.*}}][] : memref<1024xi8> to memref<128xf64>
// CHECK: memref.alloc() : memref<256xf32>
// CHECK: memref.dealloc
// ALIGN-LABEL: func @loop
// ALIGN: memref.alloca() {alignment = 128 : i64}
func.func @loop(%x: memref<256xf32>, %y: memref<128xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<256xf32>
  lifetime.start %a : memref<256xf32>
  memref.copy %x, %a : memref<256xf32> to memref<256xf32>
  memref.copy %a, %x : memref<256xf32> to memref<256xf32>
  lifetime.end %a : memref<256xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloca() : memref<128xf64>
    memref.copy %y, %b : memref<128xf64> to memref<128xf64>
    memref.copy %b, %y : memref<128xf64> to memref<128xf64>
  }
  %h = memref.alloc() : memref<256xf32>
  memref.copy %x, %h : memref<256xf32> to memref<256xf32>
  memref.copy %h, %x : memref<256xf32> to memref<256xf32>
  memref.dealloc %h : memref<256xf32>
  return
}

// Each iteration that may run at once has its own.
// CHECK-LABEL: func @parallel
// CHECK: scf.parallel
// CHECK-NEXT: memref.alloca() {alignment = 16 : i64} : memref<1024xi8>
func.func @parallel(%x: memref<256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloca() : memref<256xf32>
    memref.copy %x, %a : memref<256xf32> to memref<256xf32>
    memref.copy %a, %x : memref<256xf32> to memref<256xf32>
    %b = memref.alloca() : memref<256xf32>
    memref.copy %x, %b : memref<256xf32> to memref<256xf32>
    memref.copy %b, %x : memref<256xf32> to memref<256xf32>
  }
  return
}

// Dynamic size, nothing to share with, value that the loop carries: left alone.
// CHECK-LABEL: func @left_alone
// CHECK-NEXT: memref.alloca(%{{.*}}) : memref<?xf32>
// CHECK-NEXT: memref.alloca() : memref<256xf32>
// CHECK-NOT: memref.view
// CHECK: return
func.func @left_alone(%x: memref<256xf32>, %n: index) {
  %a = memref.alloca(%n) : memref<?xf32>
  %b = memref.alloca() : memref<256xf32>
  memref.copy %x, %b : memref<256xf32> to memref<256xf32>
  memref.copy %b, %x : memref<256xf32> to memref<256xf32>
  return
}
