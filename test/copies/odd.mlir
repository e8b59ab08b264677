// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs that nobody writes, but that are valid: what is left is valid, too.

// RUN: stowage-opt %s --split-input-file --allow-unregistered-dialect --elide-copies 2>/dev/null | FileCheck %s

// An op without operands.

// CHECK-LABEL: func @no_operands
// CHECK: linalg.generic
func.func @no_operands() {
  "linalg.generic"() <{indexing_maps = [], iterator_types = [], operandSegmentSizes = array<i32: 0, 0>}> ({
    "linalg.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// Views of each other, in a block that nothing reaches.

// CHECK-LABEL: func @unreached
// CHECK-COUNT-2: memref.copy
func.func @unreached() {
  return
^bb1:
  %a = memref.alloc() : memref<4xf32>
  %v = memref.cast %w : memref<4xf32> to memref<?xf32>
  %w = memref.cast %v : memref<?xf32> to memref<4xf32>
  memref.copy %a, %w : memref<4xf32> to memref<4xf32>
  memref.copy %w, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A module in a function has names of its own: a constant beside the function is none of them.

// CHECK-LABEL: func @inside
// CHECK: memref.alloc
func.func @outside() {
  builtin.module {
    func.func @inside(%i: index) -> f32 {
      %one = arith.constant 1.0 : f32
      %b = memref.alloc() : memref<4xf32>
      linalg.fill ins(%one : f32) outs(%b : memref<4xf32>)
      %v = memref.load %b[%i] : memref<4xf32>
      return %v : f32
    }
  }
  return
}

// -----

// An op of which nothing is known may write its operand, whatever is in its regions.

// CHECK-LABEL: func @unknown
// CHECK: linalg.transpose
// CHECK: other.op
func.func @unknown(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %y = memref.alloc() : memref<4x4xf32>
  %t = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
  "other.op"(%x) ({}) : (memref<4x4xf32>) -> ()
  linalg.matmul ins(%t, %t : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return %y : memref<4x4xf32>
}

// -----

// What linalg notes of a named op's maps is not true of the op that takes its place.

// CHECK-LABEL: func @noted
// CHECK: linalg.generic
// CHECK-SAME: attrs = {{ *}}{kept} {
func.func @noted(%x: memref<1x6x6x2xf32>, %w: memref<3x3xf32>) -> memref<1x4x4x2xf32> {
  %y = memref.alloc() : memref<1x4x4x2xf32>
  %t = memref.alloc() : memref<1x6x6x2xf32>
  linalg.transpose ins(%x : memref<1x6x6x2xf32>) outs(%t : memref<1x6x6x2xf32>) permutation = [0, 2, 1, 3]
  linalg.pooling_nhwc_max {kept} ins(%t, %w : memref<1x6x6x2xf32>, memref<3x3xf32>) outs(%y : memref<1x4x4x2xf32>)
  return %y : memref<1x4x4x2xf32>
}

// -----

// A view of bytes begins where its offset says, whatever its type tells.

// CHECK-LABEL: func @bytes
// CHECK: memref.copy
func.func @bytes(%x: memref<4xf32>) -> memref<64xi8> {
  %c4 = arith.constant 4 : index
  %b = memref.alloc() : memref<64xi8>
  %a = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %sure = memref.assume_alignment %a, 64 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%sure : memref<4xf32>)
  %p = memref.view %b[%c4][] : memref<64xi8> to memref<4xf32>
  memref.copy %a, %p : memref<4xf32> to memref<4xf32>
  return %b : memref<64xi8>
}

// CHECK-LABEL: func @bytes_aligned
// CHECK: memref.alloc() {alignment = 16 : i64} : memref<64xi8>
// CHECK-NOT: memref.copy
func.func @bytes_aligned(%x: memref<4xf32>) -> memref<64xi8> {
  %c32 = arith.constant 32 : index
  %b = memref.alloc() : memref<64xi8>
  %a = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %sure = memref.assume_alignment %a, 16 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%sure : memref<4xf32>)
  %p = memref.view %b[%c32][] : memref<64xi8> to memref<4xf32>
  memref.copy %a, %p : memref<4xf32> to memref<4xf32>
  return %b : memref<64xi8>
}

// Not even the elements are aligned there.

// CHECK-LABEL: func @bytes_odd
// CHECK: memref.copy
func.func @bytes_odd(%x: memref<4xf32>, %at: index) -> memref<64xi8> {
  %b = memref.alloc() : memref<64xi8>
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %p = memref.view %b[%at][] : memref<64xi8> to memref<4xf32>
  memref.copy %a, %p : memref<4xf32> to memref<4xf32>
  return %b : memref<64xi8>
}

// -----

// Behind an unranked memref, nobody knows where the part begins.

// CHECK-LABEL: func @unranked
// CHECK: memref.copy
func.func @unranked(%n: index, %b: memref<12xf32>, %at: index) -> memref<12xf32> {
  %half = arith.constant 0.5 : f32
  %y = memref.alloc() : memref<12xf32>
  %a = memref.alloc() : memref<4xf32>
  %u = memref.cast %a : memref<4xf32> to memref<*xf32>
  %d = memref.cast %u : memref<*xf32> to memref<?xf32>
  memref.store %half, %d[%n] : memref<?xf32>
  %p = memref.subview %y[%at] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %a, %p : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  return %y : memref<12xf32>
}

// -----

// What may trap stays behind an op that may end the program.

// CHECK-LABEL: func @may_trap
// CHECK: call @check
// CHECK: arith.divui
func.func private @check(index)
func.func @may_trap(%x: memref<4xf32>, %n: index, %d: index) -> memref<?xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  call @check(%d) : (index) -> ()
  %size = arith.divui %n, %d : index
  %b = memref.alloc(%size) : memref<?xf32>
  %p = memref.subview %b[0] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %p : memref<4xf32> to memref<4xf32, strided<[1]>>
  return %b : memref<?xf32>
}

// -----

// What only a copy needed goes when that is gone: nothing is left for a second run.

// CHECK-LABEL: func @in_turn
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @in_turn(%v: f32) {
  %few = memref.alloc() : memref<4x2xf32>
  linalg.fill ins(%v : f32) outs(%few : memref<4x2xf32>)
  %row = memref.collapse_shape %few [[0, 1]] : memref<4x2xf32> into memref<8xf32>
  %many = memref.alloc() : memref<4x8xf32>
  linalg.broadcast ins(%row : memref<8xf32>) outs(%many : memref<4x8xf32>) dimensions = [0]
  return
}
