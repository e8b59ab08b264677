// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers of dynamic shape: what their arena is, and where.

// RUN: stowage-opt %s --allow-unregistered-dialect --split-input-file --verify-each \
// RUN:     -merge-alloc="dynamic=exact unknown-ops=use" -canonicalize -cse | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --split-input-file \
// RUN:     -merge-alloc="unknown-ops=use" | FileCheck %s --check-prefix=OFF

// RUN: stowage-opt %s --allow-unregistered-dialect --split-input-file --remarks-filter=merge-alloc \
// RUN:     -merge-alloc="dynamic=exact unknown-ops=use" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Which of two that are never alive together is the larger is not known.

// CHECK-LABEL: func @apart(
// CHECK-DAG: %[[N:.*]] = memref.dim %arg0, %c0
// CHECK-DAG: %[[M:.*]] = memref.dim %arg0, %c1
// CHECK-DAG: %[[A:.*]] = arith.muli %[[N]], %c2048
// CHECK-DAG: %[[B:.*]] = arith.muli %[[M]], %c2048
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[A]], %[[B]]
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[SIZE]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK: memref.view %[[ARENA]][%c0][%[[N]]] : memref<?xi8> to memref<?x512xf32>
// CHECK: memref.view %[[ARENA]][%c0][%[[M]]] : memref<?xi8> to memref<?x512xf32>
// CHECK: memref.dealloc %[[ARENA]]
// OFF-LABEL: func @apart(
// OFF-COUNT-2: memref.alloc(%{{.*}}) : memref<?x512xf32>
func.func @apart(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = memref.alloc(%n) : memref<?x512xf32>
  "test.use"(%a) : (memref<?x512xf32>) -> ()
  %b = memref.alloc(%m) : memref<?x512xf32>
  "test.use"(%b) : (memref<?x512xf32>) -> ()
  return
}

// -----

// 512 n beside, in time, two of 256 n that overlap: all sizes are multiples of n, nothing is compared.

// CHECK-LABEL: func @multiples(
// CHECK-NOT: arith.max
// CHECK: %[[SIZE:.*]] = arith.muli %{{.*}}, %c512
// CHECK: memref.alloc(%[[SIZE]])
// CHECK-NOT: memref.alloc
func.func @multiples(%x: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  %a = memref.alloc(%n) : memref<?x512xi8>
  "test.use"(%a) : (memref<?x512xi8>) -> ()
  %b = memref.alloc(%n) : memref<?x256xi8>
  %c = memref.alloc(%n) : memref<?x256xi8>
  "test.use"(%b, %c) : (memref<?x256xi8>, memref<?x256xi8>) -> ()
  return
}

// -----

// A buffer of known size is in the same arena.

// CHECK-LABEL: func @together(
// CHECK: %[[END:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[SIZE:.*]] = arith.addi %[[END]], %c400
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[SIZE]])
// CHECK: memref.view %[[ARENA]][%{{.*}}][] : memref<?xi8> to memref<100xf32>
// CHECK-NOT: memref.alloc
func.func @together(%x: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  %a = memref.alloc(%n) : memref<?x64xi8>
  %b = memref.alloc() : memref<100xf32>
  "test.use"(%a, %b) : (memref<?x64xi8>, memref<100xf32>) -> ()
  return
}

// -----

// The size of a branch that is not taken may be anything: with its bit as a factor it counts in the
// arena around. Of a loop that runs it is the last iteration's.

// CHECK-LABEL: func @guarded(
// CHECK-DAG: %[[BYTES:.*]] = arith.maxsi %arg0, %c0
// CHECK-DAG: %[[YES:.*]] = arith.index_castui %arg1 : i1 to index
// CHECK-DAG: %[[NO:.*]] = arith.subi %c1, %[[YES]]
// CHECK-DAG: arith.muli %[[BYTES]], %[[YES]]
// CHECK-DAG: arith.muli %[[BYTES]], %[[NO]]
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: scf.if
// CHECK: memref.view %[[ARENA]]
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK-COUNT-2: memref.view %[[ARENA]][%{{.*}}][%[[I]]]
// CHECK: memref.dealloc %[[ARENA]]
func.func @guarded(%n: index, %bit: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %bit {
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %b = memref.alloc(%n) : memref<?xf64>
    "test.use"(%b) : (memref<?xf64>) -> ()
  } else {
    %a = memref.alloc(%n) : memref<?xi8>
    "test.use"(%a) : (memref<?xi8>) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%i) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %b = memref.alloc(%i) : memref<?xf64>
    "test.use"(%b) : (memref<?xf64>) -> ()
  }
  return
}

