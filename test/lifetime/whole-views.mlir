// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A life of a view that is all of an alloca is a life of the alloca.

// RUN: stowage-opt %s --convert-lifetime-to-llvm=prepare | FileCheck %s
// RUN: stowage-opt %s --lower-lifetimes-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -pass-remarks-analysis=prologepilog -o /dev/null 2>&1 | FileCheck %s --check-prefix=FRAME

// CHECK-LABEL: func @cast
// CHECK: %[[A:.*]] = memref.alloca
// CHECK: %[[B:.*]] = memref.alloca
// CHECK: lifetime.start %[[A]] {whole}
// CHECK: lifetime.end %[[A]] {whole}
// CHECK: lifetime.start %[[B]] {whole}
// CHECK: lifetime.end %[[B]] {whole}
// FRAME: {{ 128}} stack bytes in function 'cast'
func.func @cast(%x: memref<64xf32>) {
  %a = memref.alloca() : memref<64xf32>
  %d = memref.cast %a : memref<64xf32> to memref<?xf32>
  %b = memref.alloca() : memref<64xf32>
  lifetime.start %d : memref<?xf32>
  memref.copy %x, %d : memref<64xf32> to memref<?xf32>
  memref.copy %d, %x : memref<?xf32> to memref<64xf32>
  lifetime.end %d : memref<?xf32>
  lifetime.start %b : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  lifetime.end %b : memref<64xf32>
  return
}

// CHECK-LABEL: func @shapes
// CHECK: %[[A:.*]] = memref.alloca() : memref<4x8xf32>
// CHECK-COUNT-7: lifetime.start %[[A]] {whole}
// CHECK: return
func.func @shapes(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<4x8xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x8xf32> into memref<32xf32>
  %deep = memref.expand_shape %flat [[0, 1]] output_shape [2, 16] : memref<32xf32> into memref<2x16xf32>
  %turned = memref.transpose %a (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
  %part = memref.subview %a[0, 0] [4, 8] [1, 1] : memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  %again = memref.reinterpret_cast %flat to offset: [0], sizes: [8, 4], strides: [4, 1] : memref<32xf32> to memref<8x4xf32>
  %open = memref.cast %flat : memref<32xf32> to memref<?xf32>
  %wide = memref.expand_shape %open [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
  lifetime.start %flat : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%flat : memref<32xf32>)
  lifetime.end %flat : memref<32xf32>
  lifetime.start %deep : memref<2x16xf32>
  linalg.fill ins(%x : f32) outs(%deep : memref<2x16xf32>)
  lifetime.end %deep : memref<2x16xf32>
  lifetime.start %turned : memref<8x4xf32, strided<[1, 8]>>
  linalg.fill ins(%x : f32) outs(%turned : memref<8x4xf32, strided<[1, 8]>>)
  lifetime.end %turned : memref<8x4xf32, strided<[1, 8]>>
  lifetime.start %part : memref<4x8xf32, strided<[8, 1]>>
  linalg.fill ins(%x : f32) outs(%part : memref<4x8xf32, strided<[8, 1]>>)
  lifetime.end %part : memref<4x8xf32, strided<[8, 1]>>
  lifetime.start %again : memref<8x4xf32>
  linalg.fill ins(%x : f32) outs(%again : memref<8x4xf32>)
  lifetime.end %again : memref<8x4xf32>
  lifetime.start %wide : memref<?x4xf32>
  linalg.fill ins(%x : f32) outs(%wide : memref<?x4xf32>)
  lifetime.end %wide : memref<?x4xf32>
  %live = lifetime.start %open : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%live : memref<?xf32>)
  lifetime.end %live : memref<?xf32>
  return
}

// CHECK-LABEL: func @space_and_size
// CHECK: %[[A:.*]] = memref.alloca(%{{.*}}) : memref<?xf32, 1>
// CHECK: lifetime.start %[[A]] {whole}
// CHECK: lifetime.end %[[A]] {whole}
func.func @space_and_size(%x: f32, %n: index) {
  %a = memref.alloca(%n) : memref<?xf32, 1>
  %s = memref.memory_space_cast %a : memref<?xf32, 1> to memref<?xf32>
  %d = memref.cast %s : memref<?xf32> to memref<*xf32>
  lifetime.start %d : memref<*xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<?xf32>)
  lifetime.end %d : memref<*xf32>
  return
}

// A part, also where its type no longer says so, and one of two buffers do not reach LLVM.
// CHECK-LABEL: func @parts
// CHECK-NOT: lifetime
// CHECK: return
func.func @parts(%x: f32, %c: i1) {
  %a = memref.alloca() : memref<32xf32>
  %b = memref.alloca() : memref<32xf32>
  %e = memref.alloca() : memref<32xf32>
  %f = memref.alloca() : memref<32xf32>
  %half = memref.subview %a[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
  %open = memref.cast %half : memref<16xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  lifetime.start %open : memref<?xf32, strided<[1]>>
  linalg.fill ins(%x : f32) outs(%open : memref<?xf32, strided<[1]>>)
  lifetime.end %open : memref<?xf32, strided<[1]>>
  %late = memref.reinterpret_cast %b to offset: [16], sizes: [16], strides: [1] : memref<32xf32> to memref<16xf32, strided<[1], offset: 16>>
  lifetime.start %late : memref<16xf32, strided<[1], offset: 16>>
  linalg.fill ins(%x : f32) outs(%late : memref<16xf32, strided<[1], offset: 16>>)
  lifetime.end %late : memref<16xf32, strided<[1], offset: 16>>
  %one = arith.select %c, %e, %f : memref<32xf32>
  %either = memref.cast %one : memref<32xf32> to memref<?xf32>
  lifetime.start %either : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%either : memref<?xf32>)
  lifetime.end %either : memref<?xf32>
  return
}

// The outer life goes on where the inner one ends.
// CHECK-LABEL: func @nested
// CHECK-NOT: lifetime
// CHECK: return
func.func @nested(%x: f32, %out: memref<?xf32>) {
  %a = memref.alloca() : memref<32xf32>
  %l = lifetime.start %a : memref<32xf32>
  %d = memref.cast %l : memref<32xf32> to memref<?xf32>
  %m = lifetime.start %d : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<?xf32>)
  lifetime.end %m : memref<?xf32>
  memref.copy %d, %out : memref<?xf32> to memref<?xf32>
  lifetime.end %l : memref<32xf32>
  return
}

// CHECK-LABEL: func @nested_markers
// CHECK-NOT: lifetime
// CHECK: return
func.func @nested_markers(%x: f32, %out: memref<?xf32>) {
  %a = memref.alloca() : memref<32xf32>
  %d = memref.cast %a : memref<32xf32> to memref<?xf32>
  lifetime.start %a : memref<32xf32>
  lifetime.start %d : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?xf32>)
  lifetime.end %d : memref<?xf32>
  memref.copy %a, %out : memref<32xf32> to memref<?xf32>
  lifetime.end %a : memref<32xf32>
  return
}
