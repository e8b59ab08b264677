// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=hoist-parallel --split-input-file | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=hoist-parallel --split-input-file --remarks-filter=merge-alloc 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --merge-alloc --split-input-file | FileCheck %s --check-prefix=OFF

// One alloc before the loop, a slice per iteration: as many bytes as the arena, rounded up to its
// alignment.

// CHECK-LABEL: func @slices
// CHECK:         %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
// CHECK:         scf.parallel (%[[I:.*]]) =
// CHECK:           %[[STRIDE:.*]] = arith.constant 128 : index
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[I]], %[[STRIDE]] : index
// CHECK:           %[[SLICE:.*]] = memref.view %[[ALL]][%[[OFFSET]]][] : memref<1024xi8> to memref<80xi8>
// CHECK:           memref.view %[[SLICE]][%{{.*}}][] : memref<80xi8> to memref<20xf32>
// CHECK-NOT:       memref.dealloc
// CHECK:           scf.reduce
// CHECK:         memref.dealloc %[[ALL]]
// CHECK-NEXT:    return
// SAID: remark: [Passed] hoisted {{.*}}Function=slices{{.*}}"1 buffers put into one arena of 80 bytes, made once for 8 iterations"
// OFF-LABEL:   func @slices
// OFF:           scf.parallel
// OFF:             memref.alloc() {alignment = 64 : i64} : memref<80xi8>
// OFF:             memref.dealloc
func.func @slices(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<20xf32>
    memref.store %x, %a[%c0] : memref<20xf32>
    scf.reduce
  }
  return
}

// -----

// The linear index of an iteration: from its lower bounds, in steps, the last dimension fastest.

// CHECK-LABEL: func @linear_index
// CHECK:         memref.alloc() {{.*}} : memref<768xi8>
// CHECK:         scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK:           %[[LOWER:.*]] = arith.constant 1 : index
// CHECK:           %[[D:.*]] = arith.subi %[[I]], %[[LOWER]]
// CHECK:           %[[STEP:.*]] = arith.constant 3 : index
// CHECK:           %[[T:.*]] = arith.divui %[[D]], %[[STEP]]
// CHECK:           %[[TWO:.*]] = arith.constant 2 : index
// CHECK:           %[[U:.*]] = arith.divui %[[J]], %[[TWO]]
// CHECK:           %[[FOUR:.*]] = arith.constant 4 : index
// CHECK:           %[[ROW:.*]] = arith.muli %[[T]], %[[FOUR]]
// CHECK:           %[[INDEX:.*]] = arith.addi %[[ROW]], %[[U]]
// CHECK:           arith.muli %[[INDEX]],
func.func @linear_index(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i, %j) = (%c1, %c0) to (%c8, %c8) step (%c3, %c2) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    scf.reduce
  }
  return
}

// -----

// A forall, in a sequential loop: its slices share bytes with what lives before it.

// CHECK-LABEL: func @around
// CHECK:         %[[ARENA:.*]] = memref.alloc() {{.*}} : memref<512xi8>
// CHECK:         scf.for
// CHECK:           memref.view %[[ARENA]][%{{.*}}][] : memref<512xi8> to memref<100xf32>
// CHECK:           %[[ALL:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<512xi8> to memref<512xi8>
// CHECK-NOT:       memref.alloc
// CHECK:           scf.forall
// CHECK-NOT:       memref.alloc
// CHECK:           memref.view %[[ALL]]
// CHECK:         memref.dealloc %[[ARENA]]
// CHECK-NEXT:    return
func.func @around(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %n = %c0 to %c8 step %c1 {
    %before = memref.alloc() : memref<100xf32>
    memref.store %x, %before[%n] : memref<100xf32>
    scf.forall (%i) in (8) {
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%c0] : memref<16xf32>
    }
  }
  return
}

// -----

// Loops in loops: the inner slices are one buffer of the outer iteration.

