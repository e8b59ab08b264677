// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s

// An arena belongs to one activation of its scope: a function, or a region whose iterations may run
// at once. Loops and ifs are no scopes.

// CHECK-LABEL: func @parallel
// CHECK-NOT:     memref.alloc
// CHECK:         scf.parallel
// CHECK:           %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:       memref.alloc
// CHECK:           memref.dealloc %[[POOL]]
// CHECK-NEXT:      scf.reduce
func.func @parallel(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
    scf.reduce
  }
  return
}

// A buffer outside and one inside never share, even where they look disjoint.

// CHECK-LABEL: func @parallel_and_outside
// CHECK-COUNT-2: memref.alloc() : memref<8xf32>
func.func @parallel_and_outside(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
    scf.reduce
  }
  return
}

// CHECK-LABEL: func @forall
// CHECK-NOT:     memref.alloc
// CHECK:         scf.forall
// CHECK:           memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK:           memref.dealloc
// CHECK-NOT:       memref.dealloc
// CHECK:         }
func.func @forall(%x: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @affine_parallel
// CHECK-NOT:     memref.alloc
// CHECK:         affine.parallel
// CHECK:           memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK:           memref.dealloc
// CHECK-NEXT:    }
func.func @affine_parallel(%x: f32) {
  affine.parallel (%i) = (0) to (8) {
    %a = memref.alloc() : memref<8xf32>
    affine.store %x, %a[0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    affine.store %x, %b[0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
  }
  return
}

// A loop inside a parallel body belongs to the body's arena; one around it does not get one.

// CHECK-LABEL: func @nested
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           scf.parallel
// CHECK:             memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK:             scf.for
// CHECK-NOT:           memref.alloc
// CHECK:             memref.dealloc
// CHECK-NEXT:        scf.reduce
func.func @nested(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      scf.for %j = %c0 to %n step %c1 {
        %a = memref.alloc() : memref<8xf32>
        memref.store %x, %a[%c0] : memref<8xf32>
        memref.dealloc %a : memref<8xf32>
      }
      %b = memref.alloc() : memref<8xf32>
      memref.store %x, %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
      scf.reduce
    }
  }
  return
}

// Two parallel scopes, one in the other, each with an arena.

// CHECK-LABEL: func @nested_scopes
// CHECK:         scf.parallel
// CHECK:           memref.alloc() {{.*}} : memref<64xi8>
// CHECK:           scf.parallel
// CHECK:             memref.alloc() {{.*}} : memref<32xi8>
// CHECK:             memref.dealloc
// CHECK-NEXT:        scf.reduce
// CHECK:           memref.dealloc
// CHECK-NEXT:      scf.reduce
func.func @nested_scopes(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    memref.dealloc %a : memref<16xf32>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %c = memref.alloc() : memref<8xf32>
      memref.store %x, %c[%c0] : memref<8xf32>
      memref.dealloc %c : memref<8xf32>
      %d = memref.alloc() : memref<8xf32>
      memref.store %x, %d[%c0] : memref<8xf32>
      memref.dealloc %d : memref<8xf32>
      scf.reduce
    }
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%c0] : memref<16xf32>
    memref.dealloc %b : memref<16xf32>
    scf.reduce
  }
  return
}

// A reduction's body runs once per iteration, at any time.

// CHECK-LABEL: func @reduction
func.func @reduction(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    // CHECK: scf.reduce
    // CHECK-NOT: memref.view %arg
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      %b = memref.alloc() : memref<8xf32>
      memref.store %l, %b[%c0] : memref<8xf32>
      %v = memref.load %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
      %s = arith.addf %v, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// Sequential control flow is no scope: one arena for the function, outside the loop.

// CHECK-LABEL: func @sequential
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK:         scf.for
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc
// CHECK-NEXT:    return
func.func @sequential(%n: index, %c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      %a = memref.alloc() : memref<8xf32>
      memref.store %x, %a[%c0] : memref<8xf32>
      memref.dealloc %a : memref<8xf32>
    }
    memref.alloca_scope {
      %b = memref.alloc() : memref<8xf32>
      memref.store %x, %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
    }
  }
  return
}

// Functions do not share with each other.

// CHECK-LABEL: func @one
// CHECK: memref.alloc() : memref<8xf32>
func.func @one(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}
// CHECK-LABEL: func @other
// CHECK: memref.alloc() : memref<8xf32>
func.func @other(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

// A module in the module is walked, too.

// CHECK-LABEL: module @inner
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
module @inner {
  func.func @in_module(%x: f32) {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
    return
  }
}
