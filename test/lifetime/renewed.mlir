// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several lives of the same bytes, each of which an op begins that may read them: only the markers
// tell that it needs nothing of what others left there. They go, so that each life gets a view of
// its own, and the check sees what they said.

// RUN: stowage-opt %s --allow-unregistered-dialect --merge-alloc=unknown-ops=use --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-reuse="unknown-ops=use poison" --check-arena-plan -o /dev/null
// RUN: stowage-opt %s --allow-unregistered-dialect --verify-lifetimes -o /dev/null

// CHECK-LABEL: func.func @between(
// CHECK: memref.alloc() {{.*}} : memref<32xi8>
// CHECK: memref.view {{.*}} to memref<8xf32>
// CHECK-NEXT: %[[B:.*]] = memref.view {{.*}} to memref<8xf32>
// CHECK: %[[FIRST:.*]] = memref.view {{.*}} to memref<8xf32>
// CHECK-NEXT: "test.keep"(%[[FIRST]])
// CHECK-NEXT: "test.keep"(%[[B]])
// CHECK-NEXT: %[[SECOND:.*]] = memref.view {{.*}} to memref<8xf32>
// CHECK-NEXT: "test.keep"(%[[SECOND]])
func.func @between(%x: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  lifetime.start %a : memref<8xf32>
  "test.keep"(%a) : (memref<8xf32>) -> ()
  lifetime.end %a : memref<8xf32>
  lifetime.start %b : memref<8xf32>
  "test.keep"(%b) : (memref<8xf32>) -> ()
  lifetime.end %b : memref<8xf32>
  lifetime.start %a : memref<8xf32>
  "test.keep"(%a) : (memref<8xf32>) -> ()
  lifetime.end %a : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// A new one in each iteration, and the views of it.
// CHECK-LABEL: func.func @loop(
// CHECK: memref.alloc() {{.*}} : memref<32xi8>
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = memref.view
// CHECK-NEXT: %[[S:.*]] = memref.subview %[[A]]
// CHECK-NEXT: "test.keep"(%[[A]])
// CHECK-NEXT: "test.keep"(%[[S]])
// CHECK-NEXT: %[[B:.*]] = memref.view
// CHECK-NEXT: "test.keep"(%[[B]])
func.func @loop(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %s = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  scf.for %i = %c0 to %c4 step %c1 {
    %l = lifetime.start %a : memref<8xf32>
    "test.keep"(%l) : (memref<8xf32>) -> ()
    "test.keep"(%s) : (memref<4xf32, strided<[1]>>) -> ()
    lifetime.end %l : memref<8xf32>
    %m = lifetime.start %b : memref<8xf32>
    "test.keep"(%m) : (memref<8xf32>) -> ()
    lifetime.end %m : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func.func @casts(
// CHECK: memref.alloc() {{.*}} : memref<32xi8>
func.func @casts(%x: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %c = memref.cast %a : memref<8xf32> to memref<?xf32>
  lifetime.start %c : memref<?xf32>
  "test.keep"(%c) : (memref<?xf32>) -> ()
  lifetime.end %c : memref<?xf32>
  lifetime.start %b : memref<8xf32>
  "test.keep"(%b) : (memref<8xf32>) -> ()
  lifetime.end %b : memref<8xf32>
  lifetime.start %c : memref<?xf32>
  "test.keep"(%c) : (memref<?xf32>) -> ()
  lifetime.end %c : memref<?xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// One half has two lives, during which the other has one.
// CHECK-LABEL: func.func @halves_twice(
// CHECK: memref.alloc() {{.*}} : memref<64xi8>
func.func @halves_twice(%x: memref<8xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<8xf32>
  %s = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %t = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  %s2 = memref.subview %s[0] [4] [1] : memref<8xf32, strided<[1]>> to memref<4xf32, strided<[1]>>
  lifetime.start %s : memref<8xf32, strided<[1]>>
  "test.keep"(%s2) : (memref<4xf32, strided<[1]>>) -> ()
  lifetime.start %t : memref<8xf32, strided<[1], offset: 8>>
  "test.keep"(%s, %t) : (memref<8xf32, strided<[1]>>, memref<8xf32, strided<[1], offset: 8>>) -> ()
  lifetime.end %s : memref<8xf32, strided<[1]>>
  lifetime.start %b : memref<8xf32>
  "test.keep"(%b) : (memref<8xf32>) -> ()
  lifetime.end %b : memref<8xf32>
  lifetime.start %s : memref<8xf32, strided<[1]>>
  "test.keep"(%s2) : (memref<4xf32, strided<[1]>>) -> ()
  "test.keep"(%s, %t) : (memref<8xf32, strided<[1]>>, memref<8xf32, strided<[1], offset: 8>>) -> ()
  "test.keep"(%s2) : (memref<4xf32, strided<[1]>>) -> ()
  lifetime.end %t : memref<8xf32, strided<[1], offset: 8>>
  lifetime.end %s : memref<8xf32, strided<[1]>>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// The same bytes by two names while one life lasts: they stay the same view.
// CHECK-LABEL: func.func @both_names(
// CHECK: memref.alloc() {{.*}} : memref<32xi8>
func.func @both_names(%x: f32, %i: index, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %c = memref.cast %a : memref<8xf32> to memref<?xf32>
  lifetime.start %c : memref<?xf32>
  memref.store %x, %a[%i] : memref<8xf32>
  memref.copy %c, %out : memref<?xf32> to memref<8xf32>
  lifetime.end %c : memref<?xf32>
  lifetime.start %b : memref<8xf32>
  "test.keep"(%b) : (memref<8xf32>) -> ()
  lifetime.end %b : memref<8xf32>
  lifetime.start %c : memref<?xf32>
  memref.store %x, %c[%i] : memref<?xf32>
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  lifetime.end %c : memref<?xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
