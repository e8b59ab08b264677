// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// A buffer from outside a loop that is used inside lives for the whole loop; one allocated inside
// whose value does not survive the iteration lives only inside.

// %a's last use stands before %t's first, and is behind it in the next iteration.

// CHECK-LABEL: func @outside_used_inside
func.func @outside_used_inside(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %t[%i] : memref<8xf32>
    %w = memref.load %t[%c1] : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// The inner one is written after the last read of the outer one, until the next iteration.

// CHECK-LABEL: func @outer_and_inner
func.func @outer_and_inner(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<8xf32>
    // CHECK: left_alone = "no-partner"
    %t = memref.alloc() : memref<8xf32>
    memref.store %v, %t[%i] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  return
}

// CHECK-LABEL: func @inner_two
func.func @inner_two(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: stowage.offset = 0
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%i] : memref<8xf32>
    %v = memref.load %t[%c0] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
    // CHECK: stowage.offset = 0
    %u = memref.alloc() : memref<8xf32>
    memref.store %v, %u[%i] : memref<8xf32>
    memref.dealloc %u : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @before_inside_after
func.func @before_inside_after(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: stowage.offset = 0
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%i] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
  }
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// %a lives through the inner loop, and is dead when %b is written.

// CHECK-LABEL: func @nested
func.func @nested(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: stowage.offset
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%i] : memref<8xf32>
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %a[%j] : memref<8xf32>
      // CHECK: stowage.offset = 0
      %t = memref.alloc() : memref<16xf32>
      memref.store %v, %t[%j] : memref<16xf32>
      memref.dealloc %t : memref<16xf32>
    }
    memref.dealloc %a : memref<8xf32>
  }
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// The loop's result is %a again.

// CHECK-LABEL: func @carried
func.func @carried(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> memref<8xf32> {
    scf.yield %p : memref<8xf32>
  }
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// %p is %a from the second iteration on.

// CHECK-LABEL: func @yielded
func.func @yielded(%n: index, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %arg) -> memref<8xf32> {
    %v = memref.load %p[%i] : memref<8xf32>
    memref.store %x, %b[%i] : memref<8xf32>
    %w = memref.load %b[%c0] : memref<8xf32>
    memref.store %w, %a[%i] : memref<8xf32>
    scf.yield %a : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @survives
func.func @survives(%n: index, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %arg) -> memref<8xf32> {
    // CHECK: left_alone = "loop-carried"
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%i] : memref<8xf32>
    %v = memref.load %p[%i] : memref<8xf32>
    scf.yield %t : memref<8xf32>
  }
  return
}

// The before region runs again after the after region.

// CHECK-LABEL: func @while
func.func @while(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %a[%i] : memref<8xf32>
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    // CHECK: left_alone = "no-partner"
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%i] : memref<8xf32>
    %w = memref.load %t[%c0] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  memref.dealloc %a : memref<8xf32>
  return
}

// CHECK-LABEL: func @while_swaps
func.func @while_swaps(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r:2 = scf.while (%p = %a, %q = %b) : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
    %more = arith.constant true
    memref.store %x, %q[%c0] : memref<8xf32>
    scf.condition(%more) %q, %p : memref<8xf32>, memref<8xf32>
  } do {
  ^bb0(%s: memref<8xf32>, %t: memref<8xf32>):
    %v = memref.load %t[%c0] : memref<8xf32>
    scf.yield %s, %t : memref<8xf32>, memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @affine_for
func.func @affine_for(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  affine.store %x, %a[0] : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
    %w = affine.load %t[0] : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// CHECK-LABEL: func @affine_for_carries
func.func @affine_for_carries(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  affine.store %x, %a[0] : memref<8xf32>
  %r = affine.for %i = 0 to 8 iter_args(%p = %a) -> memref<8xf32> {
    affine.yield %p : memref<8xf32>
  }
  affine.store %x, %b[0] : memref<8xf32>
  %v = affine.load %r[0] : memref<8xf32>
  %w = affine.load %b[0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
