// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse --canonicalize | FileCheck %s --check-prefix=FOLDED

// A clone may share its source's memory, and upstream folds it so. Where the source is planned and the
// clone is not, its slice is written again while the clone lives: the clone must become a real copy,
// or the source must stay.

// CHECK-LABEL: func @chain
// CHECK-NOT:     bufferization.clone %view
// CHECK-NOT:     bufferization.clone %cast
// CHECK:         return
func.func @chain(%x: f32, %y: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %ac = memref.cast %a : memref<16xf32> to memref<?xf32>
  %b = bufferization.clone %ac : memref<?xf32> to memref<?xf32>
  %b2 = bufferization.clone %b : memref<?xf32> to memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %a : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %y, %d[%c0] : memref<16xf32>
  %w = memref.load %d[%c0] : memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  %v = memref.load %b2[%c0] : memref<?xf32>
  memref.dealloc %b2 : memref<?xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

// CHECK-LABEL: func @ret
// CHECK:         %[[COPY:.*]] = memref.alloc() : memref<16xf32>
// CHECK-NEXT:    memref.copy %{{.*}}, %[[COPY]]
// CHECK:         return %[[COPY]]
// FOLDED-LABEL: func @ret
// FOLDED:         %[[COPY:.*]] = memref.alloc() : memref<16xf32>
// FOLDED:         memref.copy %{{.*}}, %[[COPY]]
// FOLDED:         return %[[COPY]]
func.func @ret(%x: f32, %y: f32, %q: memref<16xf32>) -> memref<16xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %b = bufferization.clone %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %y, %d[%c0] : memref<16xf32>
  memref.copy %d, %q : memref<16xf32> to memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  return %b : memref<16xf32>
}

// CHECK-LABEL: func @sel
// CHECK:         %[[COPY:.*]] = memref.alloc() : memref<16xf32>
// CHECK-NEXT:    memref.copy %{{.*}}, %[[COPY]]
// CHECK:         return %[[COPY]]
func.func @sel(%x: f32, %y: f32, %q: memref<16xf32>, %c: i1) -> memref<16xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %s = arith.select %c, %a, %q : memref<16xf32>
  %b = bufferization.clone %s : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %y, %d[%c0] : memref<16xf32>
  memref.copy %d, %q : memref<16xf32> to memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  return %b : memref<16xf32>
}

// No alloc can be written for these types: the source stays.

// CHECK-LABEL: func @str
// CHECK-NOT:     memref.view
// CHECK:         bufferization.clone
func.func @str(%x: f32, %y: f32, %o: index) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %s = memref.subview %a[%o] [4] [%o] : memref<16xf32> to memref<4xf32, strided<[?], offset: ?>>
  %b = bufferization.clone %s : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
  memref.dealloc %a : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %y, %d[%c0] : memref<16xf32>
  %w = memref.load %d[%c0] : memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  %v = memref.load %b[%c0] : memref<4xf32, strided<[?], offset: ?>>
  memref.dealloc %b : memref<4xf32, strided<[?], offset: ?>>
  %r = arith.addf %v, %w : f32
  return %r : f32
}

// CHECK-LABEL: func @unr
// CHECK-NOT:     memref.view
// CHECK:         bufferization.clone
func.func @unr(%x: f32, %y: f32, %o: index) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  %s = memref.cast %a : memref<16xf32> to memref<*xf32>
  %b = bufferization.clone %s : memref<*xf32> to memref<*xf32>
  memref.dealloc %a : memref<16xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %y, %d[%c0] : memref<16xf32>
  %w = memref.load %d[%c0] : memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  %b1 = memref.cast %b : memref<*xf32> to memref<16xf32>
  %v = memref.load %b1[%c0] : memref<16xf32>
  memref.dealloc %b : memref<*xf32>
  %r = arith.addf %v, %w : f32
  return %r : f32
}
