// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// What is owned on some paths only is freed by a bit, or by the condition that decided.

// CHECK-LABEL: func.func @argument_or_new(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG2:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.if %[[ARG0]] -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG1]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[ARG2]], %[[V0]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: scf.if %[[ARG0]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @argument_or_new(%c: i1, %arg: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %0 = scf.if %c -> (memref<2xf32>) {
    %1 = memref.alloc() : memref<2xf32>
    scf.yield %1 : memref<2xf32>
  } else {
    scf.yield %arg : memref<2xf32>
  }
  memref.store %x, %0[%c0] : memref<2xf32>
  return
}
// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: index, %[[ARG2:[A-Za-z0-9_]+]]: index, %[[ARG3:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG4:[A-Za-z0-9_]+]]: memref<2xf32>) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[FALSE:[A-Za-z0-9_]+]] = arith.constant false
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG5:[A-Za-z0-9_]+]] = %[[ARG0]] to %[[ARG1]] step %[[ARG2]] iter_args(%[[ARG6:[A-Za-z0-9_]+]] = %[[ARG3]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = arith.cmpi eq, %[[ARG5]], %[[ARG1]] : index
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = scf.if %[[V2]] -> (memref<2xf32>) {
// CHECK-NEXT: %[[V4:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V4]] {
// CHECK-NEXT: memref.dealloc %[[ARG6]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG6]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V3]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]], %[[ARG4]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @carried(%lb: index, %ub: index, %step: index, %buf: memref<2xf32>, %res: memref<2xf32>) {
  %0 = scf.for %i = %lb to %ub step %step iter_args(%iter = %buf) -> memref<2xf32> {
    %1 = arith.cmpi eq, %i, %ub : index
    %2 = scf.if %1 -> (memref<2xf32>) {
      %3 = memref.alloc() : memref<2xf32>
      scf.yield %3 : memref<2xf32>
    } else {
      scf.yield %iter : memref<2xf32>
    }
    scf.yield %2 : memref<2xf32>
  }
  memref.copy %0, %res : memref<2xf32> to memref<2xf32>
  return
}
// CHECK-LABEL: func.func @branch_used_later(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: i1, %[[ARG1:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.cond_br %[[ARG0]], ^bb1, ^bb2(%[[ALLOC]] : memref<2xf32>)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[ALLOC_0:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.br ^bb2(%[[ALLOC_0]] : memref<2xf32>)
// CHECK-NEXT: ^bb2(%[[V0:[A-Za-z0-9_]+]]: memref<2xf32>):
// CHECK-NEXT: memref.store %[[ARG1]], %[[V0]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: scf.if %[[ARG0]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[ARG1]], %[[ALLOC]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: memref.dealloc %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @branch_used_later(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %0 = memref.alloc() : memref<2xf32>
  cf.cond_br %c, ^bb1, ^bb2(%0 : memref<2xf32>)
^bb1:
  %1 = memref.alloc() : memref<2xf32>
  cf.br ^bb2(%1 : memref<2xf32>)
^bb2(%2: memref<2xf32>):
  memref.store %x, %2[%c0] : memref<2xf32>
  memref.store %x, %0[%c0] : memref<2xf32>
  return
}
// CHECK-LABEL: func.func @parallel_iterations(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: i1, %[[ARG2:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG3:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.parallel (%[[ARG4:[A-Za-z0-9_]+]]) = (%[[C0]]) to (%[[ARG0]]) step (%[[C1]]) {
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.if %[[ARG1]] -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG2]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[V0]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: scf.if %[[ARG1]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @parallel_iterations(%n: index, %c: i1, %arg: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = scf.if %c -> (memref<2xf32>) {
      %1 = memref.alloc() : memref<2xf32>
      scf.yield %1 : memref<2xf32>
    } else {
      scf.yield %arg : memref<2xf32>
    }
    %2 = memref.load %0[%c0] : memref<2xf32>
    scf.reduce
  }
  return
}

// Iterations that may run at once have a bit each, on the heap.

