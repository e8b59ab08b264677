// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --check-arena-plan --split-input-file --remarks-filter=check-arena-plan -o /dev/null 2>&1 | FileCheck %s

// A view of an arena that control flow chooses is a view of each of these arenas.

// CHECK-NOT: remark
// CHECK: :[[#@LINE+13]]:3: error: overwrites
func.func @chosen_first(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %r = scf.if %bit -> memref<256xi8> {
    %p = memref.alloc() : memref<256xi8>
    scf.yield %p : memref<256xi8>
  } else {
    %q = memref.alloc() : memref<256xi8>
    scf.yield %q : memref<256xi8>
  }
  %a = memref.view %r[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %r[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Two arenas take turns, one of them filled ahead.
// CHECK-NOT: error
func.func @turns(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<256xi8>
  %q = memref.alloc() : memref<256xi8>
  %t0 = gpu.wait async
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %p, %k = %q, %u = %t0) -> (memref<256xi8>, memref<256xi8>, !gpu.async.token) {
    %a = memref.view %m[%c0][] : memref<256xi8> to memref<64xf32>
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%u]
    %b = memref.view %k[%c0][] : memref<256xi8> to memref<64xf32>
    memref.copy %b, %o : memref<64xf32> to memref<64xf32>
    scf.yield %k, %m, %t : memref<256xi8>, memref<256xi8>, !gpu.async.token
  }
  gpu.wait [%r#2]
  memref.dealloc %p : memref<256xi8>
  memref.dealloc %q : memref<256xi8>
  return
}

// -----

// CHECK: :[[#@LINE+11]]:5: error: uses bytes of an arena that work may still use
func.func @turns_too_early(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<256xi8>
  %q = memref.alloc() : memref<256xi8>
  %t0 = gpu.wait async
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %p, %k = %q, %u = %t0) -> (memref<256xi8>, memref<256xi8>, !gpu.async.token) {
    %a = memref.view %m[%c0][] : memref<256xi8> to memref<64xf32>
    %t = gpu.memcpy async %a, %x : memref<64xf32>, memref<64xf32>
    %b = memref.view %k[%c0][] : memref<256xi8> to memref<64xf32>
    memref.copy %b, %o : memref<64xf32> to memref<64xf32>
    gpu.wait [%u]
    scf.yield %k, %m, %t : memref<256xi8>, memref<256xi8>, !gpu.async.token
  }
  gpu.wait [%r#2]
  memref.dealloc %p : memref<256xi8>
  memref.dealloc %q : memref<256xi8>
  return
}

// -----

// Parts are written, and read in the same iteration.
// CHECK-NOT: error
func.func @parts(%x: memref<64xf32>, %o: memref<64xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = memref.alloc() : memref<256xi8>
  %q = memref.alloc() : memref<256xi8>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %p, %k = %q) -> (memref<256xi8>, memref<256xi8>) {
    %a = memref.view %m[%c0][] : memref<256xi8> to memref<64xf32>
    memref.store %f, %a[%c0] : memref<64xf32>
    %v = memref.load %a[%c0] : memref<64xf32>
    %b = memref.view %m[%c0][] : memref<256xi8> to memref<64xf32>
    memref.store %v, %b[%c0] : memref<64xf32>
    %w = memref.load %b[%c0] : memref<64xf32>
    %c = memref.view %k[%c0][] : memref<256xi8> to memref<64xf32>
    memref.store %w, %c[%c0] : memref<64xf32>
    memref.copy %c, %o : memref<64xf32> to memref<64xf32>
    memref.copy %b, %o : memref<64xf32> to memref<64xf32>
    scf.yield %k, %m : memref<256xi8>, memref<256xi8>
  }
  memref.dealloc %p : memref<256xi8>
  memref.dealloc %q : memref<256xi8>
  return
}

// -----

// By one condition they are never one arena.
func.func @selected(%x: memref<64xf32>, %o: memref<64xf32>, %c: i1) {
  %s = memref.alloc() : memref<256xi8>
  %s2 = memref.alloc() : memref<256xi8>
  %c0 = arith.constant 0 : index
  %p = arith.select %c, %s, %s2 : memref<256xi8>
  %q = arith.select %c, %s2, %s : memref<256xi8>
  %a = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %q[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  memref.dealloc %p : memref<256xi8>
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  memref.dealloc %q : memref<256xi8>
  return
}

// -----

// At an offset that is not known until run time a view of a chosen arena is not compared.
// CHECK: :[[#@LINE+10]]:8: remark: [Missed] chosen-arena {{.*}}Function=somewhere
func.func @somewhere(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1, %i: index) {
  %c0 = arith.constant 0 : index
  %r = scf.if %bit -> memref<512xi8> {
    %p = memref.alloc() : memref<512xi8>
    scf.yield %p : memref<512xi8>
  } else {
    %q = memref.alloc() : memref<512xi8>
    scf.yield %q : memref<512xi8>
  }
  %a = memref.view %r[%i][] : memref<512xi8> to memref<64xf32>
  %b = memref.view %r[%c0][] : memref<512xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A view that leaves one of the arenas.
// CHECK: :[[#@LINE+11]]:8: error: bytes 0 to 256 of 128: the view leaves its arena
func.func @leaves(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %r = scf.if %bit -> memref<?xi8> {
    %p = memref.alloc() : memref<128xi8>
    %d = memref.cast %p : memref<128xi8> to memref<?xi8>
    scf.yield %d : memref<?xi8>
  } else {
    %q = memref.alloc(%n) : memref<?xi8>
    scf.yield %q : memref<?xi8>
  }
  %a = memref.view %r[%c0][] : memref<?xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Views that are chosen.
// CHECK-NOT: remark
// CHECK: :[[#@LINE+16]]:3: error: overwrites
func.func @viewed_first(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %a, %b = scf.if %bit -> (memref<64xf32>, memref<64xf32>) {
    %p = memref.alloc() : memref<256xi8>
    %a1 = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
    %b1 = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
    scf.yield %a1, %b1 : memref<64xf32>, memref<64xf32>
  } else {
    %q = memref.alloc() : memref<512xi8>
    %c256 = arith.constant 256 : index
    %a2 = memref.view %q[%c0][] : memref<512xi8> to memref<64xf32>
    %b2 = memref.view %q[%c256][] : memref<512xi8> to memref<64xf32>
    scf.yield %a2, %b2 : memref<64xf32>, memref<64xf32>
  }
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A return chooses nothing: the function is no op with regions that give to each other.
func.func @returned(%n: index) -> memref<?xi8> {
  %a = memref.alloc(%n) : memref<?xi8>
  return %a : memref<?xi8>
}
