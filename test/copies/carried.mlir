// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers that loops carry and allocate anew in each iteration: no allocation in an iteration, bit for bit the same.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{in-place=false},buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{arena=argument public keep-wrapper poison},buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stowage-memory{elide-copies stream-rows})' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-scf-to-cf,lift-cf-to-scf,canonicalize,elide-copies,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// SAME: equal
// RUN: stowage-opt %s --elide-copies | FileCheck %s
// RUN: stowage-opt %s --convert-scf-to-cf --lift-cf-to-scf --canonicalize --elide-copies | FileCheck %s --check-prefix=LIFTED

// Each cell of the old state is read where that of the new one is set.

// CHECK-LABEL: func.func private @update
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{[^(]*}} {
// CHECK: linalg.add ins(%[[A]], {{.*}} outs(%[[A]]
// CHECK: linalg.exp ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK: linalg.copy ins(%[[A]]
// LIFTED-LABEL: func.func private @update
// LIFTED: memref.alloc
// LIFTED-NOT: memref.alloc
// LIFTED-LABEL: func.func private @product
func.func private @update(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    linalg.add ins(%v, %x : memref<4xf32>, memref<4xf32>) outs(%s : memref<4xf32>)
    %t = memref.alloc() : memref<4xf32>
    linalg.exp ins(%s : memref<4xf32>) outs(%t : memref<4xf32>)
    scf.yield %t : memref<4xf32>
  }
  linalg.copy ins(%r : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// The old state is read when the new one is there in part: two buffers change places.

// CHECK-LABEL: func.func private @product
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[SPARE:.*]] = %{{[^)]*}})
// CHECK: linalg.matmul ins(%[[V]], {{.*}} outs(%[[SPARE]]
// CHECK: scf.yield %[[SPARE]], %[[V]]
// CHECK-NOT: memref.alloc
func.func private @product(%x: memref<2x2xf32>, %n: index, %y: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<2x2xf32>
  memref.copy %x, %a : memref<2x2xf32> to memref<2x2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (memref<2x2xf32>) {
    %s = memref.alloc() : memref<2x2xf32>
    linalg.fill ins(%one : f32) outs(%s : memref<2x2xf32>)
    linalg.matmul ins(%v, %x : memref<2x2xf32>, memref<2x2xf32>) outs(%s : memref<2x2xf32>)
    scf.yield %s : memref<2x2xf32>
  }
  linalg.copy ins(%r : memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return
}

// The older of two numbers is forgotten: the new one is made in it.

// CHECK-LABEL: func.func private @fibonacci
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{[^)]*}})
// CHECK-NOT: memref.alloc
// CHECK: linalg.add ins(%[[P]], %[[Q]] {{.*}} outs(%[[P]]
// CHECK: scf.yield %[[Q]], %[[P]]
// CHECK: memref.copy %{{.*}}, %arg2
func.func private @fibonacci(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.negf ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    linalg.add ins(%p, %q : memref<4xf32>, memref<4xf32>) outs(%s : memref<4xf32>)
    scf.yield %q, %s : memref<4xf32>, memref<4xf32>
  }
  memref.copy %r#1, %y : memref<4xf32> to memref<4xf32>
  return
}

// Two are new, and both need both old ones; another number is carried between them.

// CHECK-LABEL: func.func private @rotation
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0, %[[Q:.*]] = %{{.*}}, %[[SPARE:.*]] = %{{[^)]*}})
// CHECK-NOT: memref.alloc
// CHECK: scf.yield %{{.*}}, %[[SPARE]], %[[Q]]
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @rotation(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.negf ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %k = %c0, %q = %b) -> (memref<4xf32>, index, memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    linalg.add ins(%p, %q : memref<4xf32>, memref<4xf32>) outs(%s : memref<4xf32>)
    %t = memref.alloc() : memref<4xf32>
    linalg.sub ins(%p, %q : memref<4xf32>, memref<4xf32>) outs(%t : memref<4xf32>)
    %k1 = arith.addi %k, %c1 : index
    scf.yield %t, %k1, %s : memref<4xf32>, index, memref<4xf32>
  }
  %m = arith.minui %r#1, %c1 : index
  %v = memref.load %r#2[%m] : memref<4xf32>
  memref.copy %r#0, %y : memref<4xf32> to memref<4xf32>
  memref.store %v, %y[%c0] : memref<4xf32>
  return
}