// CHECK-LABEL: func.func @parallel_carried(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG2:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[FALSE:[A-Za-z0-9_]+]] = arith.constant false
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.parallel (%[[ARG3:[A-Za-z0-9_]+]]) = (%[[C0]]) to (%[[ARG0]]) step (%[[C1]]) {
// CHECK-NEXT: %[[BIT:[A-Za-z0-9_]+]] = memref.alloc() : memref<i1>
// CHECK-NEXT: memref.store %[[FALSE]], %[[BIT]][] : memref<i1>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG4:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG5:[A-Za-z0-9_]+]] = %[[ARG1]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG5]], %[[ALLOC]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = memref.load %[[BIT]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V2]] {
// CHECK-NEXT: memref.dealloc %[[ARG5]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[TRUE]], %[[BIT]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[ARG2]], %[[V0]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[BIT]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[BIT]] : memref<i1>
// CHECK-NEXT: scf.reduce
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @parallel_carried(%n: index, %arg: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %arg) -> (memref<2xf32>) {
      %1 = memref.alloc() : memref<2xf32>
      memref.copy %y, %1 : memref<2xf32> to memref<2xf32>
      scf.yield %1 : memref<2xf32>
    }
    memref.store %x, %r[%c0] : memref<2xf32>
  }
  return
}

// Names that follow one another share a bit; two values that a loop carries have one each.

// CHECK-LABEL: func.func @own_bits(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: i1, %[[ARG2:[A-Za-z0-9_]+]]: i1, %[[ARG3:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG4:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[ALLOCA_0:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[FALSE:[A-Za-z0-9_]+]] = arith.constant false
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]]:2 = scf.for %[[ARG5:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG6:[A-Za-z0-9_]+]] = %[[ARG3]], %[[ARG7:[A-Za-z0-9_]+]] = %[[ARG3]]) -> (memref<2xf32>, memref<2xf32>) {
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = scf.if %[[ARG1]] -> (memref<2xf32>) {
// CHECK-NEXT: %[[V5:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V5]] {
// CHECK-NEXT: memref.dealloc %[[ARG6]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.store %[[ARG4]], %[[ALLOC]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG6]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V4:[A-Za-z0-9_]+]] = scf.if %[[ARG2]] -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG7]], %[[ALLOC]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V5:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V5]] {
// CHECK-NEXT: memref.dealloc %[[ARG7]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ARG7]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[V3]], %[[V4]] : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.copy %[[V0]]#0, %[[V0]]#1 : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V1]] {
// CHECK-NEXT: memref.dealloc %[[V0]]#0 {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V2]] {
// CHECK-NEXT: memref.dealloc %[[V0]]#1 {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @own_bits(%n: index, %c: i1, %d: i1, %arg: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%y = %arg, %z = %arg) -> (memref<2xf32>, memref<2xf32>) {
    %s = scf.if %c -> (memref<2xf32>) {
      %1 = memref.alloc() : memref<2xf32>
      memref.store %x, %1[%c0] : memref<2xf32>
      scf.yield %1 : memref<2xf32>
    } else {
      scf.yield %y : memref<2xf32>
    }
    %t = scf.if %d -> (memref<2xf32>) {
      %1 = memref.alloc() : memref<2xf32>
      memref.copy %z, %1 : memref<2xf32> to memref<2xf32>
      scf.yield %1 : memref<2xf32>
    } else {
      scf.yield %z : memref<2xf32>
    }
    scf.yield %s, %t : memref<2xf32>, memref<2xf32>
  }
  memref.copy %r#0, %r#1 : memref<2xf32> to memref<2xf32>
  return
}

// So do two of which one begins while the other goes on.

// CHECK-LABEL: func.func @across(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<2xf32>, %[[ARG2:[A-Za-z0-9_]+]]: f32) {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[ALLOCA_0:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[FALSE:[A-Za-z0-9_]+]] = arith.constant false
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG4:[A-Za-z0-9_]+]] = %[[ARG1]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG4]], %[[ALLOC]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V4:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V4]] {
// CHECK-NEXT: memref.dealloc %[[ARG4]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = scf.for %[[ARG3:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG4:[A-Za-z0-9_]+]] = %[[V0]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[V0]], %[[ALLOC]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG4]], %[[ALLOC]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V4:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V4]] {
// CHECK-NEXT: memref.dealloc %[[ARG4]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[ARG2]], %[[V1]][%[[C0]]] : memref<2xf32>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA_0]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V2]] {
// CHECK-NEXT: memref.dealloc %[[V0]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V3]] {
// CHECK-NEXT: memref.dealloc %[[V1]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @across(%n: index, %arg: memref<2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %arg) -> (memref<2xf32>) {
    %1 = memref.alloc() : memref<2xf32>
    memref.copy %y, %1 : memref<2xf32> to memref<2xf32>
    scf.yield %1 : memref<2xf32>
  }
  %s = scf.for %j = %c0 to %n step %c1 iter_args(%y = %r) -> (memref<2xf32>) {
    %1 = memref.alloc() : memref<2xf32>
    memref.copy %r, %1 : memref<2xf32> to memref<2xf32>
    memref.copy %y, %1 : memref<2xf32> to memref<2xf32>
    scf.yield %1 : memref<2xf32>
  }
  memref.store %x, %s[%c0] : memref<2xf32>
  return
}

