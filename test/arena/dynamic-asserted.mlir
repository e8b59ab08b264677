// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What assertions say of arguments' sizes.

// RUN: stowage-opt %s -merge-alloc="dynamic=exact report=text" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: stowage-opt %t.mlir -check-arena-plan=samples=64 -o /dev/null
// RUN: stowage-opt %s -merge-alloc=dynamic=bound -o %t.mlir
// RUN: FileCheck %s --check-prefix=BOUND < %t.mlir
// RUN: stowage-opt %t.mlir -check-arena-plan=samples=64 -o /dev/null

// Three of one size, two of which are alive at once; without the assertion of the first two, max would have two operands.

// EXACT: {{^}}equal 
// EXACT: arena = 64*floor((4*arg0[0] + 63) / 64) + 4*arg0[0] bytes
func.func @equal(%x: memref<?xf32>, %y: memref<?xf32>, %k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "sizes differ"
  %third = arith.cmpi eq, %k, %m : index
  cf.assert %third, "sizes differ"
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%k) : memref<?xf32>
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  %r = memref.load %c[%c0] : memref<?xf32>
  return %r : f32
}

// What is allocated in front of it is not behind it.

// EXACT: {{^}}before 
// EXACT: arena = max(4*arg0[0], 4*arg1[0]) bytes
func.func @before(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  memref.copy %y, %b : memref<?xf32> to memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "sizes differ"
  return
}

// Nor does one in a branch hold behind that, or say another comparison the same.

// EXACT: {{^}}elsewhere 
// EXACT: arena = max(4*arg0[0], 4*arg1[0]) bytes
func.func @elsewhere(%x: memref<?xf32>, %y: memref<?xf32>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  scf.if %bit {
    cf.assert %same, "sizes differ"
  }
  %other = arith.cmpi ne, %n, %m : index
  cf.assert %other, "sizes are alike"
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%m) : memref<?xf32>
  memref.copy %y, %b : memref<?xf32> to memref<?xf32>
  return
}

// A size that is a number, and one within a branch behind it.

// EXACT: {{^}}number 
// EXACT: arena = 48
func.func @number(%x: memref<?xf32>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %is = arith.cmpi eq, %n, %c12 : index
  cf.assert %is, "not 12"
  scf.if %bit {
    %a = memref.alloc(%n) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  }
  return
}

// What a dimension is equal to may be below 0 in front of the assertion, where the arena is made.

// EXACT: {{^}}behind 
// EXACT: arena = 64*floor((4*arg2[0] + 63) / 64) + 4*arg1[0] bytes
func.func @behind(%k: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  %n = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %a : memref<?xf32> to memref<?xf32>
  %same = arith.cmpi eq, %m, %k : index
  cf.assert %same, "sizes differ"
  %b = memref.alloc(%k) : memref<?xf32>
  memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  memref.copy %a, %y : memref<?xf32> to memref<?xf32>
  return
}

// Upper limits are for bounds, also of what is equal.

// BOUND-LABEL: func @limits(
// BOUND: memref.alloc() {alignment = 64 : i64} : memref<400xi8>
// BOUND-NOT: memref.alloc
func.func @limits(%x: memref<?xf32>, %k: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %small = arith.cmpi slt, %n, %c100 : index
  cf.assert %small, "too large"
  %same = arith.cmpi eq, %n, %k : index
  cf.assert %same, "sizes differ"
  %too = arith.cmpi uge, %c100, %l : index
  cf.assert %too, "too large"
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%k) : memref<?xf32>
  memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%l) : memref<?xf32>
  memref.copy %x, %c : memref<?xf32> to memref<?xf32>
  return
}

// A lower one is none, and no number is below 0.

// BOUND-LABEL: func @no_limit(
// BOUND-COUNT-2: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @no_limit(%x: memref<?xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %large = arith.cmpi sgt, %n, %c100 : index
  cf.assert %large, "too small"
  %none = arith.cmpi ult, %k, %c0 : index
  cf.assert %none, "there is none"
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%k) : memref<?xf32>
  memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  return
}