// -----

// The last of %i = 0, 3, 6, ... below %n is 3 * ((%n - 1) / 3).

// CHECK-LABEL: func @strides(
// CHECK: %[[BEFORE:.*]] = arith.addi %arg0, %c-1
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[BEFORE]], %c0
// CHECK: %[[LAST:.*]] = arith.divui %[[COUNT]], %c3
// CHECK: memref.alloc
// CHECK: scf.for
// CHECK-NOT: memref.alloc
func.func @strides(%n: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c3 {
    %a = memref.alloc(%i) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// What is known in a branch only has an arena there, and so has a size that first falls and then grows.

// REMARK: Function=inside {{.*}}; it is made each time a region of scf.if runs, as sizes are known there only
// REMARK: Function=inside {{.*}}; it is made each time a region of scf.for runs, as sizes are known there only
// REMARK-NOT: each time

// CHECK-LABEL: func @inside(
// CHECK-NOT: memref.alloc
// CHECK: scf.if
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: memref.dealloc %[[ARENA]]
// CHECK: scf.for %[[I:.*]] = %arg1
// CHECK: %[[INNER:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-COUNT-2: memref.view %[[INNER]]
// CHECK: memref.dealloc %[[INNER]]
func.func @inside(%n: index, %from: index, %bit: i1) {
  scf.if %bit {
    %k = "test.number"() : () -> index
    %a = memref.alloc(%k) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %b = memref.alloc(%k) : memref<?xf64>
    "test.use"(%b) : (memref<?xf64>) -> ()
  }
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %n step %c1 {
    %left = arith.subi %n, %i : index
    %more = arith.maxsi %i, %left : index
    %a = memref.alloc(%more) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %b = memref.alloc(%more) : memref<?xf64>
    "test.use"(%b) : (memref<?xf64>) -> ()
  }
  return
}

// -----

// A loop that begins at any number, and a size that falls from iteration to iteration: the last size, and the first.

// CHECK-LABEL: func @counted(
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: scf.for %[[I:.*]] = %arg1
// CHECK-COUNT-2: memref.view %{{.*}}[%[[I]]]
// CHECK: scf.for
// CHECK: memref.view
func.func @counted(%n: index, %from: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %n step %c1 {
    %a = memref.alloc(%i) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %b = memref.alloc(%i) : memref<?xf64>
    "test.use"(%b) : (memref<?xf64>) -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    %left = arith.subi %n, %i : index
    %a = memref.alloc(%left) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// Constant bounds of an affine loop: the arena is for 3 + 5 * 11 = 58 and for 100 - 3 = 97 elements, both of them numbers.

// CHECK-LABEL: func @affine(
// CHECK: %[[ARENA:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: affine.for %[[I:.*]] = 3 to 60 step 5
// CHECK-COUNT-2: memref.view %[[ARENA]]
// CHECK: affine.for %{{.*}} = max
// CHECK: memref.view %[[ARENA]]
func.func @affine(%n: index, %m: index) {
  affine.for %i = 3 to 60 step 5 {
    %a = memref.alloc(%i) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %left = affine.apply affine_map<(d0) -> (100 - d0)>(%i)
    %b = memref.alloc(%left) : memref<?xf32>
    "test.use"(%b) : (memref<?xf32>) -> ()
  }
  affine.for %i = max affine_map<(d0) -> (2, d0 - 5)>(%n) to min affine_map<(d0)[s0] -> (d0, s0 * 2)>(%n)[%m] {
    %a = memref.alloc(%i) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// A size that is computed later begins another arena, where it is known. The figures of each are for the sizes that it reads.

// CHECK-LABEL: func @late(
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: %[[K:.*]] = "test.number"
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT: memref.alloc
// REMARK: Function=late | {{.*}}; for arg0=64: the arena has 4*max(arg0, 0) bytes
// REMARK: Function=late | {{.*}}; for v1=64: the arena has 8*max(0, v1) bytes
// REMARK-NOT: each time
func.func @late(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  %k = "test.number"() : () -> index
  %b = memref.alloc(%k) : memref<?xf32>
  "test.use"(%b) : (memref<?xf32>) -> ()
  %c = memref.alloc(%k) : memref<?xf64>
  "test.use"(%c) : (memref<?xf64>) -> ()
  return
}

// -----

// The cases of a switch share the arena: each counts where its number is asked for, what no case is for where none is. Upstream
// lowers the number to 32 bits.

// CHECK-LABEL: func @switched(
// CHECK: arith.cmpi eq, %arg1, %{{.*}} : index
// CHECK: %[[PART:.*]] = arith.index_cast %arg1 : index to i32
// CHECK: arith.cmpi eq, %[[PART]], %{{.*}} : i32
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: scf.index_switch
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @switched(%n: index, %k: index) {
  scf.index_switch %k
  case 0 {
    %a = memref.alloc(%n) : memref<?x512xf32>
    "test.use"(%a) : (memref<?x512xf32>) -> ()
    scf.yield
  }
  case -3 {
    %twice = arith.addi %n, %n : index
    %a = memref.alloc(%twice) : memref<?x64xf32>
    "test.use"(%a) : (memref<?x64xf32>) -> ()
    scf.yield
  }
  default {
    %a = memref.alloc(%n) : memref<?x16xf32>
    "test.use"(%a) : (memref<?x16xf32>) -> ()
  }
  return
}

// -----

// Both halves of a loop with a condition: the first runs in any case, the second where the first turn goes on, which is computed from what
// the loop is given. A size of a turn stays in the loop.

// CHECK-LABEL: func @turns(
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %arg1, %arg2 : index
// CHECK: arith.index_castui %[[MORE]] : i1 to index
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: scf.while
// CHECK: memref.view
// CHECK: } do {
// CHECK: memref.view
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: return
// REMARK: Function=turns {{.*}}; it is made each time a region of scf.while runs, as sizes are known there only
func.func @turns(%n: index, %first: index, %end: index) {
  %c1 = arith.constant 1 : index
  %last = scf.while (%i = %first) : (index) -> index {
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %more = arith.cmpi slt, %i, %end : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %b = memref.alloc(%n) : memref<?x4xf32>
    "test.use"(%b) : (memref<?x4xf32>) -> ()
    %c = memref.alloc(%i) : memref<?xf32>
    "test.use"(%c) : (memref<?xf32>) -> ()
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// What an inner loop is given differs in each turn of the outer one: its first turn is no question for what stands outside.

// CHECK-LABEL: func @inner_turns(
// CHECK-NOT: memref.alloc
// CHECK: scf.while
// CHECK: } do {
// CHECK: scf.while
// CHECK: } do {
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// REMARK: Function=inner_turns {{.*}}; it is made each time a region of scf.while runs, as it is not known earlier whether one does
// REMARK-NOT: each time
func.func @inner_turns(%n: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %end : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %inner = scf.while (%j = %i) : (index) -> index {
      %more = arith.cmpi sgt, %j, %c1 : index
      scf.condition(%more) %j : index
    } do {
    ^bb0(%j: index):
      %b = memref.alloc(%n) : memref<?x4xf32>
      "test.use"(%b) : (memref<?x4xf32>) -> ()
      %less = arith.subi %j, %c1 : index
      scf.yield %less : index
    }
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// Loops that count in i64, or between constants in i32. Nothing is known of one that counts to an i32.

// CHECK-LABEL: func @widths(
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// REMARK: Function=widths {{.*}} bytes
// REMARK: Function=widths {{.*}}; it is made each time a region of scf.for runs, as it is not known earlier whether one does
func.func @widths(%n: index, %wide: i64, %narrow: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %least = arith.constant -8 : i32
  %two = arith.constant 2 : i32
  %most = arith.constant 8 : i32
  scf.for %i = %zero to %wide step %one : i64 {
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
  }
  scf.for %i = %least to %most step %two : i32 {
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
  }
  scf.for %i = %least to %narrow step %two : i32 {
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    "test.use"(%b) : (memref<?xf32>) -> ()
    memref.dealloc %b : memref<?xf32>
  }
  return
}

// -----

// Of a condition, eight ops in a row are computed in front of a loop, and no more.

// CHECK-LABEL: func @eight(
// CHECK: memref.alloc(
// CHECK: scf.while
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func @nine(
// CHECK: } do {
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// REMARK: Function=eight {{.*}} bytes
// REMARK: Function=nine {{.*}}; it is made each time a region of scf.while runs, as more than 8 ops in a row tell earlier whether one does, or with which sizes
func.func @eight(%n: index, %x: index) {
  %last = scf.while (%i = %x) : (index) -> index {
    %0 = arith.xori %i, %n : index
    %1 = arith.xori %0, %n : index
    %2 = arith.xori %1, %n : index
    %3 = arith.xori %2, %n : index
    %4 = arith.xori %3, %n : index
    %5 = arith.xori %4, %n : index
    %6 = arith.xori %5, %n : index
    %more = arith.cmpi slt, %6, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    "test.use"(%b) : (memref<?xf32>) -> ()
    memref.dealloc %b : memref<?xf32>
    scf.yield %i : index
  }
  return
}
func.func @nine(%n: index, %x: index) {
  %last = scf.while (%i = %x) : (index) -> index {
    %0 = arith.xori %i, %n : index
    %1 = arith.xori %0, %n : index
    %2 = arith.xori %1, %n : index
    %3 = arith.xori %2, %n : index
    %4 = arith.xori %3, %n : index
    %5 = arith.xori %4, %n : index
    %6 = arith.xori %5, %n : index
    %7 = arith.xori %6, %n : index
    %more = arith.cmpi slt, %7, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    "test.use"(%b) : (memref<?xf32>) -> ()
    memref.dealloc %b : memref<?xf32>
    scf.yield %i : index
  }
  return
}

// -----

// A size that is computed in an op that runs when its block does is not known in front of that: the arena is made in it.

// CHECK-LABEL: func @within(
// CHECK: scf.execute_region
// CHECK: %[[K:.*]] = "test.number"
// CHECK: %[[BYTES:.*]] = arith.muli
// CHECK-NEXT: memref.alloc(%[[BYTES]]) {{.*}} : memref<?xi8>
// CHECK-NOT: memref.alloc(
// CHECK: memref.dealloc
// CHECK-NEXT: scf.yield
// REMARK: Function=within | {{.*}}put into one arena{{.*}} it is made each time a region of scf.execute_region runs
func.func @within(%bit: i1) {
  scf.execute_region no_inline {
    %k = "test.number"() : () -> index
    %a = memref.alloc(%k) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
    %b = memref.alloc(%k) : memref<?xf32>
    "test.use"(%b) : (memref<?xf32>) -> ()
    memref.dealloc %b : memref<?xf32>
    scf.yield
  }
  return
}

// -----

// What is given to the op around lives on there, where its size is not known.

// CHECK-LABEL: func @yielded(
// CHECK: scf.execute_region
// CHECK: %[[K:.*]] = "test.number"
// CHECK-NEXT: memref.alloc(%[[K]]) : memref<?xf32>
// REMARK: not-certain | {{.*}}Function=yielded
func.func @yielded() {
  %r = scf.execute_region -> memref<?xf32> no_inline {
    %k = "test.number"() : () -> index
    %a = memref.alloc(%k) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    scf.yield %a : memref<?xf32>
  }
  "test.use"(%r) : (memref<?xf32>) -> ()
  memref.dealloc %r : memref<?xf32>
  return
}

// -----

// Arithmetic behind the first alloc is computed in front of the arena.

// CHECK-LABEL: func @behind(
// CHECK: arith.ceildivsi
// CHECK: %[[ARENA:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
func.func @behind(%n: index, %d: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  %c3 = arith.constant 3 : index
  %q = arith.ceildivsi %n, %c3 : index
  %b = memref.alloc(%q) : memref<?xf32>
  "test.use"(%b) : (memref<?xf32>) -> ()
  return
}

// -----

// A block that may not run: its buffers are left alone.

// CHECK-LABEL: func @blocks(
// CHECK: memref.alloc(%arg0) : memref<?xf32>
func.func @blocks(%n: index, %bit: i1) {
  cf.cond_br %bit, ^some, ^end
^some:
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  cf.br ^end
^end:
  return
}

// -----

// A result that is large enough for all sizes lends its bytes; one that may be too small does so where it is large enough, which
// is asked at run time.

// CHECK-LABEL: func @lends(
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c1024
// CHECK: %[[RESULT:.*]] = memref.alloc(%[[BYTES]])
// CHECK: %[[A:.*]] = memref.view %[[RESULT]][%c0]
// CHECK: %[[ARENA:.*]] = memref.alloc(
// CHECK: memref.dealloc %[[ARENA]]
// CHECK: return %[[A]]
func.func @lends(%x: memref<?x4xf32>) -> memref<?x256xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %v = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?x256xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<?x256xf32>)
  %b = memref.alloc(%n) : memref<?x128xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<?x128xf32>)
  "test.use"(%a) : (memref<?x256xf32>) -> ()
  %r = memref.alloc(%n) : memref<?x256xf32>
  linalg.fill ins(%v : f32) outs(%r : memref<?x256xf32>)
  "test.use"(%b) : (memref<?x128xf32>) -> ()
  return %r : memref<?x256xf32>
}

// -----

// CHECK-LABEL: func @may_be_too_small(
// CHECK: %[[NEEDED:.*]] = arith.muli %{{.*}}, %c1024
// CHECK: %[[RESULT:.*]] = arith.muli %{{.*}}, %c-1024
// CHECK: %[[MORE:.*]] = arith.addi %[[RESULT]], %[[NEEDED]]
// CHECK: %[[ABOVE:.*]] = arith.maxsi %[[MORE]], %c0
// CHECK: %[[TOO_SMALL:.*]] = arith.minsi %[[ABOVE]], %c1
// CHECK: arith.muli %{{.*}}, %[[TOO_SMALL]]
// CHECK: %[[LEAST:.*]] = arith.minui
// CHECK: %[[APART:.*]] = arith.cmpi eq, %{{.*}}, %[[LEAST]]
// CHECK: %[[ARENA:.*]] = memref.alloc(%[[LEAST]])
// CHECK: %[[RESULT:.*]] = memref.alloc(
// CHECK: arith.select %[[APART]], %[[ARENA]], %[[RESULT]] : memref<?xi8>
// CHECK: %[[MADE:.*]] = memref.view %[[RESULT]]
// CHECK: return %[[MADE]]
func.func @may_be_too_small(%x: memref<?x?xf32>) -> memref<?x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %v = arith.constant 1.0 : f32
  %a = memref.alloc(%m) : memref<?x256xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<?x256xf32>)
  %b = memref.alloc(%n) : memref<?x128xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<?x128xf32>)
  "test.use"(%a) : (memref<?x256xf32>) -> ()
  %r = memref.alloc(%n) : memref<?x256xf32>
  linalg.fill ins(%v : f32) outs(%r : memref<?x256xf32>)
  "test.use"(%b) : (memref<?x128xf32>) -> ()
  return %r : memref<?x256xf32>
}

// -----

// 4 n rounded up to 64 is never more than 1024 n: nothing is compared at run time.

// CHECK-LABEL: func @rounded(
// CHECK-NOT: arith.max
// CHECK: %[[SIZE:.*]] = arith.muli %{{.*}}, %c1024
// CHECK: memref.alloc(%[[SIZE]])
func.func @rounded(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  %b = memref.alloc(%n) : memref<?x256xf32>
  "test.use"(%b) : (memref<?x256xf32>) -> ()
  return
}
