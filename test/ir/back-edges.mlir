// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// Conflicts around the back edges of loops of every kind: nothing here may share.

// CHECK-LABEL: func @cf_back
func.func @cf_back(%x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  cf.br ^l
^l:
  memref.store %x, %t[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  cf.cond_br %c, ^wr, ^rd
^wr:
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.br ^n
^rd:
  %v = memref.load %a[%c0] : memref<8xf32>
  cf.br ^n
^n:
  cf.cond_br %c, ^l, ^e
^e:
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// CHECK-LABEL: func @inner_acc
func.func @inner_acc(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: left_alone = "no-partner"
    %a = memref.alloc() : memref<8xf32>
    scf.for %j = %c0 to %n step %c1 {
      // CHECK: left_alone = "no-partner"
      %t = memref.alloc() : memref<8xf32>
      memref.store %x, %t[%c0] : memref<8xf32>
      %w = memref.load %t[%c0] : memref<8xf32>
      memref.dealloc %t : memref<8xf32>
      memref.store %w, %a[%j] : memref<8xf32>
    }
    %v = memref.load %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @cf_alloc_before_inner
func.func @cf_alloc_before_inner(%x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  cf.br ^outer
^outer:
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  cf.br ^inner
^inner:
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %t[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  memref.store %w, %a[%c0] : memref<8xf32>
  cf.cond_br %c, ^inner, ^done
^done:
  %v = memref.load %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  cf.cond_br %c, ^outer, ^e
^e:
  return
}

// CHECK-LABEL: func @exec_loop
func.func @exec_loop(%x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  scf.execute_region {
    cf.br ^l
  ^l:
    // CHECK: left_alone = "no-partner"
    %t = memref.alloc() : memref<8xf32>
    memref.store %x, %t[%c0] : memref<8xf32>
    %w = memref.load %t[%c0] : memref<8xf32>
    memref.dealloc %t : memref<8xf32>
    memref.store %w, %a[%c0] : memref<8xf32>
    cf.cond_br %c, ^l, ^e
  ^e:
    scf.yield
  }
  %v = memref.load %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

// CHECK-LABEL: func @cf_three
func.func @cf_three(%x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %d = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.br ^l(%a, %b, %d : memref<8xf32>, memref<8xf32>, memref<8xf32>)
^l(%p: memref<8xf32>, %q: memref<8xf32>, %r: memref<8xf32>):
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<16xf32>
  memref.store %x, %t[%c0] : memref<16xf32>
  memref.dealloc %t : memref<16xf32>
  memref.copy %p, %q : memref<8xf32> to memref<8xf32>
  cf.cond_br %c, ^l(%q, %r, %p : memref<8xf32>, memref<8xf32>, memref<8xf32>), ^e(%q, %r : memref<8xf32>, memref<8xf32>)
^e(%s: memref<8xf32>, %u: memref<8xf32>):
  %v = memref.load %s[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %d : memref<8xf32>
  return
}