// The state of a loop inside is that of the loop around it.

// CHECK-LABEL: func.func private @nested
// CHECK-COUNT-3: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @nested(%x: memref<2x2xf32>, %n: index, %y: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<2x2xf32>
  memref.copy %x, %a : memref<2x2xf32> to memref<2x2xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (memref<2x2xf32>) {
    %q = scf.for %j = %c0 to %c3 step %c1 iter_args(%u = %v) -> (memref<2x2xf32>) {
      %s = memref.alloc() : memref<2x2xf32>
      linalg.fill ins(%one : f32) outs(%s : memref<2x2xf32>)
      linalg.matmul ins(%u, %u : memref<2x2xf32>, memref<2x2xf32>) outs(%s : memref<2x2xf32>)
      scf.yield %s : memref<2x2xf32>
    }
    %t = memref.alloc() : memref<2x2xf32>
    linalg.add ins(%q, %x : memref<2x2xf32>, memref<2x2xf32>) outs(%t : memref<2x2xf32>)
    scf.yield %t : memref<2x2xf32>
  }
  linalg.copy ins(%r : memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return
}

// A condition that copies what it gives on, and a state that leaves the function.

// CHECK-LABEL: func.func private @until
// CHECK: scf.while : () -> ()
// CHECK-NOT: memref.alloc
// CHECK: scf.condition
// CHECK-NOT: memref.alloc
// CHECK: return %[[R:.*]] : memref<4xf32>
func.func private @until(%x: memref<4xf32>, %limit: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = scf.while (%v = %a) : (memref<4xf32>) -> (memref<4xf32>) {
    %f = memref.load %v[%c0] : memref<4xf32>
    %go = arith.cmpf olt, %f, %limit : f32
    %kept = memref.alloc() : memref<4xf32>
    memref.copy %v, %kept : memref<4xf32> to memref<4xf32>
    scf.condition(%go) %kept : memref<4xf32>
  } do {
  ^bb0(%v: memref<4xf32>):
    %s = memref.alloc() : memref<4xf32>
    linalg.add ins(%v, %v : memref<4xf32>, memref<4xf32>) outs(%s : memref<4xf32>)
    scf.yield %s : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// Both regions of a loop make something new out of all of the old.

// CHECK-LABEL: func.func private @both_regions
// CHECK: scf.while (%{{[^)]*}}, %{{[^)]*}}, %{{[^)]*}}) :
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @both_regions(%x: memref<2x2xf32>, %limit: f32, %y: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<2x2xf32>
  memref.copy %x, %a : memref<2x2xf32> to memref<2x2xf32>
  %r = scf.while (%v = %a) : (memref<2x2xf32>) -> (memref<2x2xf32>) {
    %f = memref.load %v[%c0, %c0] : memref<2x2xf32>
    %go = arith.cmpf olt, %f, %limit : f32
    %t = memref.alloc() : memref<2x2xf32>
    linalg.transpose ins(%v : memref<2x2xf32>) outs(%t : memref<2x2xf32>) permutation = [1, 0]
    scf.condition(%go) %t : memref<2x2xf32>
  } do {
  ^bb0(%v: memref<2x2xf32>):
    %s = memref.alloc() : memref<2x2xf32>
    linalg.fill ins(%one : f32) outs(%s : memref<2x2xf32>)
    linalg.matmul ins(%v, %v : memref<2x2xf32>, memref<2x2xf32>) outs(%s : memref<2x2xf32>)
    scf.yield %s : memref<2x2xf32>
  }
  linalg.copy ins(%r : memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return
}

// Loads and stores, in an affine loop.

// CHECK-LABEL: func.func private @affine
// CHECK: affine.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[SPARE:.*]] = %{{[^)]*}})
// CHECK-NOT: memref.alloc
// CHECK: affine.yield %[[SPARE]], %[[V]]
func.func private @affine(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = affine.for %i = 0 to %n iter_args(%v = %a) -> (memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    affine.for %j = 0 to 4 {
      %p = affine.load %v[3 - %j] : memref<4xf32>
      %q = arith.addf %p, %p : f32
      affine.store %q, %s[%j] : memref<4xf32>
    }
    affine.yield %s : memref<4xf32>
  }
  memref.copy %r, %y : memref<4xf32> to memref<4xf32>
  return
}

// The loop's first state is read when it has ended, and its states are read by another name.

// CHECK-LABEL: func.func private @kept
// CHECK: scf.for
// CHECK: memref.alloc
// CHECK: scf.for
// CHECK: memref.alloc
// CHECK: return
func.func private @kept(%x: memref<4xf32>, %n: index, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.negf ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    linalg.add ins(%v, %x : memref<4xf32>, memref<4xf32>) outs(%s : memref<4xf32>)
    scf.yield %s : memref<4xf32>
  }
  linalg.add ins(%r, %a : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %b, %w = %b) -> (memref<4xf32>, memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    linalg.add ins(%v, %w : memref<4xf32>, memref<4xf32>) outs(%s : memref<4xf32>)
    scf.yield %s, %v : memref<4xf32>, memref<4xf32>
  }
  linalg.add ins(%q#0, %q#1 : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// A loop that never runs carries no spare buffer.

// CHECK-LABEL: func.func private @never
// CHECK: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: affine.for
// CHECK: memref.alloc
// CHECK-LABEL: func.func private @show
func.func private @never(%x: memref<2x2xf32>, %y: memref<2x2xf32>) {
  %a = memref.alloc() : memref<2x2xf32>
  linalg.abs ins(%x : memref<2x2xf32>) outs(%a : memref<2x2xf32>)
  %r = affine.for %i = 3 to 3 iter_args(%v = %a) -> (memref<2x2xf32>) {
    %t = memref.alloc() : memref<2x2xf32>
    linalg.mul ins(%v, %x : memref<2x2xf32>, memref<2x2xf32>) outs(%t : memref<2x2xf32>)
    linalg.matmul ins(%v, %v : memref<2x2xf32>, memref<2x2xf32>) outs(%t : memref<2x2xf32>)
    affine.yield %t : memref<2x2xf32>
  }
  linalg.copy ins(%r : memref<2x2xf32>) outs(%y : memref<2x2xf32>)
  return
}

func.func private @show(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %m[%i] : memref<4xf32>
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
  %c4 = arith.constant 4 : index
  %third = arith.constant 0.33 : f32
  %limit = arith.constant 40.0 : f32
  %x = memref.alloc() : memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %g = arith.addf %f, %third : f32
    memref.store %g, %x[%i] : memref<4xf32>
  }
  %x2 = memref.expand_shape %x [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  %y2 = memref.expand_shape %y [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  scf.for %n = %c0 to %c4 step %c1 {
    func.call @never(%x2, %y2) : (memref<2x2xf32>, memref<2x2xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @update(%x, %n, %y) : (memref<4xf32>, index, memref<4xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @product(%x2, %n, %y2) : (memref<2x2xf32>, index, memref<2x2xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @fibonacci(%x, %n, %y) : (memref<4xf32>, index, memref<4xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @rotation(%x, %n, %y) : (memref<4xf32>, index, memref<4xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @nested(%x2, %n, %y2) : (memref<2x2xf32>, index, memref<2x2xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    %u = func.call @until(%x, %limit) : (memref<4xf32>, f32) -> memref<4xf32>
    func.call @show(%u) : (memref<4xf32>) -> ()
    func.call @both_regions(%x2, %limit, %y2) : (memref<2x2xf32>, f32, memref<2x2xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @affine(%x, %n, %y) : (memref<4xf32>, index, memref<4xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
    func.call @kept(%x, %n, %y) : (memref<4xf32>, index, memref<4xf32>) -> ()
    func.call @show(%y) : (memref<4xf32>) -> ()
  }
  return
}
