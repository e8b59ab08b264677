// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arenas that begin at different points lie beside each other: none is kept where the heap would then hold more than with
// buffers apart, where max-heap-overhead asks for it.
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use lend-results=false max-heap-overhead=0.05" --check-arena-plan="samples=64" | FileCheck %s
// RUN: stowage-opt %s -allow-unregistered-dialect --split-input-file --merge-alloc="dynamic=exact unknown-ops=use lend-results=false" | FileCheck %s --check-prefix=TWICE

// %b is as large as it likes, and %a need not be there with it; %s, which is small, is.

// CHECK-LABEL: func @later(
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: memref.dealloc %[[A]]
// CHECK: memref.load
// CHECK: memref.alloc(

// TWICE-LABEL: func @later(
// TWICE: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// TWICE: memref.load
// TWICE: %[[B:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// TWICE: memref.dealloc %[[A]]
func.func @later(%n: index, %sizes: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x1024xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  "test.use"(%s) : (memref<?xf32>) -> ()
  "test.use"(%a) : (memref<?x1024xf32>) -> ()
  %m = memref.load %sizes[%c0] : memref<1xindex>
  %b = memref.alloc(%m) : memref<?x1024xf32>
  %c = memref.alloc(%m) : memref<?xf32>
  "test.use"(%b) : (memref<?x1024xf32>) -> ()
  "test.use"(%c) : (memref<?xf32>) -> ()
  "test.use"(%s) : (memref<?xf32>) -> ()
  return
}

// -----

// What is small beside the rest does no harm.

// CHECK-LABEL: func @small(
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: memref.load
// CHECK: %[[B:.*]] = memref.alloc(
// CHECK: memref.dealloc %[[A]]
func.func @small(%n: index, %sizes: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?x1024xf32>
  %s = memref.alloc(%n) : memref<?x1000xf32>
  "test.use"(%s) : (memref<?x1000xf32>) -> ()
  "test.use"(%a) : (memref<?x1024xf32>) -> ()
  %m = memref.load %sizes[%c0] : memref<1xindex>
  %least = arith.minsi %m, %n : index
  %b = memref.alloc(%least) : memref<?xf32>
  "test.use"(%b) : (memref<?xf32>) -> ()
  "test.use"(%s) : (memref<?x1000xf32>) -> ()
  return
}

// -----

// A result that is made while the arena is there.

// CHECK-LABEL: func @result(
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: memref.dealloc %[[A]]
// CHECK: memref.alloc(%arg0) : memref<?x1024xf32>
func.func @result(%n: index) -> memref<?x1024xf32> {
  %a = memref.alloc(%n) : memref<?x1024xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  "test.use"(%s) : (memref<?xf32>) -> ()
  "test.use"(%a) : (memref<?x1024xf32>) -> ()
  %r = memref.alloc(%n) : memref<?x1024xf32>
  "test.use"(%r) : (memref<?x1024xf32>) -> ()
  "test.use"(%s) : (memref<?xf32>) -> ()
  return %r : memref<?x1024xf32>
}

// -----

// A branch that is not taken: what it needs is no part of an arena around it.

// CHECK-LABEL: func @branch(
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK: scf.if
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<65536xi8>
func.func @branch(%n: index, %word: i64) {
  %c0 = arith.constant 0 : i64
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  %bit = arith.cmpi slt, %word, %c0 : i64
  scf.if %bit {
    %b = memref.alloc() : memref<16384xf32>
    "test.use"(%b) : (memref<16384xf32>) -> ()
  }
  %c = memref.alloc(%n) : memref<?xf32>
  "test.use"(%c) : (memref<?xf32>) -> ()
  return
}
