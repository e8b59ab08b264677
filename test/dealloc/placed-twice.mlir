// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation=tighten -o %t.bits
// RUN: stowage-opt %t.bits --buffer-deallocation=tighten | diff %t.bits -
// RUN: FileCheck %s < %t.bits
// RUN: stowage-opt %s --buffer-deallocation="tighten prefer=clones" -o %t.clones
// RUN: stowage-opt %t.clones --buffer-deallocation="tighten prefer=clones" | diff %t.clones -
// RUN: FileCheck %s --check-prefix=CLONES < %t.clones
// RUN: stowage-opt %s --hoist-allocations -o %t.hoisted
// RUN: stowage-opt %t.hoisted --hoist-allocations | diff %t.hoisted -
// RUN: FileCheck %s --check-prefix=HOISTED < %t.hoisted

// What the passes add besides deallocs (clones, bits, branches) they place deallocs around as around the program's own
// ops, so that a second run changes nothing.

// Two owners die at one op. What a bit decides on is freed behind what is freed in any case.

// CHECK-LABEL: func.func @one_by_a_bit(
// CHECK: linalg.add ins(%[[A:.*]], %{{.*}} : memref<4xi64>
// CHECK-NEXT: memref.dealloc %[[A]] : memref<4xi64>
// CHECK-NEXT: memref.load
// CHECK-NEXT: scf.if

// HOISTED-LABEL: func.func @one_by_a_bit(
// HOISTED-NEXT: memref.alloc() : memref<4xi64>
// HOISTED-NEXT: memref.alloca() : memref<i1>
func.func @one_by_a_bit(%given: memref<4xi64>, %out: memref<4xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %given) -> (memref<4xi64>) {
    %new = memref.alloc() : memref<4xi64>
    memref.copy %x, %new : memref<4xi64> to memref<4xi64>
    scf.yield %new : memref<4xi64>
  }
  %a = memref.alloc() : memref<4xi64>
  memref.copy %given, %a : memref<4xi64> to memref<4xi64>
  linalg.add ins(%a, %r : memref<4xi64>, memref<4xi64>) outs(%out : memref<4xi64>)
  memref.dealloc %a : memref<4xi64>
  return
}

// Of two clones made at one op, the buffers of the first are freed before the second is made.

// CLONES-LABEL: func.func @two_clones(
// CLONES: %[[A:.*]] = memref.alloc() {alignment = 16 : i64} : memref<4xi64>
// CLONES-NEXT: %[[B:.*]] = memref.alloc() {alignment = 16 : i64} : memref<4xi64>
// CLONES: memref.copy %{{.*}}, %[[FIRST:.*]] : memref<4xi64> to memref<4xi64>
// CLONES-NEXT: memref.dealloc %[[A]] : memref<4xi64>
// CLONES-NEXT: memref.dealloc %[[B]] : memref<4xi64>
// CLONES-NEXT: %[[SECOND:.*]] = memref.alloc
// CLONES: cf.br ^{{.*}}(%[[FIRST]], %[[SECOND]] :
func.func @two_clones(%c: i1, %p: i1, %q: i1, %out: memref<4xi64>) {
  %a = memref.alloc() {alignment = 16 : i64} : memref<4xi64>
  %b = memref.alloc() {alignment = 16 : i64} : memref<4xi64>
  %d = memref.alloc() : memref<4xi64>
  %e = memref.alloc() : memref<4xi64>
  linalg.add ins(%out, %out : memref<4xi64>, memref<4xi64>) outs(%a : memref<4xi64>)
  linalg.add ins(%a, %out : memref<4xi64>, memref<4xi64>) outs(%b : memref<4xi64>)
  linalg.add ins(%b, %out : memref<4xi64>, memref<4xi64>) outs(%d : memref<4xi64>)
  linalg.add ins(%d, %out : memref<4xi64>, memref<4xi64>) outs(%e : memref<4xi64>)
  %s = arith.select %p, %a, %b : memref<4xi64>
  %t = arith.select %q, %d, %e : memref<4xi64>
  cf.cond_br %c, ^join(%s, %t : memref<4xi64>, memref<4xi64>), ^others
^others:
  %f = memref.alloc() : memref<4xi64>
  %g = memref.alloc() : memref<4xi64>
  linalg.add ins(%out, %out : memref<4xi64>, memref<4xi64>) outs(%f : memref<4xi64>)
  linalg.add ins(%f, %out : memref<4xi64>, memref<4xi64>) outs(%g : memref<4xi64>)
  cf.br ^join(%f, %g : memref<4xi64>, memref<4xi64>)
^join(%x: memref<4xi64>, %y: memref<4xi64>):
  linalg.add ins(%x, %y : memref<4xi64>, memref<4xi64>) outs(%out : memref<4xi64>)
  return
}

// A bit on the heap is freed where it has been read for the last time.

// CHECK-LABEL: func.func @bit_on_the_heap(
// CHECK: %[[BIT:.*]] = memref.alloc() : memref<i1>
// CHECK: scf.for
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<4xi64>
// CHECK: %[[OWNS:.*]] = memref.load %[[BIT]][] : memref<i1>
// CHECK-NEXT: memref.dealloc %[[BIT]] : memref<i1>
// CHECK-NEXT: scf.if %[[OWNS]]
func.func @bit_on_the_heap(%given: memref<4xi64>, %out: memref<4xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %given) -> (memref<4xi64>) {
      %new = memref.alloc() : memref<4xi64>
      memref.copy %x, %new : memref<4xi64> to memref<4xi64>
      scf.yield %new : memref<4xi64>
    }
    %v = memref.load %r[%c0] : memref<4xi64>
    memref.store %v, %out[%k] : memref<4xi64>
    scf.reduce
  }
  return
}
