// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation="prefer=clones" | FileCheck %s

// What a declaration lends stays the lender's; any other result is the caller's.

func.func private @lend(index) -> (memref<?xi8> {stowage.borrowed}, memref<?xi8>)
func.func private @lend_of(memref<?xi8>) -> (memref<?xi8> {stowage.borrowed})

// CHECK-LABEL: func @caller
// CHECK:         %[[GIVEN:.*]]:2 = call @lend
// CHECK-NOT:     memref.dealloc %[[GIVEN]]#0
// CHECK:         memref.dealloc %[[GIVEN]]#1
// CHECK-NOT:     memref.dealloc
// CHECK:         return
func.func @caller(%n: index, %x: i8) {
  %c0 = arith.constant 0 : index
  %0:2 = call @lend(%n) : (index) -> (memref<?xi8>, memref<?xi8>)
  memref.store %x, %0#0[%c0] : memref<?xi8>
  memref.store %x, %0#1[%c0] : memref<?xi8>
  return
}

// It may be what was passed, too.
// CHECK-LABEL: func @passed
// CHECK:         %[[MINE:.*]] = memref.alloc
// CHECK:         memref.store
// CHECK-NEXT:    memref.dealloc %[[MINE]]
// CHECK-NEXT:    return
func.func @passed(%n: index, %x: i8) {
  %c0 = arith.constant 0 : index
  %mine = memref.alloc(%n) : memref<?xi8>
  %0 = call @lend_of(%mine) : (memref<?xi8>) -> memref<?xi8>
  memref.store %x, %0[%c0] : memref<?xi8>
  return
}

// A function that returns it lends it, too.
// CHECK-LABEL: func @returned
// CHECK:         %[[GIVEN:.*]]:2 = call @lend
// CHECK:         memref.dealloc %[[GIVEN]]#1
// CHECK:         return %[[GIVEN]]#0
func.func @returned(%n: index) -> memref<?xi8> {
  %0:2 = call @lend(%n) : (index) -> (memref<?xi8>, memref<?xi8>)
  return %0#0 : memref<?xi8>
}
