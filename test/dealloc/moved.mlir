// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// What one iteration allocates, the next one or the end frees: no bit, no clone.

// CHECK-LABEL: func.func @nest(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG2:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG3:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (memref<4xf32>) {
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = scf.for %[[ARG4:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG5:[A-Za-z0-9_]+]] = %[[ARG3]]) -> (memref<4xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG5]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG5]] : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V1]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @nest(%n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (memref<4xf32>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (memref<4xf32>) {
      %next = memref.alloc() : memref<4xf32>
      memref.copy %y, %next : memref<4xf32> to memref<4xf32>
      scf.yield %next : memref<4xf32>
    }
    scf.yield %s : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @affine(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = affine.for %[[ARG2]] = 0 to %[[ARG0]] iter_args(%[[ARG3:[A-Za-z0-9_]+]] = %[[ALLOC]]) -> (memref<4xf32>) {
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ARG3]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG3]] : memref<4xf32>
// CHECK-NEXT: affine.yield %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @affine(%n: index, %out: memref<4xf32>) {
  %first = memref.alloc() : memref<4xf32>
  %r = affine.for %i = 0 to %n iter_args(%x = %first) -> (memref<4xf32>) {
    %next = memref.alloc() : memref<4xf32>
    memref.copy %x, %next : memref<4xf32> to memref<4xf32>
    affine.yield %next : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: cf.br ^bb1(%[[C0]], %[[ALLOC]] : index, memref<4xf32>)
// CHECK-NEXT: ^bb1(%[[V0:[A-Za-z0-9_]+]]: index, %[[V1:[A-Za-z0-9_]+]]: memref<4xf32>):
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.cmpi slt, %[[V0]], %[[ARG0]] : index
// CHECK-NEXT: cf.cond_br %[[V2]], ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[V1]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<4xf32>
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = arith.addi %[[V0]], %[[C1]] : index
// CHECK-NEXT: cf.br ^bb1(%[[V3]], %[[ALLOC_0]] : index, memref<4xf32>)
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: memref.copy %[[V1]], %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V1]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @blocks(%n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xf32>
  cf.br ^head(%c0, %first : index, memref<4xf32>)
^head(%i: index, %x: memref<4xf32>):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^end
^body:
  %next = memref.alloc() : memref<4xf32>
  memref.copy %x, %next : memref<4xf32> to memref<4xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %next : index, memref<4xf32>)
^end:
  memref.copy %x, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @swapped(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]]:2 = scf.for %[[ARG2:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG3:[A-Za-z0-9_]+]] = %[[ALLOC]], %[[ARG4:[A-Za-z0-9_]+]] = %[[ALLOC_0]]) -> (memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: memref.copy %[[ARG3]], %[[ARG4]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: scf.yield %[[ARG4]], %[[ARG3]] : memref<4xf32>, memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[V0]]#1 : memref<4xf32>
// CHECK-NEXT: memref.copy %[[V0]]#0, %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]]#0 : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @swapped(%n: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (memref<4xf32>, memref<4xf32>) {
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    scf.yield %y, %x : memref<4xf32>, memref<4xf32>
  }
  memref.copy %r#0, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @made_where_the_loop_ends(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.while (%[[ARG3:[A-Za-z0-9_]+]] = %[[C0]]) : (index) -> memref<4xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[ARG3]]] : memref<4xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = arith.cmpi slt, %[[ARG3]], %[[ARG0]] : index
