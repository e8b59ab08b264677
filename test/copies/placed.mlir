// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What becomes a part of what it is copied into, and what then has no copy.

// RUN: stowage-opt %s --split-input-file --elide-copies | FileCheck %s
// RUN: stowage-opt %s --split-input-file --elide-copies --elide-copies | FileCheck %s

// A frame: its fill stands before the first op that writes the middle.

// CHECK-LABEL: func.func @frame
// CHECK: %[[B:.*]] = memref.alloc() : memref<6x6xf32>
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[B]][1, 1] [4, 4]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[B]]
// CHECK-NEXT: linalg.exp {{.*}} outs(%[[PART]]
// CHECK-NEXT: linalg.abs ins(%[[PART]] {{.*}} outs(%[[PART]]
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloc
// CHECK: linalg.matmul ins(%[[B]], %[[B]]
func.func @frame(%x: memref<4x4xf32>, %y: memref<6x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %c = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%a : memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<6x6xf32>)
  %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  memref.copy %c, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.matmul ins(%b, %b : memref<6x6xf32>, memref<6x6xf32>) outs(%y : memref<6x6xf32>)
  return
}

// -----

// Two side by side, and what they make is itself a part.

// CHECK-LABEL: func.func @nested
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @nested(%x: memref<4x4xf32>, %y: memref<4x10xf32>) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %ab = memref.alloc() : memref<4x8xf32>
  %left = memref.subview %ab[0, 0] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  %right = memref.subview %ab[0, 4] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  memref.copy %a, %left : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1]>>
  memref.copy %b, %right : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  %c = memref.alloc() : memref<4x10xf32>
  %most = memref.subview %c[0, 0] [4, 8] [1, 1] : memref<4x10xf32> to memref<4x8xf32, strided<[10, 1]>>
  %rest = memref.subview %c[0, 8] [4, 2] [1, 1] : memref<4x10xf32> to memref<4x2xf32, strided<[10, 1], offset: 8>>
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%rest : memref<4x2xf32, strided<[10, 1], offset: 8>>)
  memref.copy %ab, %most : memref<4x8xf32> to memref<4x8xf32, strided<[10, 1]>>
  linalg.exp ins(%c : memref<4x10xf32>) outs(%y : memref<4x10xf32>)
  return
}

// -----

// A row in each iteration, of a size that is known at run time.

// CHECK-LABEL: func.func @rows
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) : memref<?x8xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: %[[ROW:.*]] = memref.subview %[[B]]
// CHECK-NEXT: linalg.exp {{.*}} outs(%[[ROW]]
// CHECK-NEXT: }
func.func @rows(%x: memref<1x8xf32>, %n: index, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc(%n) : memref<?x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<1x8xf32>
    linalg.exp ins(%x : memref<1x8xf32>) outs(%a : memref<1x8xf32>)
    %row = memref.subview %b[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.copy %a, %row : memref<1x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  memref.copy %b, %y : memref<?x8xf32> to memref<?x8xf32>
  memref.dealloc %b : memref<?x8xf32>
  return
}

// -----

// Views of the source get the part's strides, and what is freed is freed once, last.

// CHECK-LABEL: func.func @views
// CHECK: %[[B:.*]] = memref.alloc() : memref<2x6x4xf32>
// CHECK: %[[PART:.*]] = memref.subview %[[B]][0, 1, 0] [2, 4, 4]
// CHECK: memref.expand_shape %[[PART]] {{.*}} into memref<2x2x2x4xf32, strided<[24, 8, 4, 1], offset: 4>>
// CHECK: linalg.exp {{.*}} outs(%[[PART]]
// CHECK-COUNT-1: memref.dealloc %[[B]]
// CHECK-NOT: memref.dealloc
func.func @views(%x: memref<2x4x4xf32>, %y: memref<2x6x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<2x4x4xf32>
  %apart = memref.expand_shape %a [[0], [1, 2], [3]] output_shape [2, 2, 2, 4] : memref<2x4x4xf32> into memref<2x2x2x4xf32>
  linalg.exp ins(%x : memref<2x4x4xf32>) outs(%a : memref<2x4x4xf32>)
  linalg.abs ins(%apart : memref<2x2x2x4xf32>) outs(%apart : memref<2x2x2x4xf32>)
  %b = memref.alloc() : memref<2x6x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<2x6x4xf32>)
  %part = memref.subview %b[0, 1, 0] [2, 4, 4] [1, 1, 1] : memref<2x6x4xf32> to memref<2x4x4xf32, strided<[24, 4, 1], offset: 4>>
  memref.copy %a, %part : memref<2x4x4xf32> to memref<2x4x4xf32, strided<[24, 4, 1], offset: 4>>
  memref.dealloc %a : memref<2x4x4xf32>
  linalg.exp ins(%b : memref<2x6x4xf32>) outs(%y : memref<2x6x4xf32>)
  memref.dealloc %b : memref<2x6x4xf32>
  return
}

// -----

// Each allocation's alignment holds at the address that both have.

// CHECK-LABEL: func.func @aligned
// CHECK: memref.alloc() {alignment = 256 : i64} : memref<8xf32>
// CHECK-NOT: memref.alloc
func.func @aligned(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() {alignment = 256 : i64} : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

// Who reads what was filled before it is written reads the value, and the fill stands before the
// first op that writes.

// CHECK-LABEL: func.func @filled_for_all
// CHECK: %[[START:.*]] = memref.alloc() : memref<8x8xf32>
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : f32)
// CHECK: linalg.matmul
// CHECK: linalg.fill {{.*}} outs(%[[START]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[START]]
func.func @filled_for_all(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %z: memref<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %start = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%start : memref<8x8xf32>)
  %a = memref.alloc() : memref<8x8xf32>
  memref.copy %start, %a : memref<8x8xf32> to memref<8x8xf32>
  linalg.matmul ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  linalg.exp ins(%a : memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  linalg.matmul ins(%y, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%start : memref<8x8xf32>)
  linalg.exp ins(%start : memref<8x8xf32>) outs(%z : memref<8x8xf32>)
  return
}

// -----

// The shape is asked for in another block, where the copy's source becomes the buffer.

// CHECK-LABEL: func.func @asked_in_another_block(
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: memref.dim

func.func @asked_in_another_block(%bit: i1, %n: index, %v: vector<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.alloc() : memref<4xf32>
  vector.store %v, %x[%c0] : memref<4xf32>, vector<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>
  vector.print %r : vector<4xf32>
  cf.cond_br %bit, ^more, ^done(%n : index)
^more:
  %d = memref.dim %a, %c0 : memref<4xf32>
  cf.br ^done(%d : index)
^done(%e: index):
  return %e : index
}
