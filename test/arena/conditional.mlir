// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc -o %t.once
// RUN: stowage-opt %t.once --merge-alloc | diff %t.once -
// RUN: stowage-opt %s --merge-alloc=conditional-share=0 | FileCheck %s --check-prefix=NEVER
// RUN: stowage-opt %s --merge-alloc=conditional-share=200 | FileCheck %s --check-prefix=MORE

// What every path needs are 64 bytes, the branch needs 8192 more: it has an arena of its own, and makes it where it
// is taken.

// CHECK-LABEL: func @rare
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK:         scf.if
// CHECK-NEXT:      memref.alloc() {alignment = 64 : i64} : memref<8192xi8>
// CHECK:           memref.dealloc {{.*}} : memref<8192xi8>
// CHECK:         memref.dealloc {{.*}} : memref<64xi8>
// NEVER-LABEL: func @rare
// NEVER:         memref.alloc() {alignment = 64 : i64} : memref<8256xi8>
// NEVER:         scf.if
// MORE-LABEL:  func @rare
// MORE:          memref.alloc() {alignment = 64 : i64} : memref<8256xi8>
func.func @rare(%x: memref<1024xf32>, %y: memref<1024xf32>, %s: memref<16xf32>, %go: i1) {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%s : memref<16xf32>) outs(%a : memref<16xf32>)
  scf.if %go {
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
    %c = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
    linalg.exp ins(%c : memref<1024xf32>) outs(%y : memref<1024xf32>)
  }
  linalg.exp ins(%a : memref<16xf32>) outs(%s : memref<16xf32>)
  return
}

// In a loop the arena is made before the loop in any case, so it stays one.

// CHECK-LABEL: func @in_loop
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<4160xi8>
// CHECK:         scf.for
// CHECK-NOT:     memref.alloc()
// CHECK:         return
func.func @in_loop(%x: memref<1024xf32>, %y: memref<1024xf32>, %s: memref<16xf32>, %go: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%s : memref<16xf32>) outs(%a : memref<16xf32>)
  scf.for %i = %c0 to %c9 step %c1 {
    scf.if %go {
      %b = memref.alloc() : memref<1024xf32>
      linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
      linalg.exp ins(%b : memref<1024xf32>) outs(%y : memref<1024xf32>)
    }
  }
  linalg.exp ins(%a : memref<16xf32>) outs(%s : memref<16xf32>)
  return
}

// Two thirds of the arena are what every path needs: it stays one.

// CHECK-LABEL: func @half
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<12288xi8>
// CHECK:         scf.if
// CHECK-NOT:     memref.alloc()
// CHECK:         return
func.func @half(%x: memref<1024xf32>, %y: memref<1024xf32>, %go: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %d = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  linalg.exp ins(%a : memref<1024xf32>) outs(%d : memref<1024xf32>)
  scf.if %go {
    %b = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%b : memref<1024xf32>)
    linalg.exp ins(%b : memref<1024xf32>) outs(%y : memref<1024xf32>)
  }
  linalg.add ins(%a, %d : memref<1024xf32>, memref<1024xf32>) outs(%y : memref<1024xf32>)
  return
}

// The branch's two buffers are allocated at its begin, but used one after the other: an arena holds one of them at a
// time, so that what every path needs is a quarter, and it stays one.

// CHECK-LABEL: func @one_after_the_other
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<16384xi8>
// CHECK:         scf.if
// CHECK-NOT:     memref.alloc()
// CHECK:         return
func.func @one_after_the_other(%x: memref<1024xf32>, %y: memref<3072xf32>, %go: i1) {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  scf.if %go {
    %b = memref.alloc() : memref<3072xf32>
    %c = memref.alloc() : memref<3072xf32>
    linalg.exp ins(%y : memref<3072xf32>) outs(%b : memref<3072xf32>)
    linalg.exp ins(%b : memref<3072xf32>) outs(%y : memref<3072xf32>)
    linalg.exp ins(%y : memref<3072xf32>) outs(%c : memref<3072xf32>)
    linalg.exp ins(%c : memref<3072xf32>) outs(%y : memref<3072xf32>)
  }
  linalg.exp ins(%a : memref<1024xf32>) outs(%x : memref<1024xf32>)
  return
}

// Every path needs 64 bytes. The small branch stays in the arena, the large one does not; the arena says what every
// path needs of it, so that a second run, which sees 192 bytes, decides as the first.

// CHECK-LABEL: func @small_and_large
// CHECK:         memref.alloc() {alignment = 64 : i64, stowage.on_every_path = 64 : i64} : memref<192xi8>
// CHECK:         scf.if
// CHECK-NOT:     memref.alloc()
// CHECK:         scf.if
// CHECK-NEXT:      memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK:         return
func.func @small_and_large(%s: memref<16xf32>, %x: memref<32xf32>, %y: memref<128xf32>, %go: i1) {
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%s : memref<16xf32>) outs(%a : memref<16xf32>)
  scf.if %go {
    %b = memref.alloc() : memref<32xf32>
    linalg.exp ins(%x : memref<32xf32>) outs(%b : memref<32xf32>)
    linalg.exp ins(%b : memref<32xf32>) outs(%x : memref<32xf32>)
  }
  scf.if %go {
    %b = memref.alloc() : memref<128xf32>
    linalg.exp ins(%y : memref<128xf32>) outs(%b : memref<128xf32>)
    linalg.exp ins(%b : memref<128xf32>) outs(%y : memref<128xf32>)
  }
  linalg.exp ins(%a : memref<16xf32>) outs(%s : memref<16xf32>)
  return
}

// Of the two that share 68 bytes only one is needed: with it every path takes no three times as much,
// and a second run finds one arena, too.
// CHECK-LABEL: func.func @chosen_in_branch(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<68xi8>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @chosen_in_branch(%other: i1, %which: i1, %number: f32, %out: memref<17xf32>) {
  %always = memref.alloc() : memref<45xi8>
  %byte = arith.constant 3 : i8
  linalg.fill ins(%byte : i8) outs(%always : memref<45xi8>)
  scf.if %other {
    %chosen = scf.if %which -> (memref<17xf32>) {
      %a = memref.alloc() : memref<17xf32>
      scf.yield %a : memref<17xf32>
    } else {
      %b = memref.alloc() : memref<17xf32>
      linalg.fill ins(%number : f32) outs(%b : memref<17xf32>)
      scf.yield %b : memref<17xf32>
    }
    linalg.fill ins(%number : f32) outs(%chosen : memref<17xf32>)
    memref.copy %chosen, %out : memref<17xf32> to memref<17xf32>
  }
  return
}