// What a loop gives back is cloned where it is returned, if it is still what the loop was given.

// CHECK-LABEL: func.func @returned_loop(
// CHECK-SAME: %[[ARG0:[A-Za-z0-9_]+]]: index, %[[ARG1:[A-Za-z0-9_]+]]: memref<2xf32>) -> memref<2xf32> {
// CHECK-NEXT: %[[ALLOCA:[A-Za-z0-9_]+]] = memref.alloca() : memref<i1>
// CHECK-NEXT: %[[FALSE:[A-Za-z0-9_]+]] = arith.constant false
// CHECK-NEXT: %[[TRUE:[A-Za-z0-9_]+]] = arith.constant true
// CHECK-NEXT: %[[C0:[A-Za-z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[C1:[A-Za-z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: memref.store %[[FALSE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: %[[V0:[A-Za-z0-9_]+]] = scf.for %[[ARG2:[A-Za-z0-9_]+]] = %[[C0]] to %[[ARG0]] step %[[C1]] iter_args(%[[ARG3:[A-Za-z0-9_]+]] = %[[ARG1]]) -> (memref<2xf32>) {
// CHECK-NEXT: %[[ALLOC:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[ARG3]], %[[ALLOC]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.if %[[V3]] {
// CHECK-NEXT: memref.dealloc %[[ARG3]] {stowage.by_bit} : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %[[TRUE]], %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: scf.yield %[[ALLOC]] : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V1:[A-Za-z0-9_]+]] = memref.load %[[ALLOCA]][] : memref<i1>
// CHECK-NEXT: %[[V2:[A-Za-z0-9_]+]] = scf.if %[[V1]] -> (memref<2xf32>) {
// CHECK-NEXT: scf.yield %[[V0]] : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[V3:[A-Za-z0-9_]+]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: memref.copy %[[V0]], %[[V3]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT: scf.yield %[[V3]] : memref<2xf32>
// CHECK-NEXT: } {stowage.by_bit}
// CHECK-NEXT: return %[[V2]] : memref<2xf32>
// CHECK-NEXT: }
func.func @returned_loop(%n: index, %arg: memref<2xf32>) -> memref<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %arg) -> (memref<2xf32>) {
    %1 = memref.alloc() : memref<2xf32>
    memref.copy %y, %1 : memref<2xf32> to memref<2xf32>
    scf.yield %1 : memref<2xf32>
  }
  return %r : memref<2xf32>
}

// The condition is of a region that has been left where it would be asked.
// CHECK-LABEL: func.func @condition_left_behind(
// CHECK: %[[BIT:.*]] = memref.alloca() : memref<i1>
// CHECK: %[[R:.*]] = scf.execute_region
// CHECK: memref.store %true, %[[BIT]][]
// CHECK: memref.store %false, %[[BIT]][]
// CHECK: memref.copy %[[R]]
// CHECK-NEXT: %[[OWNS:.*]] = memref.load %[[BIT]][]
// CHECK-NEXT: scf.if %[[OWNS]] {
// CHECK-NEXT: memref.dealloc %[[R]]
func.func @condition_left_behind(%x: f32, %arg: memref<2xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %r = scf.execute_region -> memref<2xf32> {
    %v = memref.load %arg[%c0] : memref<2xf32>
    %c = arith.cmpf olt, %v, %x : f32
    cf.cond_br %c, ^new, ^old
  ^new:
    %0 = memref.alloc() : memref<2xf32>
    memref.store %x, %0[%c0] : memref<2xf32>
    scf.yield %0 : memref<2xf32>
  ^old:
    scf.yield %arg : memref<2xf32>
  }
  memref.copy %r, %out : memref<2xf32> to memref<2xf32>
  return
}
