// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices whose next tiles wait in registers while the ones in shared memory are multiplied, as for
// devices without copies that go on. The result goes through shared memory.
// by hand: 32768, the result's tile, in which those of operands lie before
// threads: 128

!a = memref<128x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf16, #gpu.address_space<workgroup>>
!v = vector<8xf16>

gpu.module @m {
  gpu.func @gemm(%x: memref<128x1024xf16>, %y: memref<1024x128xf16>, %out: memref<128x128xf16>)
      workgroup(%a: !a, %b: !b, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c992 = arith.constant 992 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %row = arith.divui %t, %c4 : index
    %quarter = arith.remui %t, %c4 : index
    %j0 = arith.muli %quarter, %c32 : index
    %j8 = arith.addi %j0, %c8 : index
    %j16 = arith.addi %j0, %c16 : index
    %j24 = arith.addi %j0, %c24 : index
    %p0 = vector.load %x[%t, %c0] : memref<128x1024xf16>, !v
    %p8 = vector.load %x[%t, %c8] : memref<128x1024xf16>, !v
    %p16 = vector.load %x[%t, %c16] : memref<128x1024xf16>, !v
    %p24 = vector.load %x[%t, %c24] : memref<128x1024xf16>, !v
    %q0 = vector.load %y[%row, %j0] : memref<1024x128xf16>, !v
    %q8 = vector.load %y[%row, %j8] : memref<1024x128xf16>, !v
    %q16 = vector.load %y[%row, %j16] : memref<1024x128xf16>, !v
    %q24 = vector.load %y[%row, %j24] : memref<1024x128xf16>, !v
    %r:9 = scf.for %k = %c0 to %c992 step %c32
        iter_args(%sum = %zero, %f0 = %p0, %f8 = %p8, %f16 = %p16, %f24 = %p24, %g0 = %q0, %g8 = %q8, %g16 = %q16, %g24 = %q24)
        -> (f32, !v, !v, !v, !v, !v, !v, !v, !v) {
      vector.store %f0, %a[%t, %c0] : !a, !v
      vector.store %f8, %a[%t, %c8] : !a, !v
      vector.store %f16, %a[%t, %c16] : !a, !v
      vector.store %f24, %a[%t, %c24] : !a, !v
      vector.store %g0, %b[%row, %j0] : !b, !v
      vector.store %g8, %b[%row, %j8] : !b, !v
      vector.store %g16, %b[%row, %j16] : !b, !v
      vector.store %g24, %b[%row, %j24] : !b, !v
      gpu.barrier
      %k1 = arith.addi %k, %c32 : index
      %x8 = arith.addi %k1, %c8 : index
      %x16 = arith.addi %k1, %c16 : index
      %x24 = arith.addi %k1, %c24 : index
      %row1 = arith.addi %k1, %row : index
      %n0 = vector.load %x[%t, %k1] : memref<128x1024xf16>, !v
      %n8 = vector.load %x[%t, %x8] : memref<128x1024xf16>, !v
      %n16 = vector.load %x[%t, %x16] : memref<128x1024xf16>, !v
      %n24 = vector.load %x[%t, %x24] : memref<128x1024xf16>, !v
      %o0 = vector.load %y[%row1, %j0] : memref<1024x128xf16>, !v
      %o8 = vector.load %y[%row1, %j8] : memref<1024x128xf16>, !v
      %o16 = vector.load %y[%row1, %j16] : memref<1024x128xf16>, !v
      %o24 = vector.load %y[%row1, %j24] : memref<1024x128xf16>, !v
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f32 {
        %u = memref.load %a[%t, %i] : !a
        %w = memref.load %b[%i, %t] : !b
        %m = arith.mulf %u, %w : f16
        %e = arith.extf %m : f16 to f32
        %z = arith.addf %s, %e : f32
        scf.yield %z : f32
      }
      gpu.barrier
      scf.yield %part, %n0, %n8, %n16, %n24, %o0, %o8, %o16, %o24 : f32, !v, !v, !v, !v, !v, !v, !v, !v
    }
    vector.store %r#1, %a[%t, %c0] : !a, !v
    vector.store %r#2, %a[%t, %c8] : !a, !v
    vector.store %r#3, %a[%t, %c16] : !a, !v
    vector.store %r#4, %a[%t, %c24] : !a, !v
    vector.store %r#5, %b[%row, %j0] : !b, !v
    vector.store %r#6, %b[%row, %j8] : !b, !v
    vector.store %r#7, %b[%row, %j16] : !b, !v
    vector.store %r#8, %b[%row, %j24] : !b, !v
    gpu.barrier
    %last = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %r#0) -> f32 {
      %u = memref.load %a[%t, %i] : !a
      %w = memref.load %b[%i, %t] : !b
      %m = arith.mulf %u, %w : f16
      %e = arith.extf %m : f16 to f32
      %z = arith.addf %s, %e : f32
      scf.yield %z : f32
    }
    %half = arith.truncf %last : f32 to f16
    gpu.barrier
    scf.for %i = %c0 to %c128 step %c1 {
      memref.store %half, %c[%t, %i] : !c
    }
    gpu.barrier
    scf.for %i = %c0 to %c128 step %c1 {
      %e = memref.load %c[%i, %t] : !c
      memref.store %e, %out[%i, %t] : memref<128x128xf16>
    }
    gpu.return
  }
}