// CHECK-NEXT: scf.condition(%[[V1]]) %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[ARG3:[A-Za-z0-9_]+]]: memref<4xf32>):
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[ARG3]][%[[C1]]] : memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ARG3]] : memref<4xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.fptosi %[[V1]] : f32 to i64
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = arith.index_cast %[[V2]] : i64 to index
// CHECK-NEXT: scf.yield %[[V3]] : index
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG2]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @made_where_the_loop_ends(%n: index, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0) : (index) -> memref<4xf32> {
    %own = memref.alloc() : memref<4xf32>
    memref.store %x, %own[%i] : memref<4xf32>
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %own : memref<4xf32>
  } do {
  ^bb0(%own: memref<4xf32>):
    %v = memref.load %own[%c1] : memref<4xf32>
    %k = arith.fptosi %v : f32 to i64
    %i = arith.index_cast %k : i64 to index
    scf.yield %i : index
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @switch(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: f32, %[[ARG2:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.index_switch %[[ARG0]] -> memref<4xf32>
// CHECK-NEXT: case 0 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[C0]]] : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: case 1 {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC_0]][%[[C0]]] : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ALLOC_0]], %[[ALLOC]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG2]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @switch(%n: index, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %r = scf.index_switch %n -> memref<4xf32>
  case 0 {
    %own = memref.alloc() : memref<4xf32>
    memref.store %x, %own[%c0] : memref<4xf32>
    scf.yield %own : memref<4xf32>
  }
  case 1 {
    %own = memref.alloc() : memref<4xf32>
    %other = memref.alloc() : memref<4xf32>
    memref.store %x, %other[%c0] : memref<4xf32>
    memref.copy %other, %own : memref<4xf32> to memref<4xf32>
    scf.yield %own : memref<4xf32>
  }
  default {
    %own = memref.alloc() : memref<4xf32>
    scf.yield %own : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @execute_region(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<4xf32>) {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.execute_region -> memref<4xf32> {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[ALLOC]], %[[ALLOC_0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4xf32>
// CHECK-NEXT: scf.yield %[[ALLOC_0]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG1]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: memref.dealloc %[[V0]] : memref<4xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @execute_region(%c: i1, %out: memref<4xf32>) {
  %r = scf.execute_region -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    cf.cond_br %c, ^x, ^y
  ^x:
    scf.yield %a : memref<4xf32>
  ^y:
    %b = memref.alloc() : memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: f32, %[[ARG1:[A-Za-z0-9_]+]]: index) -> f32 {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<4x4xf32>
// CHECK-NEXT: memref.store %[[ARG0]], %[[ALLOC]][%[[ARG1]], %[[ARG1]]] : memref<4x4xf32>
// CHECK-NEXT: %[[SUBVIEW:[A-Za-z0-9_]+]] = memref.subview %[[ALLOC]][0, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1]>>
// CHECK-NEXT: %[[TRANSPOSE:[A-Za-z0-9_]+]] = memref.transpose %[[SUBVIEW]] (d0, d1) -> (d1, d0) : memref<2x4xf32, strided<[4, 1]>> to memref<4x2xf32, strided<[1, 4]>>
// CHECK-NEXT: %[[REINTERPRET_CAST:[A-Za-z0-9_]+]] = memref.reinterpret_cast %[[ALLOC]] to offset: [0], sizes: [16], strides: [1] : memref<4x4xf32> to memref<16xf32>
// CHECK-NEXT: %[[EXPAND_SHAPE:[A-Za-z0-9_]+]] = memref.expand_shape %[[REINTERPRET_CAST]] {{\[\[}}0, 1]] output_shape [8, 2] : memref<16xf32> into memref<8x2xf32>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = memref.load %[[TRANSPOSE]][%[[ARG1]], %[[C0]]] : memref<4x2xf32, strided<[1, 4]>>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[EXPAND_SHAPE]][%[[ARG1]], %[[C0]]] : memref<8x2xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<4x4xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.addf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: return %[[V2]] : f32
// CHECK-NEXT: }
func.func @views(%x: f32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %own = memref.alloc() : memref<4x4xf32>
  memref.store %x, %own[%i, %i] : memref<4x4xf32>
  %rows = memref.subview %own[0, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1]>>
  %columns = memref.transpose %rows (a, b) -> (b, a) : memref<2x4xf32, strided<[4, 1]>> to memref<4x2xf32, strided<[1, 4]>>
  %flat = memref.reinterpret_cast %own to offset: [0], sizes: [16], strides: [1] : memref<4x4xf32> to memref<16xf32>
  %pairs = memref.expand_shape %flat [[0, 1]] output_shape [8, 2] : memref<16xf32> into memref<8x2xf32>
  %v = memref.load %columns[%i, %c0] : memref<4x2xf32, strided<[1, 4]>>
  %w = memref.load %pairs[%i, %c0] : memref<8x2xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}
