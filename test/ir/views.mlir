// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// A view keeps its buffer alive until the view's last use: each %a is last named before %b is
// written and last read after it, so the two cannot share.

// CHECK-LABEL: func @subview
func.func @subview(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8x8xf32>)
  %s = memref.subview %a[1, 2] [2, 2] [1, 1] : memref<8x8xf32> to memref<2x2xf32, strided<[8, 1], offset: 10>>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c0, %c1] : memref<2x2xf32, strided<[8, 1], offset: 10>>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @subview_of_subview
func.func @subview_of_subview(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8x8xf32>)
  %s0 = memref.subview %a[1, 2] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 10>>
  %s = memref.subview %s0[%c1, %c1] [1, 2] [1, 1] : memref<4x4xf32, strided<[8, 1], offset: 10>> to memref<1x2xf32, strided<[8, 1], offset: ?>>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c0, %c1] : memref<1x2xf32, strided<[8, 1], offset: ?>>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @cast
func.func @cast(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.cast %a : memref<64xf32> to memref<?xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1] : memref<?xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @cast_to_unranked
func.func @cast_to_unranked(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %u = memref.cast %a : memref<64xf32> to memref<*xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %s = memref.cast %u : memref<*xf32> to memref<64xf32>
  %v = memref.load %s[%c1] : memref<64xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @reinterpret_cast
func.func @reinterpret_cast(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32> to memref<8x8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1, %c1] : memref<8x8xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @expand_shape
func.func @expand_shape(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1, %c1] : memref<8x8xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @collapse_shape
func.func @collapse_shape(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8x8xf32>)
  %s = memref.collapse_shape %a [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1] : memref<64xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @reshape
func.func @reshape(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %shape = memref.alloca() : memref<2xindex>
  %s = memref.reshape %a(%shape) : (memref<64xf32>, memref<2xindex>) -> memref<8x8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1, %c1] : memref<8x8xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// It does not say that it is a view.

// CHECK-LABEL: func @transpose
func.func @transpose(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<4x16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4x16xf32>)
  %s = memref.transpose %a (i, j) -> (j, i) : memref<4x16xf32> to memref<16x4xf32, strided<[1, 16]>>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1, %c1] : memref<16x4xf32, strided<[1, 16]>>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<4x16xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @view
func.func @view(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %yes = arith.constant true
  %bytes = memref.alloca() : memref<256xi8>
  %s = memref.view %bytes[%c0][] : memref<256xi8> to memref<64xf32>
  %t = arith.select %yes, %s, %a : memref<64xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %t[%c1] : memref<64xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @memory_space_cast
func.func @memory_space_cast(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.memory_space_cast %a : memref<64xf32> to memref<64xf32, 1>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1] : memref<64xf32, 1>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @assume_alignment
func.func @assume_alignment(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.assume_alignment %a, 16 : memref<64xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1] : memref<64xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @extract_strided_metadata
func.func @extract_strided_metadata(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<64xf32> -> memref<f32>, index, index, index
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %base[] : memref<f32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// CHECK-LABEL: func @select
func.func @select(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %yes = arith.constant true
  %other = memref.alloca() : memref<64xf32>
  %s = arith.select %yes, %a, %other : memref<64xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c1] : memref<64xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// Promising that two memrefs are different allocations is a promise that sharing would break.

// CHECK-LABEL: func @distinct_objects
func.func @distinct_objects(%x: f32, %p: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "distinct-object"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s, %q = memref.distinct_objects %a, %p : memref<64xf32>, memref<64xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c0] : memref<64xf32>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// A memref that unknown arithmetic on offsets made is still the same memory.

// CHECK-LABEL: func @through_metadata
func.func @through_metadata(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<64xf32> -> memref<f32>, index, index, index
  %s = memref.reinterpret_cast %base to offset: [%offset], sizes: [32], strides: [2] : memref<f32> to memref<32xf32, strided<[2], offset: ?>>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %v = memref.load %s[%c0] : memref<32xf32, strided<[2], offset: ?>>
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// A view that nothing uses any more keeps nothing alive: the two share.

// CHECK-LABEL: func @dead_view
func.func @dead_view(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.cast %a : memref<64xf32> to memref<?xf32>
  %v = memref.load %s[%c0] : memref<?xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  %w = memref.load %b[%c0] : memref<64xf32>
  %sum = arith.addf %v, %w : f32
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return %sum : f32
}

// An op that only reads the shape does not keep the memory alive, and one that asks for it may.

// CHECK-LABEL: func @dim
func.func @dim(%x: f32) -> index {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %s = memref.cast %a : memref<64xf32> to memref<?xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  %d = memref.dim %s, %c0 : memref<?xf32>
  return %d : index
}
