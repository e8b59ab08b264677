// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc -o %t.once
// RUN: stowage-opt %t.once --merge-alloc | diff %t.once -
// RUN: stowage-opt %s --merge-alloc=lend-results=false | FileCheck %s --check-prefix=APART
// RUN: stowage-opt %s --merge-alloc=analysis-only | FileCheck %s --check-prefix=LIVES
// RUN: stowage-opt %s --merge-alloc --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --merge-alloc=report=json:%t.json -o %t
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: stowage-opt %s --merge-alloc=report=text -o %t 2>&1 | FileCheck %s --check-prefix=TEXT

// The first two buffers are dead before the result is touched: they lie in it, and the arena has the third alone.

// CHECK-LABEL: func @early
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    %[[R:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
// CHECK:         %[[A:.*]] = memref.view %[[R]][%{{.*}}][] : memref<4096xi8> to memref<64xf32>
// CHECK:         linalg.exp ins(%arg0 : {{.*}} outs(%[[A]] :
// CHECK:         %[[B:.*]] = memref.view %[[R]]
// CHECK:         linalg.exp ins(%[[A]] : {{.*}} outs(%[[B]] :
// CHECK:         %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK:         %[[RESULT:.*]] = memref.view %[[R]][%{{.*}}][] : memref<4096xi8> to memref<1024xf32>
// CHECK:         linalg.fill {{.*}} outs(%[[RESULT]] :
// CHECK:         memref.dealloc %[[ARENA]]
// CHECK-NEXT:    return %[[RESULT]]
// APART-LABEL: func @early
// APART:         memref.alloc() {{.*}} : memref<512xi8>
// APART:         memref.alloc() : memref<1024xf32>
// LIVES-LABEL: func @early
// LIVES:         stowage.lent_by = 0 : i64, stowage.life = {{.*}} stowage.offset
// LIVES:         stowage.lent_by = 0 : i64, stowage.life = {{.*}} stowage.offset
// LIVES:         alloc() {alignment = 64 : i64, stowage.life
// LIVES:         stowage.left_alone = "returned", stowage.lends = 0
// REMARK: lend.mlir:[[@LINE+6]]:{{.*}} [Passed] arena {{.*}}1 buffers of 256 bytes put into one arena of 256 bytes
// REMARK: lend.mlir:[[@LINE+5]]:{{.*}} [Passed] lent {{.*}}2 buffers of 512 bytes put into a result of 4096 bytes that is not yet written
// TEXT: early  (
// TEXT: early, in the bytes of %alloc_2  (
// JSON: "within": "",
// JSON: "within": "%alloc_2",
func.func @early(%x: memref<64xf32>) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%cst : f32) outs(%r : memref<1024xf32>)
  %s = memref.subview %r[0] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1]>>
  linalg.exp ins(%c : memref<64xf32>) outs(%s : memref<64xf32, strided<[1]>>)
  return %r : memref<1024xf32>
}

// All of the arena: none is made.

// CHECK-LABEL: func @all
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
// CHECK-NOT:     memref.alloc()
// CHECK-NOT:     dealloc
// CHECK:         return
func.func @all(%x: memref<64xf32>, %y: memref<64xf32>) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<1024xf32>
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.fill ins(%cst : f32) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}

// The result is touched first, by a name of it.

// CHECK-LABEL: func @touched
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK:         memref.alloc() : memref<1024xf32>
func.func @touched(%x: memref<64xf32>, %y: memref<64xf32>) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %r = memref.alloc() : memref<1024xf32>
  %s = memref.expand_shape %r [[0, 1]] output_shape [2, 512] : memref<1024xf32> into memref<2x512xf32>
  linalg.fill ins(%cst : f32) outs(%s : memref<2x512xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return %r : memref<1024xf32>
}

// Two results, each as long as it is not touched.

// CHECK-LABEL: func @two
// CHECK:         %[[R:.*]] = memref.alloc() {{.*}} : memref<1024xi8>
// CHECK:         %[[S:.*]] = memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
// LIVES-LABEL: func @two
// LIVES:         stowage.lent_by = [[R:[0-9]+]]
// LIVES:         stowage.lent_by = [[S:[0-9]+]]
// LIVES:         stowage.lends = [[R]]
// LIVES:         stowage.lends = [[S]]
func.func @two(%x: memref<64xf32>, %y: memref<128xf32>) -> (memref<256xf32>, memref<128xf32>) {
  %cst = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<256xf32>
  linalg.fill ins(%cst : f32) outs(%a : memref<256xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<128xf32>
  %part = memref.subview %a[0] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1]>>
  linalg.exp ins(%part : memref<128xf32, strided<[1]>>) outs(%b : memref<128xf32>)
  %r = memref.alloc() : memref<256xf32>
  linalg.fill ins(%cst : f32) outs(%r : memref<256xf32>)
  %s = memref.alloc() : memref<128xf32>
  linalg.exp ins(%b : memref<128xf32>) outs(%y : memref<128xf32>)
  linalg.fill ins(%cst : f32) outs(%s : memref<128xf32>)
  return %r, %s : memref<256xf32>, memref<128xf32>
}

