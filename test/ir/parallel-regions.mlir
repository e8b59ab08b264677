// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// What looks like one after the other in a body that many iterations run at once is not: one
// iteration may be at its end when another begins. Buffers of several tasks are alive together.

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func @par_use
func.func @par_use(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<16xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<16xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %a[%i] : memref<16xf32>
    %v = memref.load %a[%i] : memref<16xf32>
    memref.store %v, %b[%i] : memref<16xf32>
    scf.reduce
  }
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// CHECK-LABEL: func @par_seq
func.func @par_seq(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<16xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<16xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %a[%i] : memref<16xf32>
    %v = memref.load %a[%i] : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    %w = memref.load %b[%i] : memref<16xf32>
    scf.reduce
  }
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// CHECK-LABEL: func @lin_seq
func.func @lin_seq(%x: f32, %q: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<16xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<16xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%q : memref<16xf32>) {
    ^bb0(%out: f32):
    memref.store %x, %a[%c0] : memref<16xf32>
    %v = memref.load %a[%c0] : memref<16xf32>
    memref.store %x, %b[%c0] : memref<16xf32>
    %w = memref.load %b[%c0] : memref<16xf32>
    linalg.yield %w : f32
  }
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// CHECK-LABEL: func @omp_sections
func.func @omp_sections(%x: f32) {
  %c0 = arith.constant 0 : index
  omp.parallel {
  omp.sections {
    omp.section {
      // CHECK: left_alone = "no-partner"
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%c0] : memref<16xf32>
      memref.dealloc %a : memref<16xf32>
      omp.terminator
    }
    omp.section {
      // CHECK: left_alone = "no-partner"
      %b = memref.alloc() : memref<16xf32>
      memref.store %x, %b[%c0] : memref<16xf32>
      memref.dealloc %b : memref<16xf32>
      omp.terminator
    }
    omp.terminator
  }
  omp.terminator
  }
  return
}

// CHECK-LABEL: func @omp_task_inner
func.func @omp_task_inner(%x: f32) {
  %c0 = arith.constant 0 : index
  omp.task {
    // CHECK: left_alone = "no-partner"
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    memref.dealloc %a : memref<16xf32>
    omp.terminator
  }
  omp.task {
    // CHECK: left_alone = "no-partner"
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %b[%c0] : memref<16xf32>
    memref.dealloc %b : memref<16xf32>
    omp.terminator
  }
  return
}

// Each iteration of a work-sharing loop owns its arena.

// CHECK-LABEL: func @omp_loop
// CHECK: stowage.offset = 0
// CHECK: stowage.offset = 0
func.func @omp_loop(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        %a = memref.alloc() : memref<16xf32>
        memref.store %x, %a[%c0] : memref<16xf32>
        memref.dealloc %a : memref<16xf32>
        %b = memref.alloc() : memref<16xf32>
        memref.store %x, %b[%c0] : memref<16xf32>
        memref.dealloc %b : memref<16xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// The results of a loop, and of a select in it.

// CHECK-LABEL: func @res_in_loop
func.func @res_in_loop(%x: f32, %n: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<16xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  // iter arg selected inside; result used after loop; t lives after loop
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> memref<16xf32> {
    %s = arith.select %c, %p, %b : memref<16xf32>
    scf.yield %s : memref<16xf32>
  }
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<16xf32>
  memref.store %z, %t[%c0] : memref<16xf32>
  %v = memref.load %r[%c0] : memref<16xf32>
  %w = memref.load %t[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  memref.dealloc %t : memref<16xf32>
  %q = arith.addf %v, %w : f32
  return %q : f32
}

// CHECK-LABEL: func @if_in_loop_view
func.func @if_in_loop_view(%x: f32, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: left_alone = "no-partner"
    %a = memref.alloc() : memref<16xf32>
    %v = scf.if %c -> memref<?xf32, strided<[1], offset: ?>> {
      %s = memref.subview %a[%i] [%c1] [1] : memref<16xf32> to memref<?xf32, strided<[1], offset: ?>>
      scf.yield %s : memref<?xf32, strided<[1], offset: ?>>
    } else {
      %s = memref.subview %a[%c0] [%c1] [1] : memref<16xf32> to memref<?xf32, strided<[1], offset: ?>>
      scf.yield %s : memref<?xf32, strided<[1], offset: ?>>
    }
    memref.store %x, %a[%c0] : memref<16xf32>
    // CHECK: left_alone = "no-partner"
    %t = memref.alloc() : memref<16xf32>
    memref.store %x, %t[%c0] : memref<16xf32>
    %l = memref.load %v[%c0] : memref<?xf32, strided<[1], offset: ?>>
    %w = memref.load %t[%c0] : memref<16xf32>
    memref.dealloc %a : memref<16xf32>
    memref.dealloc %t : memref<16xf32>
  }
  return
}
