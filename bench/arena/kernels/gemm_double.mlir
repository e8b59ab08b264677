// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices with two tiles of each operand, copied while the others are multiplied. The
// result goes through shared memory, so that it is stored in whole rows.
// by hand: 32768, the tiles of operands, in which the result's then lies
// threads: 128

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
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c992 = arith.constant 992 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %row = arith.divui %t, %c4 : index
    %quarter = arith.remui %t, %c4 : index
    %j0 = arith.muli %quarter, %c32 : index
    %j8 = arith.addi %j0, %c8 : index
    %j16 = arith.addi %j0, %c16 : index
    %j24 = arith.addi %j0, %c24 : index
    %a0 = nvgpu.device_async_copy %x[%t, %c0], %a[%c0, %t, %c0], 8 : memref<128x1024xf16> to !a
    %a8 = nvgpu.device_async_copy %x[%t, %c8], %a[%c0, %t, %c8], 8 : memref<128x1024xf16> to !a
    %a16 = nvgpu.device_async_copy %x[%t, %c16], %a[%c0, %t, %c16], 8 : memref<128x1024xf16> to !a
    %a24 = nvgpu.device_async_copy %x[%t, %c24], %a[%c0, %t, %c24], 8 : memref<128x1024xf16> to !a
    %b0 = nvgpu.device_async_copy %y[%row, %j0], %b[%c0, %row, %j0], 8 : memref<1024x128xf16> to !b
    %b8 = nvgpu.device_async_copy %y[%row, %j8], %b[%c0, %row, %j8], 8 : memref<1024x128xf16> to !b
    %b16 = nvgpu.device_async_copy %y[%row, %j16], %b[%c0, %row, %j16], 8 : memref<1024x128xf16> to !b
    %b24 = nvgpu.device_async_copy %y[%row, %j24], %b[%c0, %row, %j24], 8 : memref<1024x128xf16> to !b
    %g0 = nvgpu.device_async_create_group %a0, %a8, %a16, %a24, %b0, %b8, %b16, %b24
    %r:2 = scf.for %k = %c0 to %c992 step %c32 iter_args(%sum = %zero, %g = %g0) -> (f16, !token) {
      %turn = arith.divui %k, %c32 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %k1 = arith.addi %k, %c32 : index
      %x8 = arith.addi %k1, %c8 : index
      %x16 = arith.addi %k1, %c16 : index
      %x24 = arith.addi %k1, %c24 : index
      %row1 = arith.addi %k1, %row : index
      %p0 = nvgpu.device_async_copy %x[%t, %k1], %a[%next, %t, %c0], 8 : memref<128x1024xf16> to !a
      %p8 = nvgpu.device_async_copy %x[%t, %x8], %a[%next, %t, %c8], 8 : memref<128x1024xf16> to !a
      %p16 = nvgpu.device_async_copy %x[%t, %x16], %a[%next, %t, %c16], 8 : memref<128x1024xf16> to !a
      %p24 = nvgpu.device_async_copy %x[%t, %x24], %a[%next, %t, %c24], 8 : memref<128x1024xf16> to !a
      %q0 = nvgpu.device_async_copy %y[%row1, %j0], %b[%next, %row, %j0], 8 : memref<1024x128xf16> to !b
      %q8 = nvgpu.device_async_copy %y[%row1, %j8], %b[%next, %row, %j8], 8 : memref<1024x128xf16> to !b
      %q16 = nvgpu.device_async_copy %y[%row1, %j16], %b[%next, %row, %j16], 8 : memref<1024x128xf16> to !b
      %q24 = nvgpu.device_async_copy %y[%row1, %j24], %b[%next, %row, %j24], 8 : memref<1024x128xf16> to !b
      %g1 = nvgpu.device_async_create_group %p0, %p8, %p16, %p24, %q0, %q8, %q16, %q24
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %u = memref.load %a[%now, %t, %i] : !a
        %w = memref.load %b[%now, %i, %t] : !b
        %m = math.fma %u, %w, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %g1 : f16, !token
    }
    nvgpu.device_async_wait %r#1 {numGroups = 0 : i32}
    gpu.barrier
    %last = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %r#0) -> f16 {
      %u = memref.load %a[%c1, %t, %i] : !a
      %w = memref.load %b[%c1, %i, %t] : !b
      %m = math.fma %u, %w, %s : f16
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