// What comes between takes memory from the heap for a time: a result that is there already would be added to it.

// CHECK-LABEL: func @calls
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK:         call @touched
// CHECK:         memref.alloc() : memref<1024xf32>
func.func @calls(%x: memref<64xf32>, %y: memref<64xf32>) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %0 = call @touched(%a, %y) : (memref<64xf32>, memref<64xf32>) -> memref<1024xf32>
  memref.dealloc %0 : memref<1024xf32>
  %r = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.fill ins(%cst : f32) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}

// What a call returned is there when the first buffer is made, and is freed before the result is: made with that buffer,
// the result would be added to it. The second buffer is made when it is gone.

// CHECK-LABEL: func @given
// CHECK:         call @touched
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK:         memref.dealloc
// CHECK:         %[[RESULT:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
// CHECK:         memref.view %[[RESULT]]{{.*}} to memref<96xf32>
// CHECK:         memref.view %[[RESULT]]{{.*}} to memref<1024xf32>
func.func @given(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<96xf32>) -> memref<1024xf32> {
  %c0 = arith.constant 0 : index
  %0 = call @touched(%x, %y) : (memref<64xf32>, memref<64xf32>) -> memref<1024xf32>
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %v = memref.load %0[%c0] : memref<1024xf32>
  memref.dealloc %0 : memref<1024xf32>
  %c = memref.alloc() {alignment = 64 : i64} : memref<96xf32>
  linalg.exp ins(%z : memref<96xf32>) outs(%c : memref<96xf32>)
  linalg.exp ins(%c : memref<96xf32>) outs(%z : memref<96xf32>)
  %r = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.fill ins(%v : f32) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK:         memref.alloc(%arg2) : memref<?xf32>
// CHECK:         memref.alloc() : memref<1024xf32>
func.func @dynamic(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%cst : f32) outs(%d : memref<?xf32>)
  %r = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.fill ins(%cst : f32) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}

// Made on some paths only: it lends to what is made on the same paths.

// CHECK-LABEL: func @branch
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK:         scf.if
// CHECK:           %[[R:.*]] = memref.alloc() {{.*}} : memref<1024xi8>
// CHECK:           memref.view %[[R]][%{{.*}}][] : memref<1024xi8> to memref<128xf32>
// CHECK:         else
// CHECK:           memref.alloc() : memref<256xf32>
func.func @branch(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<128xf32>, %bit: i1) -> memref<256xf32> {
  %cst = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %0 = scf.if %bit -> memref<256xf32> {
    %b = memref.alloc() {alignment = 64 : i64} : memref<128xf32>
    linalg.fill ins(%cst : f32) outs(%b : memref<128xf32>)
    linalg.exp ins(%b : memref<128xf32>) outs(%z : memref<128xf32>)
    %r = memref.alloc() : memref<256xf32>
    linalg.fill ins(%cst : f32) outs(%r : memref<256xf32>)
    scf.yield %r : memref<256xf32>
  } else {
    %r = memref.alloc() : memref<256xf32>
    linalg.fill ins(%cst : f32) outs(%r : memref<256xf32>)
    scf.yield %r : memref<256xf32>
  }
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return %0 : memref<256xf32>
}

// Its address gets away before it is returned.

// CHECK-LABEL: func @stored
// CHECK:         memref.alloc() : memref<1024xf32>
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
func.func @stored(%x: memref<64xf32>, %y: memref<64xf32>, %keep: memref<memref<1024xf32>>) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<1024xf32>
  memref.store %r, %keep[] : memref<memref<1024xf32>>
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.fill ins(%cst : f32) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}

// The one of the last iteration is returned; in each iteration it is touched after the buffer is dead, but it lives on
// into the next.

// CHECK-LABEL: func @carried
// CHECK:         memref.alloc() {{.*}} : memref<256xi8>
// CHECK:         scf.for
// CHECK:           memref.alloc() : memref<1024xf32>
func.func @carried(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) -> memref<1024xf32> {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%cst : f32) outs(%first : memref<1024xf32>)
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %first) -> memref<1024xf32> {
    %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
    %r = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%last : memref<1024xf32>) outs(%r : memref<1024xf32>)
    scf.yield %r : memref<1024xf32>
  }
  return %0 : memref<1024xf32>
}

// A capacity is judged with what lies in results.

// RUN: stowage-opt %s --merge-alloc=capacity-in-bytes=256 | FileCheck %s --check-prefix=FITS
// RUN: not stowage-opt %s --merge-alloc='capacity-in-bytes=256 lend-results=false' -o %t 2>&1 | FileCheck %s --check-prefix=EXCEEDS
// FITS: func @early
// EXCEEDS: need 512 bytes, but capacity-in-bytes is 256
