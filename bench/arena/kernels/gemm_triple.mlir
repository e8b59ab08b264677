// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices with three tiles of each operand that take turns: two copies are on their
// way while one is multiplied.
// by hand: 49152, the tiles of operands, in which the result's then lies

!a = memref<128x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf16, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @gemm(%x: memref<128x1024xf16>, %y: memref<1024x128xf16>, %out: memref<128x128xf16>)
      workgroup(%a0: !a, %a1: !a, %a2: !a, %b0: !b, %b1: !b, %b2: !b, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c960 = arith.constant 960 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %p0 = nvgpu.device_async_copy %x[%t, %c0], %a0[%t, %c0], 8 : memref<128x1024xf16> to !a
    %q0 = nvgpu.device_async_copy %y[%c0, %t], %b0[%c0, %t], 8 : memref<1024x128xf16> to !b
    %g0 = nvgpu.device_async_create_group %p0, %q0
    %p1 = nvgpu.device_async_copy %x[%t, %c32], %a1[%t, %c0], 8 : memref<128x1024xf16> to !a
    %q1 = nvgpu.device_async_copy %y[%c32, %t], %b1[%c0, %t], 8 : memref<1024x128xf16> to !b
    %g1 = nvgpu.device_async_create_group %p1, %q1
    %r:9 = scf.for %k = %c0 to %c960 step %c32
        iter_args(%sum = %zero, %g = %g0, %h = %g1, %an = %a0, %aw = %a1, %af = %a2, %bn = %b0, %bw = %b1, %bf = %b2)
        -> (f16, !token, !token, !a, !a, !a, !b, !b, !b) {
      %k2 = arith.addi %k, %c64 : index
      %p = nvgpu.device_async_copy %x[%t, %k2], %af[%t, %c0], 8 : memref<128x1024xf16> to !a
      %q = nvgpu.device_async_copy %y[%k2, %t], %bf[%c0, %t], 8 : memref<1024x128xf16> to !b
      %j = nvgpu.device_async_create_group %p, %q
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
    memref.store %last, %c[%t, %t] : !c
    gpu.barrier
    scf.for %i = %c0 to %c128 step %c1 {
      %v = memref.load %c[%i, %t] : !c
      memref.store %v, %out[%i, %t] : memref<128x128xf16>
    }
    gpu.return
  }
}