// CHECK-LABEL: func @nested
// CHECK:         memref.alloc() {{.*}} : memref<2560xi8>
// CHECK:         scf.parallel
// CHECK:           %[[OUTER:.*]] = memref.view {{.*}} : memref<2560xi8> to memref<320xi8>
// CHECK:           %[[INNER:.*]] = memref.view %[[OUTER]][%{{.*}}][] : memref<320xi8> to memref<256xi8>
// CHECK:           scf.forall
// CHECK:             memref.view %[[INNER]][%{{.*}}][] : memref<256xi8> to memref<64xi8>
// CHECK-NOT:     memref.alloc
// SAID: Function=nested{{.*}}64 bytes, made once for 4 iterations
// SAID: Function=nested{{.*}}320 bytes, made once for 8 iterations
func.func @nested(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %keep = memref.alloc() : memref<16xf32>
    memref.store %x, %keep[%c0] : memref<16xf32>
    scf.forall (%j) in (4) {
      %a = memref.alloc() : memref<16xf32>
      %v = memref.load %keep[%j] : memref<16xf32>
      memref.store %v, %a[%c0] : memref<16xf32>
    }
    scf.reduce
  }
  return
}

// -----

// Bytes are hoisted, too, where nothing else is.

// CHECK-LABEL: func @bytes
// CHECK:         memref.alloc() {{.*}} : memref<512xi8>
// CHECK:         scf.parallel
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @bytes(%x: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<64xi8>
    memref.store %x, %a[%c0] : memref<64xi8>
    scf.reduce
  }
  return
}

// -----

// Bounds that are not constant, at the outer loop: the inner one is hoisted to it.

// CHECK-LABEL: func @dynamic
// CHECK-NOT:     memref.alloc
// CHECK:         scf.parallel
// CHECK:           memref.alloc() {{.*}} : memref<512xi8>
// CHECK:           scf.parallel
// CHECK-NOT:         memref.alloc
// CHECK:             scf.reduce
// CHECK:           memref.dealloc
// CHECK-NEXT:      scf.reduce
// SAID: Function=dynamic{{.*}}made once for 8 iterations
// SAID: [Missed] not-hoisted {{.*}}Function=dynamic{{.*}}Reason="its bounds and steps are not all constant, or it never runs", Remark="arena stays inside, one per iteration", Suggestion="run canonicalize, or tile to constant sizes"
func.func @dynamic(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%c8) step (%c1) {
      %a = memref.alloc() : memref<16xf32>
      memref.store %x, %a[%c0] : memref<16xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// A loop that is to run on other processors: their memory is not the host's.

// CHECK-LABEL: func @mapped
// CHECK:         scf.forall
// CHECK:           memref.alloc
// SAID: not-hoisted {{.*}}Function=mapped{{.*}}Reason="the loop is mapped to processors, whose memory may be another"
func.func @mapped(%x: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

// More iterations than can be counted.

// CHECK-LABEL: func @countless
// CHECK:         scf.parallel
// CHECK:           memref.alloc() {{.*}} : memref<64xi8>
// SAID: not-hoisted {{.*}}Function=countless{{.*}}Reason="18446744073709551615 iterations of 64 bytes are more than the limit", {{.*}}Suggestion="raise hoist-parallel-limit-in-bytes"
func.func @countless(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9223372036854775807 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    scf.reduce
  }
  return
}

// -----

// A distance that does not fit.

// CHECK-LABEL: func @distant
// CHECK:         scf.parallel
// CHECK:           memref.alloc
// SAID: not-hoisted {{.*}}Function=distant
func.func @distant(%x: f32) {
  %c0 = arith.constant 0 : index
  %low = arith.constant -9223372036854775808 : index
  %high = arith.constant 9223372036854775807 : index
  scf.parallel (%i) = (%low) to (%high) step (%high) {
    %a = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    scf.reduce
  }
  return
}

// -----

// OFF-LABEL: func @affine
// CHECK-LABEL: func @affine
// CHECK:         affine.parallel
// CHECK:           memref.alloc
// SAID: not-hoisted {{.*}}Function=affine{{.*}}Reason="iterations of affine.parallel are not counted"{{.*}}Suggestion="run lower-affine before"
func.func @affine(%x: f32) {
  affine.parallel (%i) = (0) to (8) {
    %a = memref.alloc() : memref<16xf32>
    affine.store %x, %a[%i] : memref<16xf32>
  }
  return
}
