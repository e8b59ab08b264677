// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices with three tiles of each operand that take turns: two copies are on their
// way while one is multiplied.
// by hand: 49152, the tiles of operands, in which the result's then lies
// threads: 128

!a = memref<128x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf16, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @gemm(%x: memref<128x1024xf16>, %y: memref<1024x128xf16>, %out: memref<128x128xf16>)
      workgroup(%a0: !a, %a1: !a, %a2: !a, %b0: !b, %b1: !b, %b2: !b, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c40 = arith.constant 40 : index
    %c48 = arith.constant 48 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c960 = arith.constant 960 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %row = arith.divui %t, %c4 : index
    %quarter = arith.remui %t, %c4 : index
    %j0 = arith.muli %quarter, %c32 : index
    %j8 = arith.addi %j0, %c8 : index
    %j16 = arith.addi %j0, %c16 : index
    %j24 = arith.addi %j0, %c24 : index
    %p0_0 = nvgpu.device_async_copy %x[%t, %c0], %a0[%t, %c0], 8 : memref<128x1024xf16> to !a
    %p0_8 = nvgpu.device_async_copy %x[%t, %c8], %a0[%t, %c8], 8 : memref<128x1024xf16> to !a
    %p0_16 = nvgpu.device_async_copy %x[%t, %c16], %a0[%t, %c16], 8 : memref<128x1024xf16> to !a
    %p0_24 = nvgpu.device_async_copy %x[%t, %c24], %a0[%t, %c24], 8 : memref<128x1024xf16> to !a
    %q0_0 = nvgpu.device_async_copy %y[%row, %j0], %b0[%row, %j0], 8 : memref<1024x128xf16> to !b
    %q0_8 = nvgpu.device_async_copy %y[%row, %j8], %b0[%row, %j8], 8 : memref<1024x128xf16> to !b
    %q0_16 = nvgpu.device_async_copy %y[%row, %j16], %b0[%row, %j16], 8 : memref<1024x128xf16> to !b
    %q0_24 = nvgpu.device_async_copy %y[%row, %j24], %b0[%row, %j24], 8 : memref<1024x128xf16> to !b
    %g0 = nvgpu.device_async_create_group %p0_0, %p0_8, %p0_16, %p0_24, %q0_0, %q0_8, %q0_16, %q0_24
    %row1 = arith.addi %row, %c32 : index
    %p1_0 = nvgpu.device_async_copy %x[%t, %c32], %a1[%t, %c0], 8 : memref<128x1024xf16> to !a
    %p1_8 = nvgpu.device_async_copy %x[%t, %c40], %a1[%t, %c8], 8 : memref<128x1024xf16> to !a
    %p1_16 = nvgpu.device_async_copy %x[%t, %c48], %a1[%t, %c16], 8 : memref<128x1024xf16> to !a
    %p1_24 = nvgpu.device_async_copy %x[%t, %c56], %a1[%t, %c24], 8 : memref<128x1024xf16> to !a
    %q1_0 = nvgpu.device_async_copy %y[%row1, %j0], %b1[%row, %j0], 8 : memref<1024x128xf16> to !b
    %q1_8 = nvgpu.device_async_copy %y[%row1, %j8], %b1[%row, %j8], 8 : memref<1024x128xf16> to !b
    %q1_16 = nvgpu.device_async_copy %y[%row1, %j16], %b1[%row, %j16], 8 : memref<1024x128xf16> to !b
    %q1_24 = nvgpu.device_async_copy %y[%row1, %j24], %b1[%row, %j24], 8 : memref<1024x128xf16> to !b
    %g1 = nvgpu.device_async_create_group %p1_0, %p1_8, %p1_16, %p1_24, %q1_0, %q1_8, %q1_16, %q1_24
    %r:9 = scf.for %k = %c0 to %c960 step %c32
        iter_args(%sum = %zero, %g = %g0, %h = %g1, %an = %a0, %aw = %a1, %af = %a2, %bn = %b0, %bw = %b1, %bf = %b2)
        -> (f16, !token, !token, !a, !a, !a, !b, !b, !b) {
      %k2 = arith.addi %k, %c64 : index
      %x8 = arith.addi %k2, %c8 : index
      %x16 = arith.addi %k2, %c16 : index
      %x24 = arith.addi %k2, %c24 : index
      %row2 = arith.addi %k2, %row : index
      %p_0 = nvgpu.device_async_copy %x[%t, %k2], %af[%t, %c0], 8 : memref<128x1024xf16> to !a
      %p_8 = nvgpu.device_async_copy %x[%t, %x8], %af[%t, %c8], 8 : memref<128x1024xf16> to !a
      %p_16 = nvgpu.device_async_copy %x[%t, %x16], %af[%t, %c16], 8 : memref<128x1024xf16> to !a
      %p_24 = nvgpu.device_async_copy %x[%t, %x24], %af[%t, %c24], 8 : memref<128x1024xf16> to !a
      %q_0 = nvgpu.device_async_copy %y[%row2, %j0], %bf[%row, %j0], 8 : memref<1024x128xf16> to !b
      %q_8 = nvgpu.device_async_copy %y[%row2, %j8], %bf[%row, %j8], 8 : memref<1024x128xf16> to !b
      %q_16 = nvgpu.device_async_copy %y[%row2, %j16], %bf[%row, %j16], 8 : memref<1024x128xf16> to !b
      %q_24 = nvgpu.device_async_copy %y[%row2, %j24], %bf[%row, %j24], 8 : memref<1024x128xf16> to !b
      %j = nvgpu.device_async_create_group %p_0, %p_8, %p_16, %p_24, %q_0, %q_8, %q_16, %q_24
      nvgpu.device_async_wait %g {numGroups = 2 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %v = memref.load %an[%t, %i] : !a
        %w = memref.load %bn[%i, %t] : !b
        %m = math.fma %v, %w, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %h, %j, %aw, %af, %an, %bw, %bf, %bn : f16, !token, !token, !a, !a, !a, !b, !b, !b
    }
    nvgpu.device_async_wait %r#1 {numGroups = 1 : i32}
    gpu.barrier
    %most = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %r#0) -> f16 {
      %v = memref.load %r#3[%t, %i] : !a
      %w = memref.load %r#6[%i, %t] : !b
      %m = math.fma %v, %w, %s : f16
      scf.yield %m : f16
    }
    nvgpu.device_async_wait %r#2 {numGroups = 0 : i32}
    gpu.barrier
    %last = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %most) -> f16 {
      %v = memref.load %r#4[%t, %i] : !a
      %w = memref.load %r#7[%i, %t] : !b
      %m = math.fma %v, %w, %s : f16
      scf.yield %m : f16
    }
    gpu.barrier
    scf.for %i = %c0 to %c128 step %c1 {
      memref.store %last, %c[%t, %i] : !c
    }
    gpu.barrier
    scf.for %i = %c0 to %c128 step %c1 {
      %v = memref.load %c[%i, %t] : !c
      memref.store %v, %out[%i, %t] : memref<128x128xf16>
    }
    gpu.return
  }
}
