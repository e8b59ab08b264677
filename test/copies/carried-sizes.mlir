// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers that loops carry, of a size that is known at run time only: updated in place where all of them surely have one.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{dynamic=exact poison},buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// SAME: equal
// RUN: stowage-opt %s --elide-copies | FileCheck %s
// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT

// CHECK-LABEL: func.func private @update
// CHECK: %[[A:.*]] = memref.alloc(
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{[^(]*}} {
// CHECK: linalg.exp ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK-LABEL: func.func
func.func private @update(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%size) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (memref<?xf32>) {
    %t = memref.alloc(%size) : memref<?xf32>
    linalg.exp ins(%v : memref<?xf32>) outs(%t : memref<?xf32>)
    scf.yield %t : memref<?xf32>
  }
  linalg.copy ins(%r : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}

// Each asks the one before for its size, along two dimensions.

// CHECK-LABEL: private @asked
// CHECK: memref.alloc(
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func
func.func private @asked(%x: memref<2x?x?xf32>, %limit: f32, %y: memref<2x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = memref.dim %x, %c1 : memref<2x?x?xf32>
  %w = memref.dim %x, %c2 : memref<2x?x?xf32>
  %a = memref.alloc(%h, %w) : memref<2x?x?xf32>
  linalg.abs ins(%x : memref<2x?x?xf32>) outs(%a : memref<2x?x?xf32>)
  %r = scf.while (%v = %a) : (memref<2x?x?xf32>) -> memref<2x?x?xf32> {
    %first = memref.load %v[%c0, %c0, %c0] : memref<2x?x?xf32>
    %more = arith.cmpf olt, %first, %limit : f32
    scf.condition(%more) %v : memref<2x?x?xf32>
  } do {
  ^bb0(%v: memref<2x?x?xf32>):
    %p = memref.dim %v, %c1 : memref<2x?x?xf32>
    %q = memref.dim %v, %c2 : memref<2x?x?xf32>
    %s = memref.alloc(%p, %q) : memref<2x?x?xf32>
    linalg.exp ins(%v : memref<2x?x?xf32>) outs(%s : memref<2x?x?xf32>)
    scf.yield %s : memref<2x?x?xf32>
  }
  linalg.copy ins(%r : memref<2x?x?xf32>) outs(%y : memref<2x?x?xf32>)
  return
}

// One that grows, and one whose dimensions change places, stay.

// CHECK-LABEL: private @grown
// CHECK: scf.for
// CHECK: memref.alloc(
// CHECK: scf.for
// CHECK: memref.alloc(
// LEFT: [[@LINE+24]]:{{.*}} [Missed] {{.*}} Reason=carried-type
// LEFT: [[@LINE+11]]:{{.*}} [Missed] {{.*}} Reason=carried-type
func.func private @grown(%x: memref<?xf32>, %n: index, %y: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 2.5 : f32
  %size = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%size) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (memref<?xf32>) {
    %old = memref.dim %v, %c0 : memref<?xf32>
    %new = arith.addi %old, %c1 : index
    %t = memref.alloc(%new) : memref<?xf32>
    %part = memref.subview %t[0] [%old] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    linalg.fill ins(%k : f32) outs(%t : memref<?xf32>)
    linalg.exp ins(%v : memref<?xf32>) outs(%part : memref<?xf32, strided<[1]>>)
    scf.yield %t : memref<?xf32>
  }
  %d = memref.dim %r, %c0 : memref<?xf32>
  %b = memref.alloc(%size, %c1) : memref<?x?xf32>
  linalg.broadcast ins(%x : memref<?xf32>) outs(%b : memref<?x?xf32>) dimensions = [1]
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%v = %b) -> (memref<?x?xf32>) {
    %h = memref.dim %v, %c0 : memref<?x?xf32>
    %w = memref.dim %v, %c1 : memref<?x?xf32>
    %t = memref.alloc(%w, %h) : memref<?x?xf32>
    linalg.transpose ins(%v : memref<?x?xf32>) outs(%t : memref<?x?xf32>) permutation = [1, 0]
    scf.yield %t : memref<?x?xf32>
  }
  %e = memref.dim %q, %c1 : memref<?x?xf32>
  %sum = arith.addi %d, %e : index
  return %sum : index
}

func.func private @show(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %size step %c1 {
    %v = memref.load %m[%i] : memref<?xf32>
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extsi %b : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func private @printI64(i64)
func.func private @printNewline()

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %third = arith.constant 0.33 : f32
  %limit = arith.constant 5.0 : f32
  %x = memref.alloc(%c8) : memref<?xf32>
  %y = memref.alloc(%c8) : memref<?xf32>
  linalg.fill ins(%third : f32) outs(%x : memref<?xf32>)
  memref.store %limit, %x[%c3] : memref<?xf32>
  %x3 = memref.reinterpret_cast %x to offset: [0], sizes: [2, 2, 2], strides: [4, 2, 1] : memref<?xf32> to memref<2x2x2xf32>
  %y3 = memref.reinterpret_cast %y to offset: [0], sizes: [2, 2, 2], strides: [4, 2, 1] : memref<?xf32> to memref<2x2x2xf32>
  %xd = memref.cast %x3 : memref<2x2x2xf32> to memref<2x?x?xf32>
  %yd = memref.cast %y3 : memref<2x2x2xf32> to memref<2x?x?xf32>
  scf.for %n = %c0 to %c4 step %c1 {
    func.call @update(%x, %n, %y) : (memref<?xf32>, index, memref<?xf32>) -> ()
    func.call @show(%y) : (memref<?xf32>) -> ()
    func.call @asked(%xd, %limit, %yd) : (memref<2x?x?xf32>, f32, memref<2x?x?xf32>) -> ()
    func.call @show(%y) : (memref<?xf32>) -> ()
    %s = func.call @grown(%x, %n, %y) : (memref<?xf32>, index, memref<?xf32>) -> index
    %w = arith.index_cast %s : index to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  memref.dealloc %x : memref<?xf32>
  memref.dealloc %y : memref<?xf32>
  return
}
