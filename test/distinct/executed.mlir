// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed at -O3 before and after: equal bit for bit. In @reused, buffers of one iteration use the
// same bytes one after the other, all in one loop; sizes of @late are known at run time only.

// RUN: %python "%root/exec/harness.py" check %s --level 3 --pipeline 'builtin.module(merge-alloc{dynamic=exact poison},buffer-deallocation,convert-linalg-to-loops,lower-affine,convert-view-accesses-to-llvm)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --level 3 --pipeline 'builtin.module(merge-alloc{dynamic=exact},buffer-deallocation,convert-linalg-to-loops,lower-affine,convert-view-accesses-to-llvm)' | FileCheck %s

// CHECK: equal

func.func @reused(%out: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %out[%i] : memref<64xf32>
    %a = memref.alloc() : memref<4xf32>
    memref.store %x, %a[%c0] : memref<4xf32>
    memref.store %two, %a[%c1] : memref<4xf32>
    %v = memref.load %a[%c0] : memref<4xf32>
    %w = memref.load %a[%c1] : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    %p = arith.mulf %v, %w : f32
    memref.store %p, %b[%c0] : memref<4xf32>
    %q = memref.load %b[%c0] : memref<4xf32>
    %c = memref.alloc() : memref<4xf32>
    %r = arith.addf %q, %w : f32
    memref.store %r, %c[%c1] : memref<4xf32>
    memref.store %q, %c[%c0] : memref<4xf32>
    %s = memref.load %c[%c1] : memref<4xf32>
    %t = memref.load %c[%c0] : memref<4xf32>
    %u = arith.addf %s, %t : f32
    memref.store %u, %out[%i] : memref<64xf32>
  }
  return
}

func.func @late(%out: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %out[%i] : memref<64xf32>
    memref.store %x, %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %b[%i] : memref<?xf32>
  }
  scf.for %i = %c1 to %n step %c1 {
    %h = arith.subi %i, %c1 : index
    %x = memref.load %a[%i] : memref<?xf32>
    %y = memref.load %b[%h] : memref<?xf32>
    %z = arith.mulf %x, %y : f32
    memref.store %z, %b[%i] : memref<?xf32>
  }
  %c = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %y = memref.load %b[%i] : memref<?xf32>
    memref.store %y, %c[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %z = memref.load %c[%i] : memref<?xf32>
    memref.store %z, %out[%i] : memref<64xf32>
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c61 = arith.constant 61 : index
  %c64 = arith.constant 64 : index
  %part = arith.constant 0.00390625 : f32
  %out = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %x = arith.mulf %f, %part : f32
    memref.store %x, %out[%i] : memref<64xf32>
  }
  call @reused(%out, %c61) : (memref<64xf32>, index) -> ()
  call @late(%out, %c61) : (memref<64xf32>, index) -> ()
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %out[%i] : memref<64xf32>
    %bits = arith.bitcast %x : f32 to i32
    vector.print %bits : i32
  }
  memref.dealloc %out : memref<64xf32>
  return
}
