// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT < %t
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s --check-prefix=MERGED
// RUN: FileCheck %s --check-prefix=LEFT < %t

// A buffer that the program has freed may still be passed on by name, if nobody looks at it there.
// LEFT-NOT: Function={{(unused|freed|looked)}}

// CHECK-LABEL: func.func @unused_result(
// CHECK: %[[A:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[O:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: scf.execute_region
// CHECK: memref.copy %[[X:.*]], %{{.*}} : memref<?xf32> to memref<?xf32>
// CHECK-NEXT: memref.dealloc %[[O]]
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: scf.yield %[[X]]
// CHECK-NOT: dealloc
// CHECK: return
// MERGED-LABEL: func.func @unused_result(
// MERGED-COUNT-2: memref.dealloc
// MERGED-NOT: memref.dealloc
// MERGED: return
func.func @unused_result(%c: i1, %n: index, %buf: memref<8xf32>, %out: memref<?xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %cast = memref.cast %a : memref<8xf32> to memref<?xf32>
  %o = memref.alloc(%n) : memref<?xf32>
  memref.copy %buf, %a : memref<8xf32> to memref<8xf32>
  memref.copy %out, %o : memref<?xf32> to memref<?xf32>
  %r = scf.execute_region -> memref<?xf32> {
    cf.cond_br %c, ^b(%cast : memref<?xf32>), ^b(%o : memref<?xf32>)
  ^b(%x: memref<?xf32>):
    memref.copy %x, %out : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<8xf32>
    scf.yield %x : memref<?xf32>
  }
  return
}

// Handed on from target to target, and used by none.
// CHECK-LABEL: func.func @unused_in_circles(
// CHECK: %[[B:.*]] = memref.alloc(
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK: memref.dealloc %[[A]] :
// CHECK-NEXT: cf.br ^[[HEAD:.*]](%[[A]], %[[B]] :
// CHECK-NEXT: ^[[HEAD]](
// CHECK-NEXT: cf.cond_br %{{.*}}, ^[[HEAD]](%{{.*}}), ^[[END:.*]]
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT: memref.copy %[[B]]
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: return
// MERGED-LABEL: func.func @unused_in_circles(
// MERGED-COUNT-2: memref.dealloc
// MERGED-NOT: memref.dealloc
// MERGED: return
func.func @unused_in_circles(%c: i1, %n: index, %out: memref<?xf32>) {
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %out, %b : memref<?xf32> to memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %b, %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  cf.br ^head(%a, %b : memref<?xf32>, memref<?xf32>)
^head(%x: memref<?xf32>, %y: memref<?xf32>):
  cf.cond_br %c, ^head(%y, %x : memref<?xf32>, memref<?xf32>), ^end
^end:
  memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  return
}

// What is freed on one path only is freed on the other, too: where it is passed on.
// CHECK-LABEL: func.func @freed_on_one_path(
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK: scf.if
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: scf.yield
// CHECK: else
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: return
// MERGED-LABEL: func.func @freed_on_one_path(
// MERGED-COUNT-2: memref.dealloc
// MERGED-NOT: memref.dealloc
// MERGED: return
func.func @freed_on_one_path(%c: i1, %n: index, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %out, %a : memref<?xf32> to memref<?xf32>
  %r = scf.if %c -> memref<?xf32> {
    memref.copy %a, %out : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %a : memref<?xf32>
  }
  return
}

// An allocation of the region itself.
// CHECK-LABEL: func.func @freed_where_it_is_made(
// CHECK: scf.if
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: else
// CHECK-NEXT: scf.yield %{{.*}}
// CHECK-NOT: dealloc
// CHECK: return
// MERGED-LABEL: func.func @freed_where_it_is_made(
// MERGED-COUNT-1: memref.dealloc
// MERGED-NOT: memref.dealloc
// MERGED: return
func.func @freed_where_it_is_made(%c: i1, %n: index, %out: memref<?xf32>) {
  %r = scf.if %c -> memref<?xf32> {
    %a = memref.alloc(%n) : memref<?xf32>
    memref.copy %out, %a : memref<?xf32> to memref<?xf32>
    memref.copy %a, %out : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %out : memref<?xf32>
  }
  return
}

// One name of two that an operand is passed to is used: that is a need of both.
// CHECK-LABEL: func.func @looked_at(
// CHECK: memref.copy
// CHECK: %[[R:.*]] = scf.for
// CHECK: memref.copy
// CHECK-NOT: dealloc
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: return
// MERGED-LABEL: func.func @looked_at(
// MERGED-COUNT-1: memref.dealloc
// MERGED-NOT: memref.dealloc
// MERGED: return
func.func @looked_at(%n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %out, %a : memref<?xf32> to memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (memref<?xf32>) {
    memref.copy %x, %out : memref<?xf32> to memref<?xf32>
    scf.yield %x : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  return
}

// Two buffers are exchanged and freed by their new names, which the pass leaves to the program. A
// name that is only looked at takes no third one with them.
// CHECK-LABEL: func.func @only_looked_at(
// CHECK: memref.dealloc
// CHECK: %[[Z:.*]] = memref.alloc(
// CHECK: %[[NAME:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Z]]
// CHECK-NEXT: memref.copy %[[NAME]]
// CHECK-NEXT: memref.dealloc %[[Z]]
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: return
// MERGED-LABEL: func.func @only_looked_at(
// MERGED-COUNT-3: memref.dealloc
// MERGED-NOT: memref.dealloc
// MERGED: return
// LEFT: "it is freed in a way that shows no single owner on every path"
// LEFT: "it is freed in a way that shows no single owner on every path"
// LEFT-NOT: remark
func.func @only_looked_at(%c: i1, %d: i1, %n: index, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %x = arith.select %c, %a, %b : memref<?xf32>
  %y = arith.select %c, %b, %a : memref<?xf32>
  memref.copy %out, %y : memref<?xf32> to memref<?xf32>
  memref.dealloc %x : memref<?xf32>
  %z = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %z : memref<?xf32> to memref<?xf32>
  %name = arith.select %d, %y, %z : memref<?xf32>
  memref.copy %name, %out : memref<?xf32> to memref<?xf32>
  memref.dealloc %y : memref<?xf32>
  return
}
