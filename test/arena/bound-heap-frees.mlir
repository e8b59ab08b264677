// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="max-heap-overhead=0" --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse --check-arena-plan | FileCheck %s --check-prefix=ONE

// %late is last used before %big is made, but the program frees it behind. With an arena for %a and %b alone, the heap
// would hold 1364 + 4096 + 1024 bytes there, 1024 more than without.

// CHECK-LABEL: func @freed_late
// CHECK:         %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1364xi8>
// CHECK:         memref.view %[[ARENA]]{{.*}} to memref<1364xi8>
// CHECK:         memref.view %[[ARENA]]{{.*}} to memref<1024xi8>
// CHECK:         memref.view %[[ARENA]]{{.*}} to memref<256xi8>
func.func @freed_late(%q: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 7 : i8
  %late = memref.alloc() {alignment = 64 : i64} : memref<1364xi8>
  %a = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %inner = memref.alloc() {alignment = 64 : i64} : memref<2770xi8>
    %x = memref.load %a[%c0] : memref<1024xi8>
    memref.dealloc %inner : memref<2770xi8>
  }
  memref.dealloc %a : memref<1024xi8>
  scf.if %q {
    %x = memref.load %late[%c0] : memref<1364xi8>
    %big = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
    memref.dealloc %big : memref<4096xi8>
  }
  memref.dealloc %late : memref<1364xi8>
  %b = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  memref.store %v, %b[%c0] : memref<256xi8>
  memref.dealloc %b : memref<256xi8>
  return
}

// %a is left alone as no other shares bytes with it, and is padded for itself then. With the arena of the others, the
// heap would hold 64 bytes more in the loop, so they are left alone, too.

// CHECK-LABEL: func @left_without_partner
// CHECK-NOT:     memref.view
// CHECK:         return
// ONE-LABEL:   func @left_without_partner
// ONE:           memref.view
// ONE:           return
func.func @left_without_partner(%q0: i1, %q1: i1) -> memref<1xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 7 : i8
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  scf.if %q0 {
    %b = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
    scf.if %q1 {
      %x = memref.load %a[%c0] : memref<64xi8>
      %y = memref.load %b[%c0] : memref<64xi8>
    }
    memref.dealloc %b : memref<64xi8>
  }
  %r = memref.alloc() {alignment = 64 : i64} : memref<1xi8>
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    %inner = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
    memref.dealloc %inner : memref<192xi8>
  }
  %c = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  memref.store %v, %c[%c0] : memref<128xi8>
  %d = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  memref.store %v, %d[%c0] : memref<64xi8>
  %x = memref.load %a[%c0] : memref<64xi8>
  memref.dealloc %a : memref<64xi8>
  %y = memref.load %r[%c0] : memref<1xi8>
  memref.store %y, %c[%c0] : memref<128xi8>
  memref.dealloc %c : memref<128xi8>
  memref.dealloc %d : memref<64xi8>
  %e = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
  memref.store %v, %e[%c0] : memref<512xi8>
  memref.dealloc %e : memref<512xi8>
  return %r : memref<1xi8>
}

// To lend to %b, %r would have to be made before the branch, where %inner is. So it is made where it was.

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s --check-prefix=LENDS

// LENDS-LABEL: func @lends_behind_others
// LENDS:         scf.if
// LENDS:         memref.alloc() {alignment = 64 : i64} : memref<1465xi8>
// LENDS:         return
func.func @lends_behind_others(%q0: i1, %q1: i1) -> memref<1465xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 7 : i8
  %a = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  memref.store %v, %a[%c0] : memref<128xi8>
  scf.if %q0 {
    scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
      %inner = memref.alloc() {alignment = 64 : i64} : memref<2453xi8>
      memref.store %v, %inner[%c0] : memref<2453xi8>
      %y = memref.load %inner[%c0] : memref<2453xi8>
    }
    %b = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
    memref.store %v, %b[%c0] : memref<192xi8>
    %y = memref.load %b[%c0] : memref<192xi8>
  }
  %r = memref.alloc() {alignment = 64 : i64} : memref<1465xi8>
  %x = memref.load %a[%c0] : memref<128xi8>
  memref.store %x, %r[%c0] : memref<1465xi8>
  return %r : memref<1465xi8>
}

// Each way has its own dealloc of %big. With %q it comes first, and the heap's peak is that of %big and %b. An arena for
// %a, %b and %c, with 128 bytes to align it, would be 64 bytes more than that.

// CHECK-LABEL: func @freed_in_each_arm
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @freed_in_each_arm(%q: i1) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i8
  %big = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
  %a = memref.alloc() {alignment = 128 : i64} : memref<256xi8>
  memref.store %v, %a[%c0] : memref<256xi8>
  memref.dealloc %a : memref<256xi8>
  %b = memref.alloc() {alignment = 64 : i64} : memref<1364xi8>
  scf.if %q {
    memref.dealloc %big : memref<4096xi8>
    %c = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
    memref.store %v, %c[%c0] : memref<192xi8>
    %x = memref.load %b[%c0] : memref<1364xi8>
    memref.dealloc %c : memref<192xi8>
  } else {
    %d = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
    %x = memref.load %big[%c0] : memref<4096xi8>
    memref.store %v, %d[%c0] : memref<192xi8>
    memref.dealloc %d : memref<192xi8>
    memref.dealloc %big : memref<4096xi8>
  }
  memref.dealloc %b : memref<1364xi8>
  return
}

// To lend to %a, %r would be aligned to 128 bytes, and hold 128 more than it asks for.

// CHECK-LABEL: func @lender_is_padded
// CHECK:         memref.alloc() : memref<3000xi8>
// CHECK:         return
func.func @lender_is_padded(%q: i1) -> (memref<2453xi8>, memref<3000xi8>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i8
  scf.if %q {
    %a = memref.alloc() {alignment = 128 : i64} : memref<64xi8>
    memref.store %v, %a[%c0] : memref<64xi8>
    %b = memref.alloc() : memref<1024xi8>
    memref.store %v, %b[%c0] : memref<1024xi8>
    %x = memref.load %a[%c0] : memref<64xi8>
    memref.dealloc %a : memref<64xi8>
    memref.dealloc %b : memref<1024xi8>
  }
  %r = memref.alloc() : memref<3000xi8>
  memref.store %v, %r[%c0] : memref<3000xi8>
  %c = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
  memref.store %v, %c[%c0] : memref<512xi8>
  %s = memref.alloc() {alignment = 64 : i64} : memref<2453xi8>
  %d = memref.alloc() : memref<64xi8>
  memref.store %v, %d[%c0] : memref<64xi8>
  %x = memref.load %d[%c0] : memref<64xi8>
  memref.dealloc %d : memref<64xi8>
  memref.dealloc %c : memref<512xi8>
  return %s, %r : memref<2453xi8>, memref<3000xi8>
}
