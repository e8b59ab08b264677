// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layers of a perceptron: the values between them stay in shared memory. Each layer copies its
// weights one turn ahead.
// by hand: 40960, inputs and two tiles of weights; all that comes later lies in the inputs
// threads: 64

!in = memref<64x256xf16, #gpu.address_space<workgroup>>
!w = memref<2x32x64xf16, #gpu.address_space<workgroup>>
!mid = memref<64x64xf16, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @mlp(%x: memref<64x256xf16>, %w0: memref<256x64xf16>, %w1: memref<64x64xf16>, %out: memref<64x64xf16>)
      workgroup(%in: !in, %u: !w, %mid: !mid, %v: !w, %res: !mid) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c224 = arith.constant 224 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %row = arith.divui %t, %c2 : index
    %half = arith.remui %t, %c2 : index
    %j0 = arith.muli %half, %c32 : index
    %j8 = arith.addi %j0, %c8 : index
    %j16 = arith.addi %j0, %c16 : index
    %j24 = arith.addi %j0, %c24 : index
    %u0_0 = nvgpu.device_async_copy %w0[%row, %j0], %u[%c0, %row, %j0], 8 : memref<256x64xf16> to !w
    %u0_8 = nvgpu.device_async_copy %w0[%row, %j8], %u[%c0, %row, %j8], 8 : memref<256x64xf16> to !w
    %u0_16 = nvgpu.device_async_copy %w0[%row, %j16], %u[%c0, %row, %j16], 8 : memref<256x64xf16> to !w
    %u0_24 = nvgpu.device_async_copy %w0[%row, %j24], %u[%c0, %row, %j24], 8 : memref<256x64xf16> to !w
    %g0 = nvgpu.device_async_create_group %u0_0, %u0_8, %u0_16, %u0_24
    scf.for %j = %c0 to %c256 step %c1 {
      %e = memref.load %x[%t, %j] : memref<64x256xf16>
      memref.store %e, %in[%t, %j] : !in
    }
    %r:2 = scf.for %k = %c0 to %c224 step %c32 iter_args(%sum = %zero, %g = %g0) -> (f16, !token) {
      %turn = arith.divui %k, %c32 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %k1 = arith.addi %k, %c32 : index
      %row1 = arith.addi %k1, %row : index
      %u1_0 = nvgpu.device_async_copy %w0[%row1, %j0], %u[%next, %row, %j0], 8 : memref<256x64xf16> to !w
      %u1_8 = nvgpu.device_async_copy %w0[%row1, %j8], %u[%next, %row, %j8], 8 : memref<256x64xf16> to !w
      %u1_16 = nvgpu.device_async_copy %w0[%row1, %j16], %u[%next, %row, %j16], 8 : memref<256x64xf16> to !w
      %u1_24 = nvgpu.device_async_copy %w0[%row1, %j24], %u[%next, %row, %j24], 8 : memref<256x64xf16> to !w
      %g1 = nvgpu.device_async_create_group %u1_0, %u1_8, %u1_16, %u1_24
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %at = arith.addi %k, %i : index
        %p = memref.load %in[%t, %at] : !in
        %q = memref.load %u[%now, %i, %t] : !w
        %m = math.fma %p, %q, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %g1 : f16, !token
    }
    nvgpu.device_async_wait %r#1 {numGroups = 0 : i32}
    gpu.barrier
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %r#0, %mid[%t, %j] : !mid
    }
    %v0_0 = nvgpu.device_async_copy %w1[%row, %j0], %v[%c0, %row, %j0], 8 : memref<64x64xf16> to !w
    %v0_8 = nvgpu.device_async_copy %w1[%row, %j8], %v[%c0, %row, %j8], 8 : memref<64x64xf16> to !w
    %v0_16 = nvgpu.device_async_copy %w1[%row, %j16], %v[%c0, %row, %j16], 8 : memref<64x64xf16> to !w
    %v0_24 = nvgpu.device_async_copy %w1[%row, %j24], %v[%c0, %row, %j24], 8 : memref<64x64xf16> to !w
    %h0 = nvgpu.device_async_create_group %v0_0, %v0_8, %v0_16, %v0_24
    %row2 = arith.addi %c32, %row : index
    %l:2 = scf.for %k = %c0 to %c32 step %c32 iter_args(%sum = %zero, %h = %h0) -> (f16, !token) {
      %v1_0 = nvgpu.device_async_copy %w1[%row2, %j0], %v[%c1, %row, %j0], 8 : memref<64x64xf16> to !w
      %v1_8 = nvgpu.device_async_copy %w1[%row2, %j8], %v[%c1, %row, %j8], 8 : memref<64x64xf16> to !w
      %v1_16 = nvgpu.device_async_copy %w1[%row2, %j16], %v[%c1, %row, %j16], 8 : memref<64x64xf16> to !w
      %v1_24 = nvgpu.device_async_copy %w1[%row2, %j24], %v[%c1, %row, %j24], 8 : memref<64x64xf16> to !w
      %h1 = nvgpu.device_async_create_group %v1_0, %v1_8, %v1_16, %v1_24
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %p = memref.load %mid[%t, %i] : !mid
        %q = memref.load %v[%c0, %i, %t] : !w
        %m = math.fma %p, %q, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %h1 : f16, !token
    }
    nvgpu.device_async_wait %l#1 {numGroups = 0 : i32}
    gpu.barrier
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %l#0, %res[%t, %j] : !mid
    }
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c1 {
      %y = memref.load %res[%i, %t] : !mid
      memref.store %y, %out[%i, %t] : memref<64x64xf16>
    }
    gpu.return
  }
}
