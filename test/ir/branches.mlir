// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none conditional-share=0" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// Branches of structured ops: results are one of what the branches yield; buffers of different
// branches never live together.

// CHECK-LABEL: func @arms
func.func @arms(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %c {
    // CHECK: stowage.offset = 0
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%c0] : memref<8xf32>
    %v = memref.load %t[%c0] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
  } else {
    // CHECK: stowage.offset = 0
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%c0] : memref<8xf32>
    %v = memref.load %t[%c0] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
  }
  return
}

// Written before the branch, each needed in one arm only: both live when it starts.

// CHECK-LABEL: func @used_in_one_arm
func.func @used_in_one_arm(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  scf.if %c {
    %v = memref.load %a[%c0] : memref<8xf32>
  } else {
    %v = memref.load %b[%c0] : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @result
func.func @result(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %r = scf.if %c -> memref<8xf32> {
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %b : memref<8xf32>
  }
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// CHECK-LABEL: func @nested_result
func.func @nested_result(%c: i1, %d: i1, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = scf.if %c -> memref<8xf32> {
    %s = scf.if %d -> memref<8xf32> {
      scf.yield %a : memref<8xf32>
    } else {
      scf.yield %arg : memref<8xf32>
    }
    scf.yield %s : memref<8xf32>
  } else {
    scf.yield %arg : memref<8xf32>
  }
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// CHECK-LABEL: func @index_switch
func.func @index_switch(%f: index, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = scf.index_switch %f -> memref<8xf32>
  case 3 {
    scf.yield %a : memref<8xf32>
  }
  default {
    scf.yield %arg : memref<8xf32>
  }
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// CHECK-LABEL: func @execute_region
func.func @execute_region(%c: i1, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = scf.execute_region -> memref<8xf32> {
    cf.cond_br %c, ^one, ^two
  ^one:
    scf.yield %a : memref<8xf32>
  ^two:
    scf.yield %arg : memref<8xf32>
  }
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// CHECK-LABEL: func @alloca_scope
func.func @alloca_scope(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = memref.alloca_scope -> (memref<8xf32>) {
    memref.alloca_scope.return %a : memref<8xf32>
  }
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

#even = affine_set<(d0) : (d0 mod 2 == 0)>
// CHECK-LABEL: func @affine_if
func.func @affine_if(%i: index, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = affine.if #even(%i) -> memref<8xf32> {
    affine.yield %a : memref<8xf32>
  } else {
    affine.yield %arg : memref<8xf32>
  }
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// The value leaves the branch that allocates it: used with %t alive (%a and %b may share with
// each other, not with %t).

// CHECK-LABEL: func @if_allocates
func.func @if_allocates(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> memref<8xf32> {
    // CHECK: stowage
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    scf.yield %a : memref<8xf32>
  } else {
    // CHECK: stowage
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    scf.yield %b : memref<8xf32>
  }
  // CHECK: {{left_alone = "no-partner"|offset = [1-9]}}
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %r : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}
