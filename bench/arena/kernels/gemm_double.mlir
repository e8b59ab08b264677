// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices with two tiles of each operand, copied while the others are multiplied. The
// result goes through shared memory, so that it is stored in whole rows.
// by hand: 32768, the tiles of operands, in which the result's then lies

!a = memref<2x128x32xf16, #gpu.address_space<workgroup>>
!b = memref<2x32x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf16, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @gemm(%x: memref<128x1024xf16>, %y: memref<1024x128xf16>, %out: memref<128x128xf16>)
      workgroup(%a: !a, %b: !b, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c992 = arith.constant 992 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %a0 = nvgpu.device_async_copy %x[%t, %c0], %a[%c0, %t, %c0], 8 : memref<128x1024xf16> to !a
    %b0 = nvgpu.device_async_copy %y[%c0, %t], %b[%c0, %c0, %t], 8 : memref<1024x128xf16> to !b
    %g0 = nvgpu.device_async_create_group %a0, %b0
    %r:2 = scf.for %k = %c0 to %c992 step %c32 iter_args(%sum = %zero, %g = %g0) -> (f16, !token) {
      %turn = arith.divui %k, %c32 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %k1 = arith.addi %k, %c32 : index
      %a1 = nvgpu.device_async_copy %x[%t, %k1], %a[%next, %t, %c0], 8 : memref<128x1024xf16> to !a
      %b1 = nvgpu.device_async_copy %y[%k1, %t], %b[%next, %c0, %t], 8 : memref<1024x128xf16> to !b
      %g1 = nvgpu.device_async_create_group %a1, %b1
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %p = memref.load %a[%now, %t, %i] : !a
        %q = memref.load %b[%now, %i, %t] : !b
        %m = math.fma %p, %q, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %g1 : f16, !token
    }
    nvgpu.device_async_wait %r#1 {numGroups = 0 : i32}
    gpu.barrier
    %last = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %r#0) -> f16 {
      %p = memref.load %a[%c1, %t, %i] : !a
      %q = memref.load %b[%c1, %i, %t] : !b
      %m = math.fma %p, %q, %s : f16
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
